//! What all sessions of a desk share of what says what is wrong with a text: the pool of language servers, and the grammars.
//!
//! There is one pool, so that two sessions in one folder have one server, and all servers together have an end. Which servers serve
//! a file is said by the configuration of the folder that a session works in.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use copydesk_config::paths::workspace_root;
use copydesk_config::{DiagnosticSource, Loaded};
use copydesk_diagnostics::checker::Checkers;
use copydesk_diagnostics::checks::{Options, WAIT};
use copydesk_diagnostics::{Checks, Sources, Syntax};
use copydesk_servers::choose::{Chosen, Settings, Wanted, servers_for};
use copydesk_servers::find::Search;
use copydesk_servers::format::{self, ByServer, Formatters};
use copydesk_servers::pool::{Choose, Limits, Pool};
use copydesk_servers::{Severity, Source, Subject, Texts, Witness};
use copydesk_session::CurrentRules;
use copydesk_workspace::buffers::Buffers;
use copydesk_workspace::files::Files;
use copydesk_workspace::process::Processes;
use copydesk_workspace::search::Overlay;

use super::editor::EditorSource;
use super::former::OwnServers;
use super::texts::{FileTexts, of_file};
use super::unsaved::Same;
use super::{Languages, configured, progress};
use crate::editors::Editors;
use crate::environment;

/// Folders of which it is remembered how they are served.
const MOST_FOLDERS: usize = 64;

/// No edit waits longer, whoever says so.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Clones are the same.
#[derive(Clone)]
pub struct Servers {
    buffers: Buffers,
    home: PathBuf,
    folders: Arc<Folders>,
    /// Begun when the first session is opened.
    pool: Arc<OnceLock<Pool>>,
    syntax: Syntax,
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Servers").finish_non_exhaustive()
    }
}

impl Servers {
    pub fn new(buffers: Buffers, home: PathBuf) -> Self {
        let folders = Arc::new(Folders::default());
        Self { buffers, home, folders, pool: Arc::default(), syntax: Syntax::default() }
    }

    /// Those that were started.
    pub fn pool(&self) -> Option<&Pool> {
        self.pool.get()
    }

    /// Ends all of them.
    pub async fn end(&self) {
        if let Some(pool) = self.pool.get() {
            pool.end().await;
        }
    }

    /// What a session is told of its files; those that it may not read by its rules are not shown to it.
    pub fn checks(
        &self,
        loaded: &Loaded,
        editors: &Editors,
        files: &Files,
        processes: &Processes,
        rules: &CurrentRules,
    ) -> Checks {
        let languages = configured(loaded);
        let said = &languages.diagnostics;
        if said.enabled == Some(false) {
            return Checks::default();
        }
        let root = root_of(files);
        let search = self.serve(&root, loaded, &languages);
        let asks = |source| said.sources.as_ref().is_none_or(|sources| sources.contains(&source));
        let texts: Arc<dyn Texts> = Arc::new(FileTexts { files: files.clone(), rules: rules.clone() });
        let sources = Sources {
            editor: asks(DiagnosticSource::Editor).then(|| {
                Arc::new(EditorSource::new(editors.clone(), files.clone(), Arc::clone(&texts)))
                    as Arc<dyn Source>
            }),
            pool: (asks(DiagnosticSource::Servers) && languages.servers.is_on)
                .then(|| Arc::new(self.begun(loaded, editors).besides(&[])) as Arc<dyn Source>),
            checkers: checkers(&languages, asks(DiagnosticSource::Checkers), search, root, processes),
            // It sees what is changed also where only an editor's servers are asked.
            witness: Some(Arc::new(self.begun(loaded, editors).overseer()) as Arc<dyn Witness>),
            syntax: asks(DiagnosticSource::Syntax).then(|| Arc::new(self.syntax.clone()) as Arc<dyn Source>),
        };
        let least = if said.warnings == Some(true) { Severity::Warning } else { Severity::Error };
        let options =
            Options { wait: said.wait.map_or(WAIT, Duration::from_millis).min(LONGEST_WAIT), least };
        Checks::new(sources, texts, files.root(), options)
    }

    /// Who gives what a session writes its form; nobody, unless the person configured some.
    pub fn formatters(
        &self,
        loaded: &Loaded,
        editors: &Editors,
        files: &Files,
        processes: &Processes,
        rules: &CurrentRules,
    ) -> Option<Formatters> {
        let languages = configured(loaded);
        let root = root_of(files);
        // Also where nobody asks what is wrong.
        let search = self.serve(&root, loaded, &languages);
        let server = languages.formed_by_server.filter(|_| languages.servers.is_on).map(|extensions| {
            let texts = Arc::new(FileTexts { files: files.clone(), rules: rules.clone() });
            let editor = EditorSource::new(editors.clone(), files.clone(), texts);
            let pool = self.begun(loaded, editors).besides(&[]);
            ByServer { former: Arc::new(OwnServers { editor, pool }), extensions }
        });
        (!languages.formatters.is_empty() || server.is_some()).then(|| Formatters {
            formatters: languages.formatters,
            server,
            search,
            root,
            processes: processes.clone(),
            timeout: format::TIMEOUT,
        })
    }

    /// Has the files of a folder served as it is said now. Gives where programs are looked for.
    fn serve(&self, root: &Path, loaded: &Loaded, languages: &Languages) -> Search {
        let search = languages.search(self.home.clone());
        let folder = Folder {
            settings: languages.servers.clone(),
            in_project: languages.in_project,
            withheld: environment::withheld(loaded),
            search: search.clone(),
        };
        let is_other = self.folders.put(root.to_owned(), folder);
        if let Some(pool) = self.pool.get().filter(|_| is_other) {
            pool.renew(root);
        }
        search
    }

    fn begun(&self, loaded: &Loaded, editors: &Editors) -> &Pool {
        self.pool.get_or_init(|| {
            let (buffers, folders) = (self.buffers.clone(), Arc::clone(&self.folders));
            let texts = DeskTexts { buffers, folders, same: Same::default() };
            let choose = Arc::clone(&self.folders);
            let pool = Pool::new(environment::processes(loaded), choose, Arc::new(texts), Limits::default());
            let held = Arc::downgrade(&self.pool);
            tokio::spawn(progress::show(held, pool.news(), editors.clone()));
            pool
        })
    }
}

/// The workspace of a session, by its real path.
fn root_of(files: &Files) -> PathBuf {
    let root = workspace_root(files.root()).unwrap_or_else(|_| files.root().to_owned());
    root.canonicalize().unwrap_or(root)
}

fn checkers(
    languages: &Languages,
    is_asked: bool,
    search: Search,
    root: PathBuf,
    processes: &Processes,
) -> Option<Arc<dyn Source>> {
    let checkers = Checkers::new(languages.checkers.clone(), search, root, processes.clone());
    (is_asked && !checkers.is_empty()).then(|| Arc::new(checkers) as Arc<dyn Source>)
}

/// How the files of a folder are served.
struct Folder {
    settings: Settings,
    in_project: bool,
    /// Variables that its servers are not given; all servers begin with the same otherwise.
    withheld: Vec<OsString>,
    search: Search,
}

/// The folders that sessions work in, by their real paths.
#[derive(Default)]
struct Folders {
    known: Mutex<BTreeMap<PathBuf, Arc<Folder>>>,
}

impl Folders {
    /// The last word counts. Tells whether it is another one than before.
    fn put(&self, root: PathBuf, folder: Folder) -> bool {
        let mut known = self.lock();
        if known.len() >= MOST_FOLDERS && !known.contains_key(&root) {
            known.pop_first();
        }
        let folder = Arc::new(folder);
        let before = known.insert(root, Arc::clone(&folder));
        before.is_some_and(|before| {
            let parts =
                |folder: &Folder| (folder.settings.clone(), folder.in_project, folder.withheld.clone());
            parts(&before) != parts(&folder)
        })
    }

    /// The innermost that a file is in.
    fn of(&self, path: &Path) -> Option<(PathBuf, Arc<Folder>)> {
        let known = self.lock();
        let found = path.ancestors().find_map(|folder| known.get_key_value(folder));
        found.map(|(root, folder)| (root.clone(), Arc::clone(folder)))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<Folder>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Choose for Folders {
    fn servers_for(&self, path: &Path, first_line: &str) -> Vec<Chosen> {
        let Some((root, folder)) = self.of(path) else { return Vec::new() };
        let mut chosen =
            servers_for(&folder.search, &folder.settings, Wanted { path, first_line, root: &root });
        for server in &mut chosen {
            let without = folder.withheld.iter().map(|name| (name.clone(), None));
            // What the person says of it comes later, and counts.
            server.environment = without.chain(std::mem::take(&mut server.environment)).collect();
        }
        chosen
    }
}

/// What stands in the files of all sessions. Nothing outside of their folders is read.
struct DeskTexts {
    buffers: Buffers,
    folders: Arc<Folders>,
    same: Same,
}

impl Texts for DeskTexts {
    fn text(&self, path: &Path) -> Option<Subject> {
        // What is open need not be on the disk; it is known by the path that it would have there.
        let is_open = || self.buffers.find(path, None).is_some();
        let real = path.canonicalize().ok().or_else(|| is_open().then(|| path.to_owned()))?;
        self.folders.of(&real)?;
        of_file(&self.buffers, None, real)
    }

    fn is_other(&self, path: &Path) -> bool {
        self.same.is_other(&self.buffers, path)
    }

    fn open(&self) -> BTreeSet<PathBuf> {
        self.buffers.all(None).into_keys().collect()
    }

    fn overlay(&self) -> Overlay {
        Overlay::new(self.buffers.all(None))
    }
}
