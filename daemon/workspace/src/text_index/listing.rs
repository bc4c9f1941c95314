//! The files that searches of a tree see, by walking it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, Walk};

use super::ignore_rules::is_ignore_file;
use super::local_disks::LocalDisks;
use super::{IndexLimits, IndexProblem};
use crate::file_walk::{is_in_repository, walk_builder};
use crate::ignore_files;

/// Paths are relative to the root of the index.
#[derive(Debug, Default)]
pub(super) struct FileList {
    /// With each file: whether a search that does not want hidden files sees it.
    pub(super) files: BTreeMap<PathBuf, bool>,
    pub(super) folders: BTreeSet<PathBuf>,
    /// Folders with a `.git`.
    pub(super) repositories: BTreeSet<PathBuf>,
    /// Ignore files that have another name, too.
    pub(super) linked_rules: BTreeSet<PathBuf>,
    name_bytes: usize,
}

/// The folders of which the direct contents are listed.
#[derive(Debug, Clone, Copy)]
pub(super) enum ListedFolders<'a> {
    All,
    These(&'a BTreeSet<PathBuf>),
}

impl FileList {
    /// Lists as a search of `root` does.
    pub(super) fn walk(
        root: &Path,
        listed: ListedFolders<'_>,
        limits: &IndexLimits,
    ) -> Result<Self, IndexProblem> {
        if !ignore_files::are_readable_for_walk(root) {
            return Err(IndexProblem::IgnoreFiles(root.to_owned()));
        }
        let (mut list, mut disks) = (Self::default(), LocalDisks::default());
        let noticed = Arc::new(Mutex::new(Noticed::default()));
        for entry in entries(root, true, listed, &noticed) {
            let Some(entry) = existing(entry)? else { continue };
            let Ok(path) = entry.path().strip_prefix(root) else { continue };
            let Some(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                let is_local =
                    entry.path().metadata().is_ok_and(|found| disks.contains(entry.path(), &found));
                if !is_local && entry.path().is_dir() {
                    return Err(IndexProblem::RemoteDisk(entry.into_path()));
                }
                list.folders.insert(path.to_owned());
            } else if kind.is_file() && listed.contains_parent_of(path) {
                list.files.insert(path.to_owned(), false);
            }
            list.name_bytes += path.as_os_str().len();
            if list.files.len() > limits.files {
                return Err(IndexProblem::TooManyFiles(limits.files));
            }
            if list.name_bytes > limits.bytes {
                return Err(IndexProblem::TooMuchText(limits.bytes));
            }
        }
        for entry in entries(root, false, listed, &noticed) {
            let Some(entry) = existing(entry)? else { continue };
            let path = entry.path().strip_prefix(root).ok();
            if let Some(is_visible) = path.and_then(|path| list.files.get_mut(path)) {
                *is_visible = true;
            }
        }
        let noticed = std::mem::take(&mut *noticed.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(folder) = noticed.without_rules {
            return Err(IndexProblem::IgnoreFiles(folder));
        }
        list.repositories = noticed.repositories;
        list.linked_rules = noticed.linked_rules;
        Ok(list)
    }
}

impl ListedFolders<'_> {
    fn contains_parent_of(self, path: &Path) -> bool {
        match self {
            Self::All => true,
            Self::These(folders) => path.parent().is_some_and(|folder| folders.contains(folder)),
        }
    }
}

/// What the walk passes by.
#[derive(Debug, Default)]
struct Noticed {
    repositories: BTreeSet<PathBuf>,
    linked_rules: BTreeSet<PathBuf>,
    without_rules: Option<PathBuf>,
}

fn entries(root: &Path, hidden: bool, listed: ListedFolders<'_>, noticed: &Arc<Mutex<Noticed>>) -> Walk {
    let noticed = Arc::clone(noticed);
    let root_path = root.to_owned();
    // The listed folders, and those above them.
    let entered: Option<BTreeSet<PathBuf>> = match listed {
        ListedFolders::All => None,
        ListedFolders::These(folders) => {
            Some(folders.iter().flat_map(|folder| folder.ancestors()).map(Path::to_owned).collect())
        }
    };
    let mut builder = walk_builder(root, hidden, is_in_repository(root));
    builder.filter_entry(move |entry| {
        let Ok(path) = entry.path().strip_prefix(&root_path) else { return false };
        if entry.file_name() == OsStr::new(".git") {
            let parent = path.parent().unwrap_or(path).to_owned();
            noticed.lock().unwrap_or_else(PoisonError::into_inner).repositories.insert(parent);
            return false;
        }
        if is_ignore_file(path) && has_other_name(entry.path()) {
            noticed.lock().unwrap_or_else(PoisonError::into_inner).linked_rules.insert(path.to_owned());
        }
        let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
        if is_folder && entered.as_ref().is_some_and(|entered| !entered.contains(path)) {
            return false;
        }
        if is_folder && !ignore_files::are_readable(entry.path()) {
            let mut noticed = noticed.lock().unwrap_or_else(PoisonError::into_inner);
            noticed.without_rules = Some(entry.path().to_owned());
            return false;
        }
        true
    });
    builder.build()
}

/// Whether it is a link, or another link leads to the same file.
fn has_other_name(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_symlink() || found.nlink() > 1)
}

/// `None` if it was deleted meanwhile.
fn existing(entry: Result<DirEntry, ignore::Error>) -> Result<Option<DirEntry>, IndexProblem> {
    match entry {
        Ok(entry) => Ok(Some(entry)),
        Err(error) if error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound) => {
            Ok(None)
        }
        Err(error) => Err(IndexProblem::Unreadable(error.to_string())),
    }
}
