//! What is asked of the file system in order to know a project: little, and nothing that can be long or block.
//!
//! Invariant: a folder or file of a repository is only looked at, never run; what is no ordinary file is not read.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// More of a manifest is not looked at.
const LONGEST: u64 = 256 * 1024;
/// More names of a folder are not looked at.
const MOST_NAMES: usize = 10_000;

pub trait FileSystemView {
    /// Whatever it is; a link counts as what it leads to.
    fn exists(&self, path: &Path) -> bool;
    /// An ordinary file that may be run.
    fn is_executable(&self, path: &Path) -> bool;
    /// The beginning of an ordinary file.
    fn read_text(&self, path: &Path) -> Option<String>;
    fn entry_names(&self, folder: &Path) -> Vec<String>;
    /// Where links lead to.
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
        // A pipe by that name would never end.
        path.metadata().ok().filter(fs::Metadata::is_file)?;
        let mut bytes = Vec::new();
        fs::File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn entry_names(&self, folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_NAMES);
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    fn canonicalize(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }
}

/// From a folder up to `root`, both included; the folder alone where it lies elsewhere.
pub(crate) fn ancestors_within<'a>(
    folder: &'a Path,
    root: &'a Path,
) -> impl Iterator<Item = &'a Path> + Clone {
    let is_inside = folder.starts_with(root);
    let inside = move |above: &&Path| if is_inside { above.starts_with(root) } else { *above == folder };
    folder.ancestors().take_while(inside)
}

/// A few files in memory.
#[cfg(test)]
pub(crate) mod memory {
    use std::collections::BTreeMap;

    use super::{FileSystemView, Path, PathBuf};

    /// Paths with what stands in them. `#!` begins what can be run; `-> path` is a link.
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
