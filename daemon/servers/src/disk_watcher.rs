//! What shells, git and others change on the disk below a root.
//!
//! Folders that are not ignored are watched one by one, up to a number: each costs the user's own limit, which their editor
//! needs too. Where there are more, or the system has no more to give, only the files that somebody holds are looked at, and
//! [`DiskWatcher::problem`] tells so. Nothing is written below the root, nor anywhere else.
//!
//! [`DiskWatcher::take_changes`] is a barrier: everything that happened before it was called is in what it gives, so that after a
//! command has ended nobody has to sleep. A rename is a deleted name and a created one.
//!
//! Invariant: what is held of changes has an end; past it, and where the system's own queue ran over, `missed` says that more
//! may have changed than is told. Of a folder that was moved away, out of sight or not, each file is told, since servers ask for
//! files and not for folders; the names are remembered up to a number, and past it `missed` is set.
//!
//! Not told: after the queue ran over, closed files that were deleted.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::{Instant, timeout_at};

use self::coalesce::CoalescedChanges;
use self::file_stamps::WatchedFileStamps;
use crate::server::FileChangeType;

mod coalesce;
mod file_stamps;
mod folder_walk;
#[cfg(target_os = "linux")]
mod inotify;
#[cfg(test)]
mod tests;

/// Folders that are watched below one root, where nobody says another number.
pub(crate) const MOST_FOLDERS: usize = 4096;

/// What happened since this was last asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct DiskChanges {
    /// In the order of paths.
    pub changed: Vec<(PathBuf, FileChangeType)>,
    /// Everything may have changed. What is held was looked at anyway.
    pub missed: bool,
    /// A folder came or went.
    pub folders_changed: bool,
}

#[derive(Debug)]
pub(crate) struct DiskWatcher {
    #[cfg(target_os = "linux")]
    eyes: Result<inotify::InotifyWatcher, String>,
    held: Mutex<WatchedFileStamps>,
}

impl DiskWatcher {
    /// Begins to watch. What happens after the first [`DiskWatcher::take_changes`] has answered is seen for sure.
    #[cfg(target_os = "linux")]
    pub(crate) fn begin(root: &Path, most_folders: usize) -> Self {
        Self { eyes: inotify::InotifyWatcher::open(root, most_folders), held: Mutex::default() }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn begin(_root: &Path, _most_folders: usize) -> Self {
        Self { held: Mutex::default() }
    }

    /// Why only held files are looked at, where that is so.
    #[cfg(target_os = "linux")]
    pub(crate) fn problem(&self) -> Option<String> {
        self.eyes.as_ref().map_or_else(|why| Some(why.clone()), inotify::InotifyWatcher::problem)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn problem(&self) -> Option<String> {
        Some("folders are not watched on this system".to_owned())
    }

    /// From now on a change of this file is seen even where folders are not watched.
    pub(crate) fn track(&self, path: &Path) {
        self.held().track(path);
    }

    pub(crate) fn untrack(&self, path: &Path) {
        self.held().untrack(path);
    }

    /// Everything that happened before this was called, and was not told yet; none where the time is over first, and then it
    /// comes with the next.
    pub(crate) async fn take_changes(&self, until: Instant) -> Option<DiskChanges> {
        let mut fold = timeout_at(until, self.seen()).await.ok()?;
        let is_blind = self.problem().is_some();
        let mut held = self.held();
        if is_blind || fold.missed {
            held.detect_changes(&mut fold);
        } else {
            held.refresh(&fold);
        }
        Some(fold.finish())
    }

    #[cfg(target_os = "linux")]
    async fn seen(&self) -> CoalescedChanges {
        match &self.eyes {
            Ok(eyes) => eyes.wait_for_events().await,
            Err(_) => CoalescedChanges::default(),
        }
    }

    #[cfg(not(target_os = "linux"))]
    async fn seen(&self) -> CoalescedChanges {
        CoalescedChanges::default()
    }

    fn held(&self) -> MutexGuard<'_, WatchedFileStamps> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
