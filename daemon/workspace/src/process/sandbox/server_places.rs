//! What a language server may change in the workspace: everything in the folders that are there, but it makes nothing new beside them.
//!
//! A server runs for hours. Nothing may stand in place of missing protected paths for so long, so the workspace's own folder is read-only in
//! it, and what lies in that is mounted over. What servers must be able to make there (a build folder, a lock file) is made before.
//!
//! Limit: what is replaced while the server runs is read-only in it from then on ([`MountedPlaces::are_replaced`]).

use std::{
    ffi::OsStr,
    fs::{self, DirBuilder, File, Metadata},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::{
    policy::{PathAccess, SandboxPolicy},
    protected_paths::IN_WORKSPACE,
};

/// The folders that the tools of a project build in, by a file in the workspace's own folder.
const BUILD_FOLDERS: &[(&str, &[&str])] = &[
    ("Cargo.toml", &["target"]),
    ("Package.swift", &[".build"]),
    ("build.gradle", &[".gradle", "build"]),
    ("build.gradle.kts", &[".gradle", "build"]),
    ("build.sbt", &["target", ".bloop", ".metals"]),
    ("build.zig", &[".zig-cache"]),
    ("cabal.project", &["dist-newstyle"]),
    ("compile_commands.json", &[".cache"]),
    ("compile_flags.txt", &[".cache"]),
    ("dune-project", &["_build"]),
    ("mix.exs", &["_build"]),
    ("pom.xml", &["target"]),
    ("pubspec.yaml", &[".dart_tool"]),
    ("stack.yaml", &[".stack-work"]),
];

/// Files that the tools of a project write in place.
const LOCK_FILES: &[&str] = &["Cargo.lock", "go.sum", "go.work.sum", "mix.lock", "pubspec.lock"];

/// Where a server builds, as it was when the server started. Dropping it removes what was made for the server and is still empty.
#[derive(Debug, Default)]
pub(super) struct MountedPlaces {
    places: Vec<(PathBuf, (u64, u64))>,
    made: Vec<PathBuf>,
}

impl MountedPlaces {
    /// Whether something else lies at one of the places now.
    pub(super) fn are_replaced(&self) -> bool {
        let is_replaced = |(path, before): &(PathBuf, (u64, u64))| {
            !path.symlink_metadata().is_ok_and(|now| identity(&now) == *before)
        };
        self.places.iter().any(is_replaced)
    }

    /// Makes the build folders and the lock file of the project unless they are there. A server whose folder cannot be made builds nothing.
    fn make(workspace: &Path) -> Self {
        let is_there = |name: &str| workspace.join(name).is_file();
        let fitting = BUILD_FOLDERS.iter().filter(|(marker, _)| is_there(marker));
        let folders = fitting.flat_map(|(_, names)| *names).map(|name| workspace.join(name));
        let mut made: Vec<_> = folders.filter(|folder| DirBuilder::new().create(folder).is_ok()).collect();
        // A crate below another one has its lock file there.
        let mut above = workspace.ancestors().skip(1);
        let lock = workspace.join("Cargo.lock");
        if is_there("Cargo.toml") && !above.any(|folder| folder.join("Cargo.toml").is_file()) {
            made.extend(File::create_new(&lock).is_ok().then_some(lock));
        }
        Self { places: Vec::new(), made }
    }
}

impl Drop for MountedPlaces {
    fn drop(&mut self) {
        for path in &self.made {
            // What has content is the project's now.
            if path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() == 0) {
                let _ = fs::remove_file(path);
            }
            let _ = fs::remove_dir(path);
        }
    }
}

/// Sets what the server may change in the workspace. Git folders are protected later.
pub(super) fn open(policy: &mut SandboxPolicy, workspace: &Path) -> io::Result<MountedPlaces> {
    let mut mounted = MountedPlaces::make(workspace);
    policy.set(workspace, PathAccess::ReadOnly);
    let is = |list: &[&str], name: &OsStr| list.iter().any(|known| name == *known);
    for entry in fs::read_dir(workspace)?.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let Ok(found) = entry.metadata() else { continue };
        let is_open = found.is_dir() && name != ".git" && !is(IN_WORKSPACE, &name);
        if !(is_open || found.is_file() && is(LOCK_FILES, &name)) {
            continue;
        }
        if found.is_file() || BUILD_FOLDERS.iter().any(|(_, folders)| is(folders, &name)) {
            mounted.places.push((path.clone(), identity(&found)));
        }
        policy.set(path, PathAccess::Writable);
    }
    Ok(mounted)
}

fn identity(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_stays_empty_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        let mounted = open(&mut SandboxPolicy::new(false), folder.path()).unwrap();
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            entries.map(|entry| entry.unwrap().file_name()).collect::<BTreeSet<_>>()
        };
        assert_eq!(names(), ["Cargo.lock", "Cargo.toml", "target"].map(Into::into).into());
        drop(mounted);
        assert_eq!(names(), ["Cargo.toml"].map(Into::into).into());
    }

    #[test]
    fn a_server_makes_nothing_new_beside_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["src", ".vscode", ".git", "target"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        for name in ["Cargo.toml", "go.sum", "README.md"] {
            fs::write(root.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
        let mut policy = SandboxPolicy::new(false);
        let mounted = open(&mut policy, &root).unwrap();
        let writable: Vec<_> = policy
            .entries()
            .into_iter()
            .filter(|(_, access)| *access == PathAccess::Writable)
            .map(|(path, _)| path.strip_prefix(&root).unwrap().display().to_string())
            .collect();
        assert_eq!(writable, ["Cargo.lock", "go.sum", "src", "target"]);
        assert_eq!(policy.access(&root.join(".envrc")), PathAccess::ReadOnly);
        assert!(!mounted.are_replaced());
        fs::rename(root.join("src"), root.join("old")).unwrap();
        assert!(!mounted.are_replaced(), "it only reads that");
        fs::remove_dir(root.join("target")).unwrap();
        assert!(mounted.are_replaced());
        fs::write(root.join("Cargo.lock"), "version = 4\n").unwrap();
        drop(mounted);
        assert!(root.join("Cargo.lock").exists());
    }
}
