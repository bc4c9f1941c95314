//! What earlier searches saw of folders, so that the next one reads only those that changed: a workspace has thousands, and is searched twice
//! for each command.
//!
//! Invariant: a folder's listing is used again only if the folder's last change, which no program can set, is the same and was so old when the
//! folder was read that a later one differs.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs::{self, Metadata},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// The coarsest clock of a file system (FAT) has steps of two seconds.
const CLOCK_STEP_SECONDS: i64 = 3;

/// What matters of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SearchedFolder {
    pub(super) dot_git: Option<DotGit>,
    /// It has what makes a folder a bare repository.
    pub(super) is_bare: bool,
    /// The names of the folders in it, sorted, without `.git` and links.
    pub(super) folders: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DotGit {
    Folder,
    File,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FolderStamp {
    device: u64,
    inode: u64,
    changed: (i64, i64),
}

#[derive(Debug, Default)]
pub(super) struct FolderMemory {
    known: HashMap<PathBuf, (FolderStamp, Arc<SearchedFolder>)>,
    /// Of the present search. The next one knows no others.
    seen: HashMap<PathBuf, (FolderStamp, Arc<SearchedFolder>)>,
}

impl FolderMemory {
    /// `None` if it cannot be read.
    pub(super) fn list(&mut self, folder: &Path) -> Option<Arc<SearchedFolder>> {
        let stamp = FolderStamp::of(&folder.symlink_metadata().ok()?);
        let known = self.known.remove(folder).filter(|(of, _)| *of == stamp);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let is_settled = stamp.changed.0.saturating_add(CLOCK_STEP_SECONDS) < now.cast_signed();
        let listing = match known {
            Some((_, listing)) => listing,
            None => Arc::new(read(folder)?),
        };
        if is_settled {
            self.seen.insert(folder.to_path_buf(), (stamp, Arc::clone(&listing)));
        }
        Some(listing)
    }

    /// The search is over.
    pub(super) fn end_search(&mut self) {
        self.known = std::mem::take(&mut self.seen);
    }
}

impl FolderStamp {
    fn of(folder: &Metadata) -> Self {
        Self { device: folder.dev(), inode: folder.ino(), changed: (folder.ctime(), folder.ctime_nsec()) }
    }
}

fn read(folder: &Path) -> Option<SearchedFolder> {
    let mut listing = SearchedFolder::default();
    let mut bare_parts = 0;
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name();
        if name == ".git" && !kind.is_symlink() {
            listing.dot_git = Some(if kind.is_dir() { DotGit::Folder } else { DotGit::File });
            continue;
        }
        let is_part =
            (name == "HEAD" && kind.is_file()) || ((name == "objects" || name == "refs") && kind.is_dir());
        bare_parts += usize::from(is_part);
        if kind.is_dir() {
            listing.folders.push(name);
        }
    }
    listing.is_bare = bare_parts == 3;
    listing.folders.sort();
    Some(listing)
}

#[cfg(test)]
mod tests {
    use std::fs::FileTimes;

    use super::*;

    #[test]
    fn a_folder_that_has_just_changed_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut memory = FolderMemory::default();
        assert_eq!(memory.list(folder.path()).unwrap().folders, Vec::<OsString>::new());
        memory.end_search();
        fs::create_dir(folder.path().join("new")).unwrap();
        // A program may set the time of the last modification, not that of the last change.
        let old = FileTimes::new().set_modified(UNIX_EPOCH).set_accessed(UNIX_EPOCH);
        fs::File::open(folder.path()).unwrap().set_times(old).unwrap();
        assert_eq!(memory.list(folder.path()).unwrap().folders, ["new"]);
        memory.end_search();
        assert!(memory.known.is_empty(), "it changed less than three seconds ago");
    }

    #[test]
    fn a_folder_that_did_not_change_is_not_read_again() {
        let mut memory = FolderMemory::default();
        // It is as old as the system.
        let folder = Path::new("/usr");
        let first = memory.list(folder).unwrap();
        memory.end_search();
        assert!(Arc::ptr_eq(&first, &memory.list(folder).unwrap()));
        memory.end_search();
        memory.end_search();
        assert!(memory.known.is_empty(), "a search that does not see a folder forgets it");
    }
}
