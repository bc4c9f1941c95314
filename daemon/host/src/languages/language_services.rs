//! What all sessions share to find diagnostics: the pool of language servers, and the grammars.
//!
//! There is one pool, so that two sessions in one folder share a server, and one limit covers all servers. The configuration of a session's
//! folder decides which servers serve a file.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use copydesk_config::paths::{UserPaths, workspace_root};
use copydesk_config::{DiagnosticsSourceConfig, LoadedConfig};
use copydesk_diagnostics::checker::Checkers;
use copydesk_diagnostics::time_limits::DEFAULT_WAIT;
use copydesk_diagnostics::tracker::TrackerOptions;
use copydesk_diagnostics::{DiagnosticsSources, DiagnosticsTracker, SyntaxSource};
use copydesk_navigation::Navigator;
use copydesk_servers::format::{Formatters, LanguageServerFormatter};
use copydesk_servers::pool::{PoolLimits, ServerChooser, ServerPool};
use copydesk_servers::program_search::ProgramSearch;
use copydesk_servers::server_selection::{SelectedServer, ServedFile, ServerPreferences, servers_for};
use copydesk_servers::{
    CheckedDocument, CodeServers, CommandWatcher, DiagnosticsSource, DocumentProvider, Severity,
};
use copydesk_session::CurrentRules;
use copydesk_tool::web::{ListedNetwork, system_lookup};
use copydesk_workspace::buffers::Buffers;
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::process::Processes;
use copydesk_workspace::process::sandbox::ProgramSandbox;
use copydesk_workspace::search::SearchView;
use copydesk_workspace::text_index::TextIndexes;

use super::editor_source::EditorSource;
use super::server_formatter::OwnServerFormatter;
use super::session_texts::{SessionTexts, read_document};
use super::{LanguageSettings, language_settings, server_progress};
use crate::editors::AttachedEditors;
use crate::environment;
use crate::sandbox::command_sandbox;
use crate::time_limits::MAX_DIAGNOSTICS_WAIT;
use copydesk_servers::time_limits::FORMAT_TIMEOUT;

/// The cap on folders whose settings are remembered.
const MAX_FOLDERS: usize = 64;

/// Clones share their state.
#[derive(Clone)]
pub struct LanguageServices {
    buffers: Buffers,
    indexes: TextIndexes,
    paths: UserPaths,
    folders: Arc<ServedFolders>,
    /// Starts when the first session needs it.
    pool: Arc<OnceLock<ServerPool>>,
    syntax: SyntaxSource,
}

impl std::fmt::Debug for LanguageServices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LanguageServices").finish_non_exhaustive()
    }
}

impl LanguageServices {
    pub fn new(buffers: Buffers, indexes: TextIndexes, paths: UserPaths) -> Self {
        let folders = Arc::new(ServedFolders::default());
        Self { buffers, indexes, paths, folders, pool: Arc::default(), syntax: SyntaxSource::default() }
    }

    /// None until a session needs it.
    pub fn pool(&self) -> Option<&ServerPool> {
        self.pool.get()
    }

    /// Ends all servers.
    pub async fn end(&self) {
        if let Some(pool) = self.pool.get() {
            pool.shut_down().await;
        }
    }

    /// The diagnostics of one session; it sees none for files that its rules do not let it read.
    pub fn diagnostics_tracker(
        &self,
        loaded: &LoadedConfig,
        editors: &AttachedEditors,
        files: &WorkspaceFiles,
        processes: &Processes,
        rules: &CurrentRules,
    ) -> DiagnosticsTracker {
        let languages = language_settings(loaded);
        let config = &languages.diagnostics;
        if config.enabled == Some(false) {
            return DiagnosticsTracker::default();
        }
        let root = root_of(files);
        let access = self.configure_folder(&root, loaded, &languages);
        let is_wanted = |source| config.sources.as_ref().is_none_or(|sources| sources.contains(&source));
        let texts: Arc<dyn DocumentProvider> =
            Arc::new(SessionTexts { files: files.clone(), rules: rules.clone() });
        let sources = DiagnosticsSources {
            editor: is_wanted(DiagnosticsSourceConfig::Editor).then(|| {
                Arc::new(EditorSource::new(editors.clone(), files.clone(), Arc::clone(&texts)))
                    as Arc<dyn DiagnosticsSource>
            }),
            pool: (is_wanted(DiagnosticsSourceConfig::Servers) && languages.servers.is_enabled).then(|| {
                Arc::new(self.pool_or_start(loaded, editors).excluding(&[])) as Arc<dyn DiagnosticsSource>
            }),
            checkers: checkers(
                &languages,
                is_wanted(DiagnosticsSourceConfig::Checkers),
                access,
                root,
                processes,
            ),
            // The watcher sees changes on the disk even if only an editor's servers are asked.
            watcher: Some(
                Arc::new(self.pool_or_start(loaded, editors).command_watcher()) as Arc<dyn CommandWatcher>
            ),
            syntax: is_wanted(DiagnosticsSourceConfig::Syntax)
                .then(|| Arc::new(self.syntax.clone()) as Arc<dyn DiagnosticsSource>),
        };
        let min_severity = if config.warnings == Some(true) { Severity::Warning } else { Severity::Error };
        let options = TrackerOptions {
            wait: config.wait.map_or(DEFAULT_WAIT, Duration::from_millis).min(MAX_DIAGNOSTICS_WAIT),
            min_severity,
        };
        DiagnosticsTracker::new(sources, texts, files.root(), options)
    }

    /// Answers a session's questions about code, by the same servers as its diagnostics.
    pub fn navigator(
        &self,
        loaded: &LoadedConfig,
        editors: &AttachedEditors,
        files: &WorkspaceFiles,
        rules: &CurrentRules,
    ) -> Navigator {
        let languages = language_settings(loaded);
        let root = root_of(files);
        // Diagnostics may be off, and then nothing else has configured the folder.
        self.configure_folder(&root, loaded, &languages);
        let texts: Arc<dyn DocumentProvider> =
            Arc::new(SessionTexts { files: files.clone(), rules: rules.clone() });
        let editor = EditorSource::new(editors.clone(), files.clone(), Arc::clone(&texts));
        let mut sources: Vec<Arc<dyn CodeServers>> = vec![Arc::new(editor)];
        if languages.servers.is_enabled {
            sources.push(Arc::new(self.pool_or_start(loaded, editors).excluding(&[])));
        }
        // The workspace, not its repository: the model's paths are relative to it.
        let folder = files.root().canonicalize().unwrap_or_else(|_| files.root().to_owned());
        Navigator::new(sources, texts, folder, self.syntax.trees())
    }

    /// The formatters for what a session writes; none unless the user configured some.
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
        // Diagnostics may be off, and then nothing else has configured the folder.
        let access = self.configure_folder(&root, loaded, &languages);
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
            search: access.search,
            root,
            processes: processes.clone(),
            sandbox: access.sandbox,
            timeout: FORMAT_TIMEOUT,
        })
    }

    /// Applies the current settings to a folder, and returns where to look for programs and where they run.
    fn configure_folder(
        &self,
        root: &Path,
        loaded: &LoadedConfig,
        languages: &LanguageSettings,
    ) -> ProgramAccess {
        let search = languages.search(self.paths.home.clone());
        let bridges = Arc::new(ListedNetwork::new(system_lookup()));
        let sandbox = command_sandbox(loaded, &self.paths, None).with_bridges(bridges);
        let sandbox = self.folders.known_sandbox(root, ProgramSandbox::new(sandbox, root.to_owned()));
        let folder = ServedFolder {
            settings: languages.servers.clone(),
            in_project: languages.allows_project_programs,
            withheld: environment::withheld_variables(loaded),
            search: search.clone(),
            sandbox: sandbox.clone(),
            refused: languages.refused.clone(),
        };
        let has_changed = self.folders.put(root.to_owned(), folder);
        if let Some(pool) = self.pool.get().filter(|_| has_changed) {
            pool.stop_below(root);
        }
        ProgramAccess { search, sandbox }
    }

    fn pool_or_start(&self, loaded: &LoadedConfig, editors: &AttachedEditors) -> &ServerPool {
        self.pool.get_or_init(|| {
            let (buffers, folders) = (self.buffers.clone(), Arc::clone(&self.folders));
            let texts = HostTexts { buffers, indexes: self.indexes.clone(), folders };
            let choose = Arc::clone(&self.folders);
            let pool = ServerPool::new(
                environment::processes(loaded),
                choose,
                Arc::new(texts),
                PoolLimits::default(),
            );
            let weak_pool = Arc::downgrade(&self.pool);
            tokio::spawn(server_progress::show(weak_pool, pool.subscribe(), editors.clone()));
            pool
        })
    }
}

/// The real path of a session's workspace.
fn root_of(files: &WorkspaceFiles) -> PathBuf {
    let root = workspace_root(files.root()).unwrap_or_else(|_| files.root().to_owned());
    root.canonicalize().unwrap_or(root)
}

fn checkers(
    languages: &LanguageSettings,
    is_wanted: bool,
    ProgramAccess { search, sandbox }: ProgramAccess,
    root: PathBuf,
    processes: &Processes,
) -> Option<Arc<dyn DiagnosticsSource>> {
    let checkers = Checkers::new(languages.checkers.clone(), search, root, processes.clone(), sandbox);
    (is_wanted && !checkers.is_empty()).then(|| Arc::new(checkers) as Arc<dyn DiagnosticsSource>)
}

/// How programs of a folder are found and run.
struct ProgramAccess {
    search: ProgramSearch,
    sandbox: ProgramSandbox,
}

/// The settings for the files of a folder.
struct ServedFolder {
    settings: ServerPreferences,
    in_project: bool,
    /// Variables that its servers do not get. Apart from these, all servers start with the same environment.
    withheld: Vec<OsString>,
    search: ProgramSearch,
    sandbox: ProgramSandbox,
    /// Folders inside of it that the user does not trust.
    refused: Vec<PathBuf>,
}

/// The sessions' folders by real path.
#[derive(Default)]
struct ServedFolders {
    known: Mutex<BTreeMap<PathBuf, Arc<ServedFolder>>>,
}

impl ServedFolders {
    /// Replaces the settings of a folder. True if they differ from earlier ones.
    fn put(&self, root: PathBuf, folder: ServedFolder) -> bool {
        let mut known = self.lock();
        if known.len() >= MAX_FOLDERS && !known.contains_key(&root) {
            known.pop_first();
        }
        let folder = Arc::new(folder);
        let before = known.insert(root, Arc::clone(&folder));
        before.is_some_and(|before| {
            let parts = |folder: &ServedFolder| {
                let ServedFolder { settings, in_project, withheld, sandbox, refused, .. } = folder;
                (settings.clone(), *in_project, withheld.clone(), sandbox.clone(), refused.clone())
            };
            parts(&before) != parts(&folder)
        })
    }

    /// The folder's sandbox if it is the same, which knows the folder already.
    fn known_sandbox(&self, root: &Path, new: ProgramSandbox) -> ProgramSandbox {
        let known = self.lock().get(root).map(|folder| folder.sandbox.clone());
        known.filter(|known| *known == new).unwrap_or(new)
    }

    /// The innermost folder that contains a file.
    fn folder_of(&self, path: &Path) -> Option<(PathBuf, Arc<ServedFolder>)> {
        let known = self.lock();
        let innermost = path.ancestors().find_map(|folder| known.get_key_value(folder));
        innermost.map(|(root, folder)| (root.clone(), Arc::clone(folder)))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<ServedFolder>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServerChooser for ServedFolders {
    fn servers_for(&self, path: &Path, first_line: &str) -> Vec<SelectedServer> {
        let Some((root, folder)) = self.folder_of(path) else { return Vec::new() };
        if folder.refused.iter().any(|refused| path.starts_with(refused)) {
            return Vec::new();
        }
        let mut chosen =
            servers_for(&folder.search, &folder.settings, ServedFile { path, first_line, root: &root });
        for server in &mut chosen {
            server.sandbox = folder.sandbox.clone();
            let without = folder.withheld.iter().map(|name| (name.clone(), None));
            // The user's variables come later and win.
            server.environment = without.chain(std::mem::take(&mut server.environment)).collect();
        }
        chosen
    }
}

/// The texts of all sessions' files. It reads nothing outside of their folders.
struct HostTexts {
    buffers: Buffers,
    indexes: TextIndexes,
    folders: Arc<ServedFolders>,
}

impl DocumentProvider for HostTexts {
    fn document(&self, path: &Path) -> Option<CheckedDocument> {
        // An open buffer need not exist on the disk: its key is the path that it would have there.
        let is_open = || self.buffers.find(path, None).is_some();
        let real = path.canonicalize().ok().or_else(|| is_open().then(|| path.to_owned()))?;
        self.folders.folder_of(&real)?;
        read_document(&self.buffers, None, real)
    }

    fn differs_from_disk(&self, path: &Path) -> bool {
        self.buffers.differs_from_disk(None, path)
    }

    fn open_paths(&self) -> BTreeSet<PathBuf> {
        self.buffers.documents(None).into_keys().collect()
    }

    fn search_view(&self) -> SearchView {
        SearchView::new(self.buffers.documents(None), self.indexes.clone())
    }
}
