//! One command's or program's way into the sandbox: bubblewrap's arguments, the filter, the environment; and what its end shows.

use std::{
    collections::BTreeSet,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

#[cfg(target_os = "linux")]
use super::seccomp::{self, SocketAccess};
use super::{
    BRIDGE_PORT, HostBridge, SandboxDenial, SandboxMode, SandboxPurpose, SharedFolderMemory,
    denial::guess_denial, lock, placeholders::PlaceholderLease, repositories::RepositorySearch, secret_paths,
    server_places::MountedPlaces,
};
use crate::process::ProcessExit;

/// Programs that fail or build everything again without a cache of their own, and where they look for it.
const CACHES: [(&str, &str); 4] = [
    ("GOCACHE", "go-build"),
    ("GOPLSCACHE", "gopls"),
    ("STATICCHECK_CACHE", "staticcheck"),
    ("GOLANGCI_LINT_CACHE", "golangci-lint"),
];

/// Names of the machine itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Whether a host is listed, with a port or without.
fn is_listed(hosts: &[String], name: &str) -> bool {
    hosts.iter().any(|host| {
        let host = host.trim().trim_start_matches('[');
        let rest = host
            .get(..name.len())
            .filter(|start| start.eq_ignore_ascii_case(name))
            .and(host.get(name.len()..));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ']']))
    })
}

/// One command's way into the sandbox. It must live as long as the command.
#[derive(Debug)]
pub struct SandboxedLaunch {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    pub(super) workspace: PathBuf,
    pub(super) folders: SharedFolderMemory,
    pub(super) before: RepositorySearch,
    pub(super) has_network: bool,
    pub(super) bridge: Option<HostBridge>,
    pub(super) caches: Option<PathBuf>,
    pub(super) mode: SandboxMode,
    pub(super) purpose: SandboxPurpose,
    pub(super) mounted: MountedPlaces,
    pub(super) _placeholders: PlaceholderLease,
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
    /// Without a workspace.
    pub(super) fn bare(program: PathBuf, arguments: Vec<OsString>, purpose: SandboxPurpose) -> Self {
        Self {
            program,
            arguments,
            workspace: PathBuf::from("/"),
            folders: SharedFolderMemory::default(),
            before: RepositorySearch::default(),
            has_network: false,
            bridge: None,
            caches: None,
            mode: SandboxMode::Auto,
            purpose,
            mounted: MountedPlaces::default(),
            _placeholders: PlaceholderLease::default(),
        }
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// The filter of system calls, on Linux.
    #[cfg(target_os = "linux")]
    pub(crate) fn filter(&self) -> Option<Vec<u8>> {
        // Sockets that other programs make in the home while a server runs are not hidden from it. The bridge needs one.
        let is_closed = self.purpose == SandboxPurpose::Server && self.bridge.is_none();
        Some(seccomp::filter(if is_closed { SocketAccess::Network } else { SocketAccess::Paths }))
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn filter(&self) -> Option<Vec<u8>> {
        None
    }

    /// Whether everything in it ends with its leader.
    pub(crate) fn has_own_processes(&self) -> bool {
        cfg!(target_os = "linux")
    }

    /// A folder or file that it may change was replaced, and the new one is read-only in it: it must start again.
    pub fn is_stale(&self) -> bool {
        self.mounted.are_replaced()
    }

    pub(crate) fn withholds(&self, variable: &OsStr) -> bool {
        variable.to_str().is_some_and(secret_paths::is_withheld)
    }

    /// Caches that programs need to write to, in the private folder; and the way to the proxy.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let caches = self.caches.as_deref().unwrap_or(Path::new("/tmp"));
        // Without namespaces nothing has a /tmp of its own.
        let temporary = if self.has_own_processes() { Path::new("/tmp") } else { caches };
        let mut variables: Vec<_> = ["TMPDIR", "TEMP"].map(|name| (name, temporary.into())).into();
        variables.extend(CACHES.map(|(name, folder)| (name, caches.join(folder).into())));
        if let Some(HostBridge { hosts, .. }) = &self.bridge {
            let proxy = format!("http://127.0.0.1:{BRIDGE_PORT}");
            let names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
            variables.extend(names.map(|name| (name, proxy.clone().into())));
            // A listed one is this machine's, the others are the command's own.
            let own: Vec<_> = LOOPBACK.into_iter().filter(|name| !is_listed(hosts, name)).collect();
            let own = OsString::from(own.join(","));
            variables.extend(["NO_PROXY", "no_proxy"].map(|name| (name, own.clone())));
        }
        variables
    }

    pub(crate) fn bridge_program(&self) -> Option<&Path> {
        self.bridge.as_ref().map(|bridge| bridge.program.as_path())
    }

    /// What the end of a command shows. A `commondir` that it put into a git folder is removed.
    pub async fn examine(self: Arc<Self>, exit: ProcessExit, output: &str) -> SandboxFindings {
        let denial = self.guess_denial(exit, output);
        let is_required = self.mode == SandboxMode::Require;
        let planted = tokio::task::spawn_blocking(move || self.compare()).await.unwrap_or_default();
        SandboxFindings { denial, planted, is_required }
    }

    /// What it probably stopped.
    pub(crate) fn guess_denial(&self, exit: ProcessExit, output: &str) -> Option<SandboxDenial> {
        let has_failed = matches!(exit, ProcessExit::Code(code) if code != 0);
        let denial = has_failed.then(|| guess_denial(output, self.has_network)).flatten();
        match denial {
            Some(SandboxDenial::Network) if self.bridge.is_some() => Some(SandboxDenial::Hosts),
            other => other,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_host_is_known_with_its_port_and_without() {
        let hosts = ["LOCALHOST:8080", "[::1]:80", "127.0.0.10"].map(str::to_owned);
        let listed: Vec<_> = LOOPBACK.into_iter().filter(|name| is_listed(&hosts, name)).collect();
        assert_eq!(listed, ["localhost", "::1"]);
    }
}
