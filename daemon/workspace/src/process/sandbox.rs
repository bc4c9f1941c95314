//! The sandbox for commands: what a command may read, write and reach, whatever it runs.
//!
//! On Linux it is bubblewrap with a filter of system calls. The workspace and a private `/tmp` are writable; what git, editors and other
//! agents would run later is not; the rest is readable; the home's secrets and this machine's sockets are hidden; there is no network. The
//! profile is gathered for each command from the disk as it is then.
//!
//! Invariant: a command that was to be sandboxed never runs without the sandbox: if it cannot be set up, the command does not begin.
//! Invariant: a workspace that contains the home is not sandboxed, because the secrets lie in it.
//!
//! Limits: a hard link into the workspace, and a protected file that somebody replaces while a command runs, are not protected. Reading is
//! open but for what is hidden.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fmt::Debug,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

pub use self::{denial::SandboxDenial, error::SandboxError};
use self::{
    denial::guess_denial, folder_memory::FolderMemory, placeholders::PlaceholderLease,
    repositories::RepositorySearch,
};
use crate::process::{ProcessExit, Processes};

mod bubblewrap;
mod build_caches;
mod denial;
mod error;
#[cfg(test)]
mod escape_tests;
mod folder_memory;
mod host_sockets;
mod placeholders;
mod policy;
mod probe;
mod profile;
mod protected_paths;
mod repositories;
#[cfg(target_os = "linux")]
mod seccomp;
mod secret_paths;

/// A mount takes time, and a kernel has a limit of them.
const MAX_ENTRIES: usize = 2000;
/// A program's arguments and environment may have two megabytes together.
const MAX_ARGUMENT_BYTES: usize = 1024 * 1024;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxMode {
    #[default]
    Off,
    /// Where it works.
    Auto,
    /// No command runs outside.
    Require,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxSettings {
    pub mode: SandboxMode,
    /// Writable folders besides the workspace.
    pub write: Vec<PathBuf>,
    /// Hidden paths besides the known secrets.
    pub hide: Vec<PathBuf>,
    pub has_network: bool,
    /// Without network: the hosts that a command reaches all the same, by HTTP and HTTPS.
    pub hosts: Vec<String>,
}

/// How a command reaches listed hosts: a program listens inside, passes what it gets to a proxy outside, and runs the command.
#[derive(Debug)]
pub struct HostBridge {
    pub program: PathBuf,
    /// The proxy's socket.
    pub socket: PathBuf,
    /// It serves as long as the command runs.
    pub proxy: Arc<dyn Debug + Send + Sync>,
}

/// The program's subcommand; its arguments are the socket and the command.
pub const BRIDGE_COMMAND: &str = "sandbox-bridge";
/// Where it listens inside. The network there is the command's own.
pub const BRIDGE_PORT: u16 = 3128;
/// Where the socket is inside.
pub(crate) const BRIDGE_SOCKET: &str = "/tmp/.copydesk-proxy";

/// Where things are on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxPlaces {
    pub home: PathBuf,
    /// `XDG_RUNTIME_DIR`: full of sockets.
    pub runtime_folder: Option<PathBuf>,
    /// Copydesk's own folders: keys, sessions.
    pub private: Vec<PathBuf>,
    /// What a command may read although it lies in a private folder.
    pub readable: Vec<PathBuf>,
    /// `PATH`, to find bubblewrap.
    pub search_path: OsString,
    /// Where commands keep caches of their own, a folder for each workspace.
    pub caches: Option<PathBuf>,
    /// The program with [`BRIDGE_COMMAND`].
    pub bridge_program: Option<PathBuf>,
}

/// The sandbox of a session's commands.
#[derive(Debug, Clone, Default)]
pub struct CommandSandbox {
    settings: SandboxSettings,
    places: SandboxPlaces,
    /// The bubblewrap that was tried and works.
    program: Arc<Mutex<Option<PathBuf>>>,
    folders: SharedFolderMemory,
    /// Why it does not work here, as it was said last.
    said: Arc<Mutex<Option<SandboxError>>>,
}

type SharedFolderMemory = Arc<Mutex<FolderMemory>>;

impl CommandSandbox {
    pub fn new(settings: SandboxSettings, places: SandboxPlaces) -> Self {
        Self { settings, places, ..Self::default() }
    }

    pub fn mode(&self) -> SandboxMode {
        self.settings.mode
    }

    pub fn has_network(&self) -> bool {
        self.settings.has_network
    }

    /// Hosts that commands reach by a proxy, and the program for that.
    pub fn listed_hosts(&self) -> Option<(&[String], &Path)> {
        let hosts = &*self.settings.hosts;
        let program = self.places.bridge_program.as_deref()?;
        (!self.settings.has_network && !hosts.is_empty()).then_some((hosts, program))
    }

    /// What a command in it may change and reach, for the user.
    pub fn describe(&self) -> String {
        let own = self.settings.write.iter().map(|path| path.display().to_string());
        let writable: Vec<_> =
            ["the workspace".to_owned(), "a /tmp of its own".to_owned()].into_iter().chain(own).collect();
        let network = match self.listed_hosts() {
            _ if self.settings.has_network => "with network".to_owned(),
            None => "no network".to_owned(),
            Some((hosts, _)) => format!("network: only {}", hosts.join(", ")),
        };
        format!("writable: {}; {network}", writable.join(", "))
    }

    /// Whether commands can run in it here. A success is remembered; a failure is tried again, because the user may have repaired it.
    pub async fn check(&self, workspace: &Path, processes: &Processes) -> Result<PathBuf, SandboxError> {
        if !cfg!(target_os = "linux") {
            return Err(SandboxError::System);
        }
        let real = profile::real_workspace(workspace, &self.places.home)?;
        let known = lock(&self.program).clone();
        if let Some(program) = known.filter(|program| program.exists()) {
            return Ok(program);
        }
        let program =
            probe::find_bubblewrap(&self.places.search_path, &real).ok_or(SandboxError::NoBubblewrap)?;
        probe::try_bubblewrap(&program, processes).await?;
        *lock(&self.program) = Some(program.clone());
        Ok(program)
    }

    /// Whether this session has not said yet that the sandbox does not work for this reason. It counts as said from now on.
    pub fn is_news(&self, error: &SandboxError) -> bool {
        let mut said = lock(&self.said);
        if said.as_ref() == Some(error) {
            return false;
        }
        *said = Some(error.clone());
        true
    }

    /// Gathers the profile of one command.
    pub async fn prepare(
        &self,
        workspace: &Path,
        working_folder: &Path,
        processes: &Processes,
        bridge: Option<HostBridge>,
    ) -> Result<SandboxedLaunch, SandboxError> {
        let program = self.check(workspace, processes).await?;
        let (settings, places) = (self.settings.clone(), self.places.clone());
        let (root, folder) = (workspace.to_path_buf(), working_folder.to_path_buf());
        let folders = Arc::clone(&self.folders);
        let gather = move || -> Result<SandboxedLaunch, SandboxError> {
            let root = profile::real_workspace(&root, &places.home)?;
            let mut built = profile::build(&settings, &places, &root, &mut lock(&folders))?;
            // Without it, a command builds more than it need.
            let caches = places.caches.as_deref().and_then(|all| build_caches::folder_for(all, &root).ok());
            let caches = caches.and_then(|folder| folder.canonicalize().ok());
            if let Some(folder) = &caches {
                built.policy.set(folder, policy::PathAccess::Writable);
            }
            if let Some(HostBridge { program, .. }) = &bridge {
                built.policy.set(program, policy::PathAccess::ReadOnly);
            }
            let socket = bridge.as_ref().map(|bridge| bridge.socket.as_path());
            let arguments = bubblewrap::arguments(&built.policy, &folder, socket);
            if arguments.iter().map(|word| word.len() + 1).sum::<usize>() > MAX_ARGUMENT_BYTES {
                return Err(SandboxError::TooLong);
            }
            Ok(SandboxedLaunch {
                program,
                arguments,
                workspace: root,
                folders,
                before: built.repositories,
                has_network: settings.has_network,
                bridge,
                caches,
                mode: settings.mode,
                _placeholders: built.placeholders,
            })
        };
        let gone =
            |_| SandboxError::Path { path: workspace.to_path_buf(), why: "the daemon is ending".to_owned() };
        tokio::task::spawn_blocking(gather).await.map_err(gone)?
    }
}

/// One command's way into the sandbox. It must live as long as the command.
#[derive(Debug)]
pub struct SandboxedLaunch {
    program: PathBuf,
    arguments: Vec<OsString>,
    workspace: PathBuf,
    folders: SharedFolderMemory,
    before: RepositorySearch,
    has_network: bool,
    bridge: Option<HostBridge>,
    caches: Option<PathBuf>,
    mode: SandboxMode,
    _placeholders: PlaceholderLease,
}

/// What is to be told of a command that has ended in the sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxFindings {
    /// What was probably stopped.
    pub denial: Option<SandboxDenial>,
    pub planted: PlantedRepositories,
    /// No command runs outside.
    pub is_required: bool,
}

/// What a command made although it may not be trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlantedRepositories {
    /// New repositories: git runs what their configuration names as soon as someone uses it in them.
    pub repositories: Vec<PathBuf>,
    /// Files that led git to another configuration; they were removed.
    pub removed: Vec<PathBuf>,
}

impl SandboxedLaunch {
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// The filter of system calls.
    #[cfg(target_os = "linux")]
    pub(crate) fn filter(&self) -> Vec<u8> {
        seccomp::filter()
    }

    pub(crate) fn withholds(&self, variable: &OsStr) -> bool {
        variable.to_str().is_some_and(secret_paths::is_withheld)
    }

    /// Caches that programs need to write to, in the private folder; and the way to the proxy.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let own = [("TMPDIR", "/tmp"), ("TEMP", "/tmp")];
        let mut variables: Vec<_> = own.map(|(name, value)| (name, OsString::from(value))).into();
        // Go builds its whole library without it.
        let caches = self.caches.as_deref().unwrap_or(Path::new("/tmp"));
        variables.push(("GOCACHE", caches.join("go-build").into()));
        if self.bridge.is_some() {
            let proxy = format!("http://127.0.0.1:{BRIDGE_PORT}");
            let names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
            variables.extend(names.map(|name| (name, proxy.clone().into())));
            variables.extend(["NO_PROXY", "no_proxy"].map(|name| (name, "localhost,127.0.0.1,::1".into())));
        }
        variables
    }

    pub(crate) fn bridge_program(&self) -> Option<&Path> {
        self.bridge.as_ref().map(|bridge| bridge.program.as_path())
    }

    /// What the end of a command shows. A `commondir` that it put into a git folder is removed.
    pub async fn examine(self: Arc<Self>, exit: ProcessExit, output: &str) -> SandboxFindings {
        let has_failed = matches!(exit, ProcessExit::Code(code) if code != 0);
        let denial = has_failed.then(|| guess_denial(output, self.has_network)).flatten();
        let denial = match denial {
            Some(SandboxDenial::Network) if self.bridge.is_some() => Some(SandboxDenial::Hosts),
            other => other,
        };
        let is_required = self.mode == SandboxMode::Require;
        let planted = tokio::task::spawn_blocking(move || self.compare()).await.unwrap_or_default();
        SandboxFindings { denial, planted, is_required }
    }

    /// Compares the workspace with how it was before the command.
    fn compare(&self) -> PlantedRepositories {
        let mut now = RepositorySearch::run(&self.workspace, &mut lock(&self.folders));
        let outer = self.before.git_folders.iter().filter(|folder| !folder.starts_with(&self.workspace));
        outer.for_each(|folder| now.add_git_folder(folder.clone()));
        let new = |now: &BTreeSet<PathBuf>, before: &BTreeSet<PathBuf>| {
            now.difference(before).cloned().collect::<Vec<_>>()
        };
        let redirects = new(&now.redirected, &self.before.redirected);
        let known = redirects.into_iter().filter(|folder| self.before.git_folders.contains(folder));
        let removed =
            known.map(|folder| folder.join("commondir")).filter(|path| fs::remove_file(path).is_ok());
        PlantedRepositories {
            removed: removed.collect(),
            repositories: new(&now.repositories, &self.before.repositories),
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
