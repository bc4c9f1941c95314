//! The few file system queries that are needed to detect a project. None of them is long or blocks.
//!
//! Invariant: the daemon only looks at a repository's files here. It never runs them, and reads regular files only.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Only this much of a manifest is read.
const MAX_MANIFEST_BYTES: u64 = 256 * 1024;
/// Only this many entries of a folder are listed.
const MAX_ENTRIES: usize = 10_000;

pub trait FileSystemView {
    /// Any kind of file. Follows symlinks.
    fn exists(&self, path: &Path) -> bool;
    /// A regular file with an executable bit.
    fn is_executable(&self, path: &Path) -> bool;
    /// The beginning of a regular file.
    fn read_text(&self, path: &Path) -> Option<String>;
    fn entry_names(&self, folder: &Path) -> Vec<String>;
    /// Resolves symlinks.
    fn canonicalize(&self, path: &Path) -> Option<PathBuf>;
}

#[derive(Debug, Clone, Copy, Default)]
pub struct DiskView;

impl FileSystemView for DiskView {
    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn is_executable(&self, path: &Path) -> bool {
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    }

    fn read_text(&self, path: &Path) -> Option<String> {
        // Reading a pipe by that name would never end.
        path.metadata().ok().filter(fs::Metadata::is_file)?;
        let mut bytes = Vec::new();
        fs::File::open(path).ok()?.take(MAX_MANIFEST_BYTES).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn entry_names(&self, folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MAX_ENTRIES);
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    fn canonicalize(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }
}

/// From a folder up to `root`, both included. Only the folder itself if it is outside `root`.
pub(crate) fn ancestors_within<'a>(
    folder: &'a Path,
    root: &'a Path,
) -> impl Iterator<Item = &'a Path> + Clone {
    let is_inside = folder.starts_with(root);
    let inside = move |above: &&Path| if is_inside { above.starts_with(root) } else { *above == folder };
    folder.ancestors().take_while(inside)
}

/// A file system in memory.
#[cfg(test)]
pub(crate) mod memory {
    use std::collections::BTreeMap;

    use super::{FileSystemView, Path, PathBuf};

    /// Paths with their contents. `#!` marks an executable, `-> path` a symlink.
    #[derive(Debug, Clone, Default)]
    pub(crate) struct MemoryView(BTreeMap<PathBuf, String>);

    impl MemoryView {
        pub(crate) fn new(files: &[(&str, &str)]) -> Self {
            Self(files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect())
        }
    }

    impl FileSystemView for MemoryView {
        fn exists(&self, path: &Path) -> bool {
            self.0.keys().any(|file| file.starts_with(path))
        }

        fn is_executable(&self, path: &Path) -> bool {
            let real = self.canonicalize(path);
            real.and_then(|real| self.0.get(&real)).is_some_and(|text| text.starts_with("#!"))
        }

        fn read_text(&self, path: &Path) -> Option<String> {
            self.0.get(path).cloned()
        }

        fn entry_names(&self, folder: &Path) -> Vec<String> {
            let below = self.0.keys().filter_map(|file| file.strip_prefix(folder).ok());
            let mut names: Vec<_> = below
                .filter_map(|rest| Some(rest.components().next()?.as_os_str().to_str()?.to_owned()))
                .collect();
            names.dedup();
            names
        }

        fn canonicalize(&self, path: &Path) -> Option<PathBuf> {
            match self.0.get(path)?.strip_prefix("-> ") {
                Some(target) => Some(path.parent()?.join(target)),
                None => Some(path.to_owned()),
            }
        }
    }
}
