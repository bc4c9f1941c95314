//! Watches folders with inotify, on Linux.
//!
//! One thread reads one queue in order. When a folder starts to be watched, its contents are reported as new, so that
//! nothing is lost between its creation and the watch. The barrier is a watch that is removed at once: the kernel
//! reports the removal in the same queue, after everything that happened before.
//!
//! The crate `notify` is unsuitable: it also listens to every opening of a file, so that a server's start or a search
//! would fill the queue, and it keeps the old names of folders inside a moved one.

use std::collections::HashMap;
use std::fmt;
use std::mem;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use tokio::sync::oneshot;

use self::watch_thread::InotifyThread;
use super::WatchedFolders;
use super::coalesce::CoalescedChanges;

mod folder_listing;
mod watch_thread;

/// The barrier watches this for a moment: it always exists, and does not change.
const BARRIER_PATH: &str = "/dev/null";

/// What a problem means for the user.
const CONSEQUENCE: &str = "Copydesk notices changes by other programs only in open files";

pub(super) struct InotifyWatcher(Arc<InotifyShared>);

struct InotifyShared {
    queue: OwnedFd,
    /// Readable once the watcher is dropped.
    closing: OwnedFd,
    state: Mutex<InotifyState>,
}

/// Wakes the caller that waits for a barrier.
type BarrierWaker = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct InotifyState {
    changes: CoalescedChanges,
    /// Each wakes a caller, by a call or by being dropped.
    barriers: HashMap<i32, BarrierWaker>,
    problem: Option<String>,
}

impl InotifyShared {
    fn lock(&self) -> MutexGuard<'_, InotifyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for events. True if the watcher was dropped.
    fn wait_for_input(&self) -> bool {
        let wanted = |fd| PollFd::new(fd, PollFlags::IN);
        let mut both = [wanted(&self.queue), wanted(&self.closing)];
        while matches!(poll(&mut both, None), Err(Errno::INTR)) {}
        self.is_closing()
    }

    fn is_closing(&self) -> bool {
        let mut closing = [PollFd::new(&self.closing, PollFlags::IN)];
        poll(&mut closing, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }

    /// Queues a barrier after everything that is in the queue now. If that fails, the waker is dropped at once.
    fn queue_barrier(&self, waker: BarrierWaker) {
        // Under the lock, because a second watch of the same file would be the same watch.
        let mut state = self.lock();
        if state.problem.is_some() {
            return;
        }
        match inotify::add_watch(&self.queue, BARRIER_PATH, WatchFlags::DELETE_SELF) {
            Ok(watch) => {
                state.barriers.insert(watch, waker);
                let _ = inotify::remove_watch(&self.queue, watch);
            }
            // The user's watches are used up: what is still in the queue is not known.
            Err(_) => state.changes.missed = true,
        }
    }
}

impl InotifyWatcher {
    pub(super) fn open(root: &Path, wanted: WatchedFolders, most: usize) -> Result<Self, String> {
        let queue = inotify::init(CreateFlags::CLOEXEC).map_err(|error| match error {
            Errno::MFILE => format!(
                "the limit of inotify instances of this user is reached (fs.inotify.max_user_instances); {CONSEQUENCE}"
            ),
            error => format!("inotify failed: {error}; {CONSEQUENCE}"),
        })?;
        let closing = eventfd(0, EventfdFlags::CLOEXEC)
            .map_err(|error| format!("cannot make an eventfd: {error}; {CONSEQUENCE}"))?;
        let shared = Arc::new(InotifyShared { queue, closing, state: Mutex::default() });
        let watcher = InotifyThread::new(Arc::clone(&shared), root.to_owned(), wanted, most);
        let thread = thread::Builder::new().name("disk-watcher".to_owned()).stack_size(512 * 1024);
        thread
            .spawn(move || watcher.run())
            .map_err(|error| format!("cannot start a thread to watch folders: {error}; {CONSEQUENCE}"))?;
        Ok(Self(shared))
    }

    pub(super) fn problem(&self) -> Option<String> {
        self.0.lock().problem.clone()
    }

    /// The changes that happened before the call.
    pub(super) async fn wait_for_events(&self) -> CoalescedChanges {
        let (reached, barrier) = oneshot::channel();
        self.0.queue_barrier(Box::new(move || {
            let _ = reached.send(());
        }));
        let _ = barrier.await;
        mem::take(&mut self.0.lock().changes)
    }

    /// The same on a thread that may block. `None` if it takes longer.
    pub(super) fn wait_for_events_blocking(&self, timeout: Duration) -> Option<CoalescedChanges> {
        let (reached, barrier) = mpsc::channel();
        self.0.queue_barrier(Box::new(move || {
            let _ = reached.send(());
        }));
        match barrier.recv_timeout(timeout) {
            Err(RecvTimeoutError::Timeout) => None,
            Ok(()) | Err(RecvTimeoutError::Disconnected) => Some(mem::take(&mut self.0.lock().changes)),
        }
    }
}

impl fmt::Debug for InotifyWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InotifyWatcher").field("problem", &self.problem()).finish_non_exhaustive()
    }
}

impl Drop for InotifyWatcher {
    fn drop(&mut self) {
        // The thread ends, whatever the state of the queue is.
        let _ = rustix::io::write(&self.0.closing, &1_u64.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::disk_watcher::FileChangeType;

    #[tokio::test]
    async fn the_thread_ends_with_its_watcher() {
        let folder = tempfile::tempdir().unwrap();
        let watcher = InotifyWatcher::open(folder.path(), WatchedFolders::Sources, 100).unwrap();
        watcher.wait_for_events().await;
        let shared = Arc::downgrade(&watcher.0);
        drop(watcher);
        while shared.strong_count() > 0 {
            thread::yield_now();
        }
    }

    #[tokio::test]
    async fn after_an_overflow_missed_is_set_and_watching_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let watcher = InotifyWatcher::open(&root, WatchedFolders::Sources, 100).unwrap();
        assert!(!watcher.wait_for_events().await.missed);
        let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let most: usize = most.trim().parse().unwrap();
        {
            // The reader blocks meanwhile, with what it has read by then in its buffer.
            let _held = watcher.0.lock();
            for number in 0..most + BUFFERED {
                let (one, other) = (root.join("one"), root.join("other"));
                fs::write(if number % 2 == 0 { one } else { other }, "").unwrap();
            }
            fs::create_dir(root.join("unseen")).unwrap();
        }
        assert!(watcher.wait_for_events().await.missed);
        fs::write(root.join("unseen/file"), "").unwrap();
        let changes = watcher.wait_for_events().await.finish();
        assert_eq!(
            (changes.changed, changes.missed),
            (vec![(root.join("unseen/file"), FileChangeType::Created)], false)
        );
    }

    /// As many events as fit into the reader's buffer.
    const BUFFERED: usize = 64 * 1024 / 16;
}
