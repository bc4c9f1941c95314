//! Watches the disk below a root for changes by shells, git and others.
//!
//! It watches each folder that is not ignored, up to a limit: each watch counts against the user's own limit,
//! which the editor needs, too. With more folders, or if the system has no more watches, only open files are
//! compared, and [`DiskWatcher::problem`] says so. It writes nothing.
//!
//! [`DiskWatcher::take_changes`] is a barrier: it returns everything that happened before the call, so that no
//! caller has to sleep after a command. A rename is a deletion and a creation.
//!
//! Invariant: the stored changes are capped. Beyond the cap, and if the system's queue overflowed, `missed` says that
//! more may have changed. If a folder is moved away, each of its files is reported, because servers ask for files and
//! not for folders. The known file names are capped, too; beyond that, `missed` is set.
//!
//! Not reported: closed files that were deleted while the queue overflowed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use self::coalesce::CoalescedChanges;
use self::file_stamps::WatchedFileStamps;

mod coalesce;
mod file_stamps;
mod folder_walk;
#[cfg(target_os = "linux")]
mod inotify;
#[cfg(test)]
mod tests;

/// The default limit of watched folders below one root.
pub const DEFAULT_MAX_FOLDERS: usize = 4096;

/// The changes since the last call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiskChanges {
    /// Sorted by path.
    pub changed: Vec<(PathBuf, FileChangeType)>,
    /// Anything may have changed. Tracked files were compared anyway.
    pub missed: bool,
    /// A folder was created, deleted or moved.
    pub folders_changed: bool,
    /// Other files may be ignored or readable now: a `.git` or `.jj` was created, deleted or moved, or the permissions of a
    /// folder changed.
    pub rules_changed: bool,
}

/// How a file changed on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileChangeType {
    Created,
    Changed,
    Deleted,
}

/// Which folders below a root are watched. None that git ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchedFolders {
    /// What people write: no installed packages, no folders that tools generate.
    Sources,
    /// What a search walks through.
    Searched,
}

/// All files below a folder that are not ignored.
pub fn walk_files(root: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = folder_walk::walk_all(root, WatchedFolders::Sources).flatten();
    entries
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
}

#[derive(Debug)]
pub struct DiskWatcher {
    #[cfg(target_os = "linux")]
    inotify: Result<inotify::InotifyWatcher, String>,
    tracked: Mutex<WatchedFileStamps>,
}

impl DiskWatcher {
    /// Starts to watch. Everything after the first [`DiskWatcher::take_changes`] is seen for sure.
    #[cfg(target_os = "linux")]
    pub fn begin(root: &Path, wanted: WatchedFolders, most_folders: usize) -> Self {
        Self { inotify: inotify::InotifyWatcher::open(root, wanted, most_folders), tracked: Mutex::default() }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn begin(_root: &Path, _wanted: WatchedFolders, _most_folders: usize) -> Self {
        Self { tracked: Mutex::default() }
    }

    /// Why only open files are compared, if so.
    #[cfg(target_os = "linux")]
    pub fn problem(&self) -> Option<String> {
        self.inotify.as_ref().map_or_else(|why| Some(why.clone()), inotify::InotifyWatcher::problem)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn problem(&self) -> Option<String> {
        Some("folders are not watched on this system".to_owned())
    }

    /// Changes of this file are seen from now on, even if folders are not watched.
    pub fn track(&self, path: &Path) {
        self.tracked().track(path);
    }

    pub fn untrack(&self, path: &Path) {
        self.tracked().untrack(path);
    }

    /// Everything that happened before the call and was not returned yet. `None` if the time runs out; the next call
    /// returns it then.
    pub async fn take_changes(&self, until: Instant) -> Option<DiskChanges> {
        let changes = timeout_at(until, self.wait_for_events()).await.ok()?;
        Some(self.with_tracked(changes))
    }

    /// The same on a thread that may block.
    #[cfg(target_os = "linux")]
    pub fn take_changes_blocking(&self, timeout: Duration) -> Option<DiskChanges> {
        let changes = match &self.inotify {
            Ok(inotify) => inotify.wait_for_events_blocking(timeout)?,
            Err(_) => CoalescedChanges::default(),
        };
        Some(self.with_tracked(changes))
    }

    #[cfg(not(target_os = "linux"))]
    pub fn take_changes_blocking(&self, _timeout: Duration) -> Option<DiskChanges> {
        Some(self.with_tracked(CoalescedChanges::default()))
    }

    /// Adds the changes of tracked files that the folders' watches cannot see.
    fn with_tracked(&self, mut changes: CoalescedChanges) -> DiskChanges {
        let is_limited = self.problem().is_some();
        let mut tracked = self.tracked();
        if is_limited || changes.missed {
            tracked.detect_changes(&mut changes);
        } else {
            tracked.refresh(&changes);
        }
        changes.finish()
    }

    #[cfg(target_os = "linux")]
    async fn wait_for_events(&self) -> CoalescedChanges {
        match &self.inotify {
            Ok(inotify) => inotify.wait_for_events().await,
            Err(_) => CoalescedChanges::default(),
        }
    }

    #[cfg(not(target_os = "linux"))]
    async fn wait_for_events(&self) -> CoalescedChanges {
        CoalescedChanges::default()
    }

    fn tracked(&self) -> MutexGuard<'_, WatchedFileStamps> {
        self.tracked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
