//! The files in watched folders. When a folder is moved away, the kernel does not report its contents.
//!
//! Invariant: the listing is capped; beyond the cap, `is_complete` is false.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct FolderListing {
    most: usize,
    count: usize,
    folders: BTreeMap<PathBuf, BTreeSet<OsString>>,
    /// Nothing was left out because of the cap.
    pub(super) is_complete: bool,
}

impl FolderListing {
    pub(super) fn new(most: usize) -> Self {
        Self { most, count: 0, folders: BTreeMap::new(), is_complete: true }
    }

    /// Lists a folder, including ignored files, which a server may read.
    pub(super) fn scan_folder(&mut self, folder: &Path) {
        self.count -= self.folders.remove(folder).map_or(0, |names| names.len());
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| !kind.is_dir()) {
                self.add(folder, entry.file_name());
            }
        }
    }

    pub(super) fn add(&mut self, folder: &Path, name: OsString) {
        if self.count >= self.most {
            self.is_complete = false;
            return;
        }
        let names = match self.folders.get_mut(folder) {
            Some(names) => names,
            None => self.folders.entry(folder.to_owned()).or_default(),
        };
        self.count += usize::from(names.insert(name));
    }

    pub(super) fn remove(&mut self, folder: &Path, name: &OsString) {
        if let Some(names) = self.folders.get_mut(folder) {
            self.count -= usize::from(names.remove(name));
        }
    }

    /// Removes a folder and everything below it, and returns its files.
    pub(super) fn remove_folder(&mut self, folder: &Path) -> Vec<PathBuf> {
        let below = self.folders.range(folder.to_owned()..).map(|(path, _)| path);
        let below: Vec<_> = below.take_while(|path| path.starts_with(folder)).cloned().collect();
        let mut files = Vec::new();
        for folder in below {
            let names = self.folders.remove(&folder).unwrap_or_default();
            files.extend(names.into_iter().map(|name| folder.join(name)));
        }
        self.count -= files.len();
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removing_a_folder_removes_what_is_below_it_only() {
        let mut names = FolderListing::new(100);
        for (folder, name) in [("/a", "1"), ("/a/b", "2"), ("/a/b", "3"), ("/a/b/c", "4"), ("/a/bb", "5")] {
            names.add(Path::new(folder), name.into());
        }
        names.remove(Path::new("/a/b"), &"3".into());
        names.remove(Path::new("/a/b"), &"3".into());
        assert_eq!(names.remove_folder(Path::new("/a/b")), [Path::new("/a/b/2"), Path::new("/a/b/c/4")]);
        assert_eq!(names.remove_folder(Path::new("/a/b")), [] as [PathBuf; 0]);
        assert_eq!((names.count, names.is_complete), (2, true));
    }

    #[test]
    fn the_listing_is_capped() {
        let mut names = FolderListing::new(2);
        names.add(Path::new("/a"), "1".into());
        names.add(Path::new("/a"), "2".into());
        assert!(names.is_complete);
        names.add(Path::new("/b"), "3".into());
        assert_eq!((names.count, names.is_complete), (2, false));
    }
}
