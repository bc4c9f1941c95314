//! The sandbox for commands, and for the programs that Copydesk starts for a project ([`ProgramSandbox`]): what they may read, write and reach,
//! whatever they run.
//!
//! On Linux it is bubblewrap with a filter of system calls. The workspace and a private `/tmp` are writable; what git, editors and other
//! agents would run later is not; the rest is readable; the home's secrets and this machine's sockets are hidden; there is no network. The
//! profile is gathered for each command from the disk as it is then. [`SandboxPurpose`] says in what the profiles differ.
//!
//! Invariant: a command that was to be sandboxed never runs without the sandbox: if it cannot be set up, the command does not begin.
//! Invariant: a workspace that contains the home is not sandboxed, because the secrets lie in it.
//!
//! Limits: a hard link into the workspace, and a protected file that somebody replaces while a command runs, are not protected. Reading is
//! open but for what is hidden. On macOS it is Seatbelt with the same policy (`seatbelt`), untried.

use std::{
    ffi::OsString,
    fmt::Debug,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use self::folder_memory::FolderMemory;
pub use self::{
    denial::SandboxDenial,
    error::SandboxError,
    launch::{PlantedRepositories, SandboxFindings, SandboxedLaunch},
    program_sandbox::{ProgramPlacement, ProgramSandbox},
};
use crate::process::Processes;

mod bubblewrap;
mod build_caches;
mod denial;
mod error;
#[cfg(test)]
mod escape_tests;
mod folder_memory;
mod host_sockets;
mod launch;
mod placeholders;
mod policy;
mod probe;
mod profile;
mod program_sandbox;
mod protected_paths;
mod repositories;
mod seatbelt;
#[cfg(target_os = "linux")]
mod seccomp;
mod secret_paths;
mod server_places;

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
    /// Language servers, checkers and formatters run outside of it.
    pub commands_only: bool,
}

/// What runs in the sandbox. It decides what of the workspace may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxPurpose {
    /// A command of the model: git works in it.
    Command,
    /// A checker or a formatter: it changes nothing in git's folders.
    Checker,
    /// A language server, for hours: it also makes nothing new in the workspace's own folder, so that nothing must stand in place of missing
    /// protected paths; and it opens no socket with a path.
    Server,
}

/// Starts a proxy to listed hosts for each command.
pub trait HostBridgeSource: Debug + Send + Sync {
    /// `program` has [`BRIDGE_COMMAND`].
    fn bridge(&self, hosts: &[String], program: &Path) -> io::Result<HostBridge>;
}

/// How a command reaches listed hosts: a program listens inside, passes what it gets to a proxy outside, and runs the command.
#[derive(Debug)]
pub struct HostBridge {
    pub program: PathBuf,
    /// The proxy's socket.
    pub socket: PathBuf,
    /// Hosts that are reached by the proxy.
    pub hosts: Vec<String>,
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

/// The sandbox of a session's commands. Two are equal if they allow the same.
#[derive(Debug, Clone, Default)]
pub struct CommandSandbox {
    settings: SandboxSettings,
    places: SandboxPlaces,
    bridges: Option<Arc<dyn HostBridgeSource>>,
    folders: SharedFolderMemory,
    /// Why it does not work here, as it was said last.
    said: Arc<Mutex<Option<SandboxError>>>,
}

type SharedFolderMemory = Arc<Mutex<FolderMemory>>;

impl PartialEq for CommandSandbox {
    fn eq(&self, other: &Self) -> bool {
        (&self.settings, &self.places) == (&other.settings, &other.places)
    }
}

impl Eq for CommandSandbox {}

impl CommandSandbox {
    pub fn new(settings: SandboxSettings, places: SandboxPlaces) -> Self {
        Self { settings, places, ..Self::default() }
    }

    /// The same, where commands reach the listed hosts.
    #[must_use]
    pub fn with_bridges(self, bridges: Arc<dyn HostBridgeSource>) -> Self {
        Self { bridges: Some(bridges), ..self }
    }

    pub fn mode(&self) -> SandboxMode {
        self.settings.mode
    }

    /// Language servers, checkers and formatters run outside.
    pub fn is_for_commands_only(&self) -> bool {
        self.settings.commands_only
    }

    pub fn has_network(&self) -> bool {
        self.settings.has_network
    }

    /// Hosts that commands reach by a proxy, and the program for that.
    pub fn listed_hosts(&self) -> Option<(&[String], &Path)> {
        let hosts = &*self.settings.hosts;
        // Elsewhere a program inside could not be told from one outside.
        let program = self.places.bridge_program.as_deref().filter(|_| cfg!(target_os = "linux"))?;
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

    /// Whether commands can run in it here. A success is remembered for all workspaces; a failure is tried again, because the user may have
    /// repaired it.
    pub async fn check(&self, workspace: &Path, processes: &Processes) -> Result<PathBuf, SandboxError> {
        let real = profile::real_workspace(workspace, &self.places.home)?;
        if let Some(program) = probe::working_program(&real) {
            return Ok(program);
        }
        let program = probe::find_program(&self.places.search_path, &real)?;
        probe::try_program(&program, processes).await?;
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

    fn bridge(&self) -> Result<Option<HostBridge>, SandboxError> {
        let (Some((hosts, program)), Some(bridges)) = (self.listed_hosts(), &self.bridges) else {
            return Ok(None);
        };
        bridges.bridge(hosts, program).map(Some).map_err(|error| SandboxError::Proxy(error.to_string()))
    }

    /// Gathers the profile of one command or program.
    pub async fn prepare(
        &self,
        workspace: &Path,
        working_folder: &Path,
        processes: &Processes,
        purpose: SandboxPurpose,
    ) -> Result<SandboxedLaunch, SandboxError> {
        let program = self.check(workspace, processes).await?;
        let bridge = self.bridge()?;
        let (settings, places) = (self.settings.clone(), self.places.clone());
        let (root, folder) = (workspace.to_path_buf(), working_folder.to_path_buf());
        let folders = Arc::clone(&self.folders);
        let gather = move || -> Result<SandboxedLaunch, SandboxError> {
            let root = profile::real_workspace(&root, &places.home)?;
            let mut built = profile::build(&settings, &places, &root, &mut lock(&folders), purpose)?;
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
            let arguments = program_arguments(&built.policy, &folder, socket)?;
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
                purpose,
                mounted: built.mounted,
                _placeholders: built.placeholders,
            })
        };
        let gone =
            |_| SandboxError::Path { path: workspace.to_path_buf(), why: "the daemon is ending".to_owned() };
        tokio::task::spawn_blocking(gather).await.map_err(gone)?
    }
}

/// What the program that sandboxes is told on this system.
fn program_arguments(
    policy: &policy::SandboxPolicy,
    folder: &Path,
    proxy: Option<&Path>,
) -> Result<Vec<OsString>, SandboxError> {
    if cfg!(target_os = "macos") {
        seatbelt::arguments(policy)
    } else {
        Ok(bubblewrap::arguments(policy, folder, proxy))
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
