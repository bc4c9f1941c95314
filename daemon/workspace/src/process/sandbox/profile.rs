//! Gathers the policy of one command or program from the disk as it is now.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    MAX_ENTRIES, SandboxError, SandboxPlaces, SandboxPurpose, SandboxSettings,
    folder_memory::FolderMemory,
    host_sockets,
    placeholders::PlaceholderLease,
    policy::{PathAccess, SandboxPolicy},
    protected_paths::{BESIDE_GIT, IN_GIT_FOLDER, IN_WORKSPACE},
    repositories::{RepositorySearch, named_by_configuration, outer_git_folders},
    secret_paths::{SECRETS_OF_HOME, fits},
    server_places::{self, MountedPlaces},
};

/// Each command has these for itself.
const PRIVATE_FOLDERS: [&str; 3] = ["/tmp", "/var/tmp", "/run"];
/// Programs and the addresses of name servers lie there on some systems.
const READABLE_BELOW_RUN: [&str; 2] = ["/run/current-system", "/run/opengl-driver"];
const NAME_SERVERS: &str = "/run/systemd/resolve";
/// The kernel lets root write there without any capability, and bubblewrap does not notice. Others can write only settings of namespaces that
/// end with the command.
const WRITABLE_FOR_ROOT: [&str; 4] = ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs"];

/// The policy of a command, and what must stay while it runs.
#[derive(Debug)]
pub(super) struct SandboxProfile {
    pub(super) policy: SandboxPolicy,
    pub(super) placeholders: PlaceholderLease,
    pub(super) repositories: RepositorySearch,
    pub(super) mounted: MountedPlaces,
}

/// The real path of a workspace that can be sandboxed.
pub(super) fn real_workspace(workspace: &Path, home: &Path) -> Result<PathBuf, SandboxError> {
    let real = canonicalize(workspace)?;
    let home = home.canonicalize().unwrap_or_else(|_| home.to_path_buf());
    if home.starts_with(&real) { Err(SandboxError::WholeHome(real)) } else { Ok(real) }
}

pub(super) fn build(
    settings: &SandboxSettings,
    places: &SandboxPlaces,
    workspace: &Path,
    memory: &mut FolderMemory,
    purpose: SandboxPurpose,
) -> Result<SandboxProfile, SandboxError> {
    let workspace = real_workspace(workspace, &places.home)?;
    let mut policy = SandboxPolicy::new(settings.has_network);
    for folder in PRIVATE_FOLDERS.iter().map(Path::new).chain(places.runtime_folder.as_deref()) {
        // A link leads to a folder that has its own entry, or is readable only.
        if folder.symlink_metadata().is_ok_and(|found| found.is_dir()) && !policy.is_covered(folder) {
            policy.set(folder, PathAccess::PrivateFolder);
        }
    }
    let readable = READABLE_BELOW_RUN.iter().chain(settings.has_network.then_some(&NAME_SERVERS));
    let kernel = WRITABLE_FOR_ROOT.iter().filter(|_| rustix::process::geteuid().is_root());
    for folder in readable.chain(kernel).map(Path::new).filter(|folder| folder.exists()) {
        policy.set(folder, PathAccess::ReadOnly);
    }
    let secrets = secrets_of(&places.home).into_iter().chain(places.private.iter().cloned());
    secrets.for_each(|path| hide(&mut policy, &path));
    for path in &places.readable {
        if let Ok(real) = path.canonicalize() {
            policy.set(real, PathAccess::ReadOnly);
        }
    }
    let home = places.home.canonicalize().unwrap_or_else(|_| places.home.clone());
    for path in &settings.write {
        // A folder around the home would open what is hidden in it to replacement.
        if let Ok(real) = path.canonicalize()
            && !home.starts_with(&real)
        {
            policy.set(real, PathAccess::Writable);
        }
    }
    policy.set(&workspace, PathAccess::Writable);
    let mut repositories = RepositorySearch::run(&workspace, memory);
    let mut mounted = MountedPlaces::default();
    match purpose {
        SandboxPurpose::Command => {
            for folder in outer_git_folders(&workspace) {
                policy.set(&folder, PathAccess::Writable);
                repositories.add_git_folder(folder);
            }
        }
        SandboxPurpose::Checker => {}
        SandboxPurpose::Server => {
            mounted =
                server_places::open(&mut policy, &workspace).map_err(|error| problem(&workspace, &error))?;
        }
    }
    let mut placeholders = PlaceholderLease::default();
    protect_all(&mut policy, &mut placeholders, (&workspace, purpose), &repositories)?;
    settings.hide.iter().for_each(|path| hide(&mut policy, path));
    for socket in host_sockets::find() {
        if !policy.is_covered(&socket) {
            hide(&mut policy, &socket);
        }
    }
    match policy.entries().len() {
        count if count > MAX_ENTRIES => Err(SandboxError::TooMany(count)),
        _ => Ok(SandboxProfile { policy, placeholders, repositories, mounted }),
    }
}

fn protect_all(
    policy: &mut SandboxPolicy,
    placeholders: &mut PlaceholderLease,
    (workspace, purpose): (&Path, SandboxPurpose),
    repositories: &RepositorySearch,
) -> Result<(), SandboxError> {
    // A server makes nothing there.
    for name in IN_WORKSPACE.iter().filter(|_| purpose != SandboxPurpose::Server) {
        protect(policy, placeholders, &workspace.join(name), true)?;
    }
    for repository in &repositories.repositories {
        for path in BESIDE_GIT.iter().map(|name| repository.join(name)) {
            protect(policy, placeholders, &path, false)?;
        }
        let dot_git = repository.join(".git");
        if dot_git.is_file() {
            protect(policy, placeholders, &dot_git, false)?;
        }
    }
    for folder in &repositories.git_folders {
        if purpose != SandboxPurpose::Command && folder != workspace {
            policy.protect(folder);
        } else {
            for path in IN_GIT_FOLDER.iter().map(|name| folder.join(name)) {
                let has_parent = path.parent().is_some_and(Path::is_dir);
                protect(policy, placeholders, &path, has_parent && purpose != SandboxPurpose::Server)?;
            }
        }
        for path in named_by_configuration(folder).iter().filter(|path| !workspace.starts_with(path)) {
            protect(policy, placeholders, path, false)?;
        }
    }
    Ok(())
}

/// Makes a path read-only. A missing one gets a placeholder if `is_required`.
fn protect(
    policy: &mut SandboxPolicy,
    placeholders: &mut PlaceholderLease,
    path: &Path,
    is_required: bool,
) -> Result<(), SandboxError> {
    match path.symlink_metadata() {
        // What the link leads to is readable only, or lies in the workspace like any other file; the link itself cannot be a mount
        // point. The user put it there.
        Ok(found) if found.is_symlink() => return Ok(()),
        Ok(_) => {}
        Err(_) if !is_required => return Ok(()),
        Err(_) => {}
    }
    if is_required && !path.is_file() {
        match placeholders.ensure(path) {
            Ok(true) => {
                policy.bar(path);
                return Ok(());
            }
            Ok(false) => {}
            // Neither can the command.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                return Ok(());
            }
            Err(error) => return Err(problem(path, &error)),
        }
    }
    policy.protect(path);
    Ok(())
}

fn hide(policy: &mut SandboxPolicy, path: &Path) {
    let Ok(real) = path.canonicalize() else { return };
    let access = if real.is_dir() { PathAccess::HiddenFolder } else { PathAccess::HiddenFile };
    policy.set(real, access);
}

fn secrets_of(home: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for pattern in SECRETS_OF_HOME {
        let path = home.join(pattern);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
        else {
            continue;
        };
        if !name.ends_with('*') {
            paths.push(path);
            continue;
        }
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let fitting =
            entries.filter(|entry| entry.file_name().to_str().is_some_and(|found| fits(name, found)));
        paths.extend(fitting.map(|entry| entry.path()));
    }
    paths
}

fn canonicalize(path: &Path) -> Result<PathBuf, SandboxError> {
    path.canonicalize().map_err(|error| problem(path, &error))
}

fn problem(path: &Path, error: &io::Error) -> SandboxError {
    SandboxError::Path { path: path.to_path_buf(), why: error.to_string() }
}
