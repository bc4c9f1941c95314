//! The system's own way to hear of changes, for Linux.
//!
//! One thread reads one queue in order. What a folder held when it began to be watched is told as new, so that nothing is
//! lost between a folder's beginning and ours. The barrier is a watch that is taken away again: the system tells of that in
//! the same queue, behind everything that happened before.
//!
//! Not by the crate `notify`: it also listens to every opening of a file, so that a server's start or a search would fill the
//! queue, and keeps the old names of folders in one that was moved.

use std::collections::HashMap;
use std::mem;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use tokio::sync::oneshot;

use self::watch_thread::InotifyThread;
use super::coalesce::CoalescedChanges;

mod folder_listing;
mod watch_thread;

/// What the barrier watches for a moment: it is everywhere, and nobody works below it.
const SOMETHING: &str = "/dev/null";

#[derive(Debug)]
pub(super) struct InotifyWatcher(Arc<InotifyShared>);

#[derive(Debug)]
struct InotifyShared {
    queue: OwnedFd,
    state: Mutex<InotifyState>,
}

#[derive(Debug, Default)]
struct InotifyState {
    fold: CoalescedChanges,
    barriers: HashMap<i32, oneshot::Sender<()>>,
    is_closed: bool,
    problem: Option<String>,
}

impl InotifyShared {
    fn lock(&self) -> MutexGuard<'_, InotifyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a word behind everything that is in the queue now. Where that cannot be done the channel ends at once.
    fn raise(&self, reached: oneshot::Sender<()>) {
        // Under the lock, since a second watch of the same file would be the same watch.
        let mut state = self.lock();
        if state.problem.is_none()
            && let Ok(watch) = inotify::add_watch(&self.queue, SOMETHING, WatchFlags::DELETE_SELF)
        {
            state.barriers.insert(watch, reached);
            let _ = inotify::remove_watch(&self.queue, watch);
        }
    }
}

impl InotifyWatcher {
    pub(super) fn open(root: &Path, most: usize) -> Result<Self, String> {
        let queue = inotify::init(CreateFlags::CLOEXEC).map_err(|error| match error {
            Errno::MFILE => {
                "the system watches for no more programs of this user (fs.inotify.max_user_instances)"
                    .to_owned()
            }
            error => format!("the system cannot watch: {error}"),
        })?;
        let shared = Arc::new(InotifyShared { queue, state: Mutex::default() });
        let watcher = InotifyThread::new(Arc::clone(&shared), root.to_owned(), most);
        let thread = thread::Builder::new().name("watched".to_owned()).stack_size(512 * 1024);
        thread.spawn(move || watcher.run()).map_err(|error| format!("no thread to watch with: {error}"))?;
        Ok(Self(shared))
    }

    pub(super) fn problem(&self) -> Option<String> {
        self.0.lock().problem.clone()
    }

    /// What happened before this was called.
    pub(super) async fn wait_for_events(&self) -> CoalescedChanges {
        let (reached, barrier) = oneshot::channel();
        self.0.raise(reached);
        let _ = barrier.await;
        mem::take(&mut self.0.lock().fold)
    }
}

impl Drop for InotifyWatcher {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        // Only to wake the thread.
        self.0.raise(oneshot::channel().0);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::server::FileChangeType;

    #[tokio::test]
    async fn a_queue_that_ran_over_is_told_and_watching_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let eyes = InotifyWatcher::open(&root, 100).unwrap();
        assert!(!eyes.wait_for_events().await.missed);
        let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let most: usize = most.trim().parse().unwrap();
        {
            // Its reader cannot go on meanwhile; what it has read by then is in its buffer.
            let _held = eyes.0.lock();
            for number in 0..most + BUFFERED {
                let (one, other) = (root.join("one"), root.join("other"));
                fs::write(if number % 2 == 0 { one } else { other }, "").unwrap();
            }
            fs::create_dir(root.join("unseen")).unwrap();
        }
        assert!(eyes.wait_for_events().await.missed);
        fs::write(root.join("unseen/file"), "").unwrap();
        let changes = eyes.wait_for_events().await.finish();
        assert_eq!(
            (changes.changed, changes.missed),
            (vec![(root.join("unseen/file"), FileChangeType::Created)], false)
        );
    }

    /// As many events as fit into the reader's buffer.
    const BUFFERED: usize = 64 * 1024 / 16;
}
