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
use copydesk_config::{DiagnosticsSourceConfig, LoadedConfig};
use copydesk_diagnostics::checker::Checkers;
use copydesk_diagnostics::time_limits::DEFAULT_WAIT;
use copydesk_diagnostics::tracker::TrackerOptions;
use copydesk_diagnostics::{DiagnosticsSources, DiagnosticsTracker, SyntaxSource};
use copydesk_servers::format::{Formatters, LanguageServerFormatter};
use copydesk_servers::pool::{PoolLimits, ServerChooser, ServerPool};
use copydesk_servers::program_search::ProgramSearch;
use copydesk_servers::server_selection::{SelectedServer, ServedFile, ServerPreferences, servers_for};
use copydesk_servers::{CheckedDocument, CommandWatcher, DiagnosticsSource, DocumentProvider, Severity};
use copydesk_session::CurrentRules;
use copydesk_workspace::buffers::Buffers;
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::process::Processes;
use copydesk_workspace::search::BufferOverlay;

use super::editor_source::EditorSource;
use super::server_formatter::OwnServerFormatter;
use super::session_texts::{SessionTexts, read_document};
use super::unsaved::SavedFileCache;
use super::{LanguageSettings, language_settings, server_progress};
use crate::editors::AttachedEditors;
use crate::environment;
use crate::time_limits::MAX_DIAGNOSTICS_WAIT;
use copydesk_servers::time_limits::FORMAT_TIMEOUT;

/// Folders of which it is remembered how they are served.
const MOST_FOLDERS: usize = 64;

/// Clones are the same.
#[derive(Clone)]
pub struct LanguageServices {
    buffers: Buffers,
    home: PathBuf,
    folders: Arc<ServedFolders>,
    /// Begun when the first session is opened.
    pool: Arc<OnceLock<ServerPool>>,
    syntax: SyntaxSource,
}

impl std::fmt::Debug for LanguageServices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LanguageServices").finish_non_exhaustive()
    }
}

impl LanguageServices {
    pub fn new(buffers: Buffers, home: PathBuf) -> Self {
        let folders = Arc::new(ServedFolders::default());
        Self { buffers, home, folders, pool: Arc::default(), syntax: SyntaxSource::default() }
    }

    /// Those that were started.
    pub fn pool(&self) -> Option<&ServerPool> {
        self.pool.get()
    }

    /// Ends all of them.
    pub async fn end(&self) {
        if let Some(pool) = self.pool.get() {
            pool.shut_down().await;
        }
    }

    /// What a session is told of its files; those that it may not read by its rules are not shown to it.
    pub fn diagnostics_tracker(
        &self,
        loaded: &LoadedConfig,
        editors: &AttachedEditors,
        files: &WorkspaceFiles,
        processes: &Processes,
        rules: &CurrentRules,
    ) -> DiagnosticsTracker {
        let languages = language_settings(loaded);
        let said = &languages.diagnostics;
        if said.enabled == Some(false) {
            return DiagnosticsTracker::default();
        }
        let root = root_of(files);
        let search = self.configure_folder(&root, loaded, &languages);
        let asks = |source| said.sources.as_ref().is_none_or(|sources| sources.contains(&source));
        let texts: Arc<dyn DocumentProvider> =
            Arc::new(SessionTexts { files: files.clone(), rules: rules.clone() });
        let sources = DiagnosticsSources {
            editor: asks(DiagnosticsSourceConfig::Editor).then(|| {
                Arc::new(EditorSource::new(editors.clone(), files.clone(), Arc::clone(&texts)))
                    as Arc<dyn DiagnosticsSource>
            }),
            pool: (asks(DiagnosticsSourceConfig::Servers) && languages.servers.is_enabled).then(|| {
                Arc::new(self.pool_or_start(loaded, editors).excluding(&[])) as Arc<dyn DiagnosticsSource>
            }),
            checkers: checkers(&languages, asks(DiagnosticsSourceConfig::Checkers), search, root, processes),
            // It sees what is changed also where only an editor's servers are asked.
            watcher: Some(
                Arc::new(self.pool_or_start(loaded, editors).command_watcher()) as Arc<dyn CommandWatcher>
            ),
            syntax: asks(DiagnosticsSourceConfig::Syntax)
                .then(|| Arc::new(self.syntax.clone()) as Arc<dyn DiagnosticsSource>),
        };
        let least = if said.warnings == Some(true) { Severity::Warning } else { Severity::Error };
        let options = TrackerOptions {
            wait: said.wait.map_or(DEFAULT_WAIT, Duration::from_millis).min(MAX_DIAGNOSTICS_WAIT),
            min_severity: least,
        };
        DiagnosticsTracker::new(sources, texts, files.root(), options)
    }

    /// Who gives what a session writes its form; nobody, unless the person configured some.
    pub fn formatters(
        &self,
        loaded: &LoadedConfig,
        editors: &AttachedEditors,
        files: &WorkspaceFiles,
        processes: &Processes,
        rules: &CurrentRules,
    ) -> Option<Formatters> {
        let languages = language_settings(loaded);
        let root = root_of(files);
        // Also where nobody asks what is wrong.
        let search = self.configure_folder(&root, loaded, &languages);
        let server = languages.server_formatter_extensions.filter(|_| languages.servers.is_enabled).map(
            |extensions| {
                let texts = Arc::new(SessionTexts { files: files.clone(), rules: rules.clone() });
                let editor = EditorSource::new(editors.clone(), files.clone(), texts);
                let pool = self.pool_or_start(loaded, editors).excluding(&[]);
                LanguageServerFormatter {
                    formatter: Arc::new(OwnServerFormatter { editor, pool }),
                    extensions,
                }
            },
        );
        (!languages.formatters.is_empty() || server.is_some()).then(|| Formatters {
            formatters: languages.formatters,
            server,
            search,
            root,
            processes: processes.clone(),
            timeout: FORMAT_TIMEOUT,
        })
    }

    /// Has the files of a folder served as it is said now. Gives where programs are looked for.
    fn configure_folder(
        &self,
        root: &Path,
        loaded: &LoadedConfig,
        languages: &LanguageSettings,
    ) -> ProgramSearch {
        let search = languages.search(self.home.clone());
        let folder = ServedFolder {
            settings: languages.servers.clone(),
            in_project: languages.allows_project_programs,
            withheld: environment::withheld_variables(loaded),
            search: search.clone(),
        };
        let is_other = self.folders.put(root.to_owned(), folder);
        if let Some(pool) = self.pool.get().filter(|_| is_other) {
            pool.stop_below(root);
        }
        search
    }

    fn pool_or_start(&self, loaded: &LoadedConfig, editors: &AttachedEditors) -> &ServerPool {
        self.pool.get_or_init(|| {
            let (buffers, folders) = (self.buffers.clone(), Arc::clone(&self.folders));
            let texts = HostTexts { buffers, folders, same: SavedFileCache::default() };
            let choose = Arc::clone(&self.folders);
            let pool = ServerPool::new(
                environment::processes(loaded),
                choose,
                Arc::new(texts),
                PoolLimits::default(),
            );
            let held = Arc::downgrade(&self.pool);
            tokio::spawn(server_progress::show(held, pool.subscribe(), editors.clone()));
            pool
        })
    }
}

/// The workspace of a session, by its real path.
fn root_of(files: &WorkspaceFiles) -> PathBuf {
    let root = workspace_root(files.root()).unwrap_or_else(|_| files.root().to_owned());
    root.canonicalize().unwrap_or(root)
}

fn checkers(
    languages: &LanguageSettings,
    is_asked: bool,
    search: ProgramSearch,
    root: PathBuf,
    processes: &Processes,
) -> Option<Arc<dyn DiagnosticsSource>> {
    let checkers = Checkers::new(languages.checkers.clone(), search, root, processes.clone());
    (is_asked && !checkers.is_empty()).then(|| Arc::new(checkers) as Arc<dyn DiagnosticsSource>)
}

/// How the files of a folder are served.
struct ServedFolder {
    settings: ServerPreferences,
    in_project: bool,
    /// Variables that its servers are not given; all servers begin with the same otherwise.
    withheld: Vec<OsString>,
    search: ProgramSearch,
}

/// The folders that sessions work in, by their real paths.
#[derive(Default)]
struct ServedFolders {
    known: Mutex<BTreeMap<PathBuf, Arc<ServedFolder>>>,
}

impl ServedFolders {
    /// The last word counts. Tells whether it is another one than before.
    fn put(&self, root: PathBuf, folder: ServedFolder) -> bool {
        let mut known = self.lock();
        if known.len() >= MOST_FOLDERS && !known.contains_key(&root) {
            known.pop_first();
        }
        let folder = Arc::new(folder);
        let before = known.insert(root, Arc::clone(&folder));
        before.is_some_and(|before| {
            let parts =
                |folder: &ServedFolder| (folder.settings.clone(), folder.in_project, folder.withheld.clone());
            parts(&before) != parts(&folder)
        })
    }

    /// The innermost that a file is in.
    fn folder_of(&self, path: &Path) -> Option<(PathBuf, Arc<ServedFolder>)> {
        let known = self.lock();
        let found = path.ancestors().find_map(|folder| known.get_key_value(folder));
        found.map(|(root, folder)| (root.clone(), Arc::clone(folder)))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<ServedFolder>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerChooser for ServedFolders {
    fn servers_for(&self, path: &Path, first_line: &str) -> Vec<SelectedServer> {
        let Some((root, folder)) = self.folder_of(path) else { return Vec::new() };
        let mut chosen =
            servers_for(&folder.search, &folder.settings, ServedFile { path, first_line, root: &root });
        for server in &mut chosen {
            let without = folder.withheld.iter().map(|name| (name.clone(), None));
            // What the person says of it comes later, and counts.
            server.environment = without.chain(std::mem::take(&mut server.environment)).collect();
        }
        chosen
    }
}

/// What stands in the files of all sessions. Nothing outside of their folders is read.
struct HostTexts {
    buffers: Buffers,
    folders: Arc<ServedFolders>,
    same: SavedFileCache,
}

impl DocumentProvider for HostTexts {
    fn document(&self, path: &Path) -> Option<CheckedDocument> {
        // What is open need not be on the disk; it is known by the path that it would have there.
        let is_open = || self.buffers.find(path, None).is_some();
        let real = path.canonicalize().ok().or_else(|| is_open().then(|| path.to_owned()))?;
        self.folders.folder_of(&real)?;
        read_document(&self.buffers, None, real)
    }

    fn differs_from_disk(&self, path: &Path) -> bool {
        self.same.differs_from_disk(&self.buffers, path)
    }

    fn open_paths(&self) -> BTreeSet<PathBuf> {
        self.buffers.documents(None).into_keys().collect()
    }

    fn overlay(&self) -> BufferOverlay {
        BufferOverlay::new(self.buffers.documents(None))
    }
}
