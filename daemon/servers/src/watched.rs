//! What shells, git and others change on the disk below a root.
//!
//! Folders that are not ignored are watched one by one, up to a number: each costs the user's own limit, which their editor
//! needs too. Where there are more, or the system has no more to give, only the files that somebody holds are looked at, and
//! [`Watched::problem`] tells so. Nothing is written below the root, nor anywhere else.
//!
//! [`Watched::settled`] is a barrier: everything that happened before it was called is in what it gives, so that after a
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

use self::fold::Fold;
use self::stamps::Stamps;
use crate::server::OnDisk;

mod fold;
#[cfg(target_os = "linux")]
mod inotify;
mod stamps;
#[cfg(test)]
mod tests;
mod tree;

/// Folders that are watched below one root, where nobody says another number.
pub(crate) const MOST_FOLDERS: usize = 4096;

/// What happened since this was last asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Changes {
    /// In the order of paths.
    pub changed: Vec<(PathBuf, OnDisk)>,
    /// Everything may have changed. What is held was looked at anyway.
    pub missed: bool,
    /// A folder came or went.
    pub folders: bool,
}

#[derive(Debug)]
pub(crate) struct Watched {
    #[cfg(target_os = "linux")]
    eyes: Result<inotify::Eyes, String>,
    held: Mutex<Stamps>,
}

impl Watched {
    /// Begins to watch. What happens after the first [`Watched::settled`] has answered is seen for sure.
    #[cfg(target_os = "linux")]
    pub(crate) fn begin(root: &Path, most_folders: usize) -> Self {
        Self { eyes: inotify::Eyes::open(root, most_folders), held: Mutex::default() }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn begin(_root: &Path, _most_folders: usize) -> Self {
        Self { held: Mutex::default() }
    }

    /// Why only held files are looked at, where that is so.
    #[cfg(target_os = "linux")]
    pub(crate) fn problem(&self) -> Option<String> {
        self.eyes.as_ref().map_or_else(|why| Some(why.clone()), inotify::Eyes::problem)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn problem(&self) -> Option<String> {
        Some("folders are not watched on this system".to_owned())
    }

    /// From now on a change of this file is seen even where folders are not watched.
    pub(crate) fn hold(&self, path: &Path) {
        self.held().hold(path);
    }

    pub(crate) fn let_go(&self, path: &Path) {
        self.held().let_go(path);
    }

    /// Everything that happened before this was called, and was not told yet; none where the time is over first, and then it
    /// comes with the next.
    pub(crate) async fn settled(&self, until: Instant) -> Option<Changes> {
        let mut fold = timeout_at(until, self.seen()).await.ok()?;
        let is_blind = self.problem().is_some();
        let mut held = self.held();
        if is_blind || fold.missed {
            held.look(&mut fold);
        } else {
            held.refresh(&fold);
        }
        Some(fold.finish())
    }

    #[cfg(target_os = "linux")]
    async fn seen(&self) -> Fold {
        match &self.eyes {
            Ok(eyes) => eyes.seen().await,
            Err(_) => Fold::default(),
        }
    }

    #[cfg(not(target_os = "linux"))]
    async fn seen(&self) -> Fold {
        Fold::default()
    }

    fn held(&self) -> MutexGuard<'_, Stamps> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
