//! What a sandboxed command may do, path by path. Pure.
//!
//! Contract: the deepest path decides. A folder is writable, but a hidden file inside it stays hidden; a folder is hidden, but a workspace
//! inside it stays writable.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What a command may do with a path and everything below it. Without an entry it may only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathAccess {
    /// An empty folder of the sandbox's own. It ends with the command.
    PrivateFolder,
    ReadOnly,
    Writable,
    /// An empty folder stands in its place.
    HiddenFolder,
    HiddenFile,
}

/// Real, absolute paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SandboxPolicy {
    paths: BTreeMap<PathBuf, PathAccess>,
    pub(crate) has_network: bool,
}

impl SandboxPolicy {
    pub(crate) fn new(has_network: bool) -> Self {
        Self { paths: BTreeMap::new(), has_network }
    }

    /// Replaces what was said about the same path.
    pub(crate) fn set(&mut self, path: impl Into<PathBuf>, access: PathAccess) {
        self.paths.insert(path.into(), access);
    }

    /// Makes a path read-only, and each folder between the writable one above it and the path a mount point: a mount point can be neither
    /// renamed nor removed, so the path cannot be replaced by replacing a folder above it.
    pub(crate) fn protect(&mut self, path: &Path) {
        self.pin(path, PathAccess::ReadOnly);
    }

    /// The same for an empty folder that stands where nothing may be made.
    pub(crate) fn bar(&mut self, path: &Path) {
        self.pin(path, PathAccess::HiddenFolder);
    }

    fn pin(&mut self, path: &Path, access: PathAccess) {
        // It is writable in a folder that is not, where nothing can replace it.
        let parent = path.parent().map(|folder| self.access(folder));
        if self.paths.get(path) == Some(&PathAccess::Writable) && parent == Some(PathAccess::ReadOnly) {
            self.paths.insert(path.to_path_buf(), access);
            return;
        }
        let mut above = path.parent();
        while let Some(folder) = above {
            match self.paths.get(folder) {
                Some(PathAccess::Writable) => break,
                Some(_) => return,
                None => above = folder.parent(),
            }
        }
        // What lies in no writable folder needs no protection.
        let Some(writable) = above.map(Path::to_path_buf) else { return };
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != writable) {
            self.paths.insert(folder.to_path_buf(), PathAccess::Writable);
        }
        self.paths.insert(path.to_path_buf(), access);
    }

    /// Whether the host's own files cannot be seen there.
    pub(crate) fn is_covered(&self, path: &Path) -> bool {
        use PathAccess::{HiddenFile, HiddenFolder, PrivateFolder, ReadOnly, Writable};

        match self.access(path) {
            PrivateFolder | HiddenFolder | HiddenFile => true,
            ReadOnly | Writable => false,
        }
    }

    /// What holds for a path.
    pub(crate) fn access(&self, path: &Path) -> PathAccess {
        let deciding = path.ancestors().find_map(|folder| self.paths.get(folder));
        deciding.copied().unwrap_or(PathAccess::ReadOnly)
    }

    /// Every entry, those above before those below.
    pub(crate) fn entries(&self) -> Vec<(&Path, PathAccess)> {
        let mut entries: Vec<_> = self.paths.iter().map(|(path, access)| (path.as_path(), *access)).collect();
        entries.sort_by_key(|(path, _)| path.components().count());
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_path_decides() {
        let mut policy = SandboxPolicy::new(false);
        policy.set("/home/me/.agent", PathAccess::HiddenFolder);
        policy.set("/home/me/.agent/work", PathAccess::Writable);
        policy.set("/home/me/.agent/work/key", PathAccess::HiddenFile);
        for (path, access) in [
            ("/etc/passwd", PathAccess::ReadOnly),
            ("/home/me/.agent/token", PathAccess::HiddenFolder),
            ("/home/me/.agent/work/src/a.rs", PathAccess::Writable),
            ("/home/me/.agent/work/key", PathAccess::HiddenFile),
        ] {
            assert_eq!(policy.access(Path::new(path)), access, "{path}");
        }
        let order: Vec<_> = policy.entries().into_iter().map(|(path, _)| path.components().count()).collect();
        assert!(order.is_sorted());
    }

    #[test]
    fn a_protected_path_pins_the_folders_above_it() {
        let mut policy = SandboxPolicy::new(false);
        policy.set("/work", PathAccess::Writable);
        policy.protect(Path::new("/work/deep/lib/.git/hooks"));
        policy.protect(Path::new("/elsewhere/.git/hooks"));
        policy.bar(Path::new("/work/.idea"));
        let entries = policy.entries();
        let expected = [
            ("/work", PathAccess::Writable),
            ("/work/.idea", PathAccess::HiddenFolder),
            ("/work/deep", PathAccess::Writable),
            ("/work/deep/lib", PathAccess::Writable),
            ("/work/deep/lib/.git", PathAccess::Writable),
            ("/work/deep/lib/.git/hooks", PathAccess::ReadOnly),
        ];
        assert_eq!(entries, expected.map(|(path, access)| (Path::new(path), access)));
    }

    #[test]
    fn a_writable_folder_in_a_read_only_one_is_protected_itself() {
        let mut policy = SandboxPolicy::new(false);
        policy.set("/work", PathAccess::ReadOnly);
        policy.set("/work/bare.git", PathAccess::Writable);
        policy.set("/work/src", PathAccess::Writable);
        for path in ["/work/bare.git", "/work/src/deep/.git", "/work/.git"] {
            policy.protect(Path::new(path));
        }
        for (path, access) in [
            ("/work/bare.git/config", PathAccess::ReadOnly),
            ("/work/src/deep/main.c", PathAccess::Writable),
            ("/work/src/deep/.git/config", PathAccess::ReadOnly),
            ("/work/new", PathAccess::ReadOnly),
        ] {
            assert_eq!(policy.access(Path::new(path)), access, "{path}");
        }
    }

    #[test]
    fn what_is_hidden_is_not_opened_by_protecting_something_in_it() {
        let mut policy = SandboxPolicy::new(false);
        policy.set("/work", PathAccess::Writable);
        policy.set("/work/secret", PathAccess::HiddenFolder);
        policy.protect(Path::new("/work/secret/.git/hooks"));
        assert_eq!(policy.access(Path::new("/work/secret/.git/hooks")), PathAccess::HiddenFolder);
    }
}
