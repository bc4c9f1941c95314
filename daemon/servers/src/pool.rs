//! The daemon's own language servers: one for each project and kind. The pool starts one when a file is read or
//! checked, and stops it when it has been idle for a while.
//!
//! However many ask at once, a server starts once. After a crash it restarts with a delay; after too many crashes, or
//! with too much memory, it is given up. [`ServerPool::status`] lists all servers. The pool reads no configuration: a
//! [`ServerChooser`] selects the servers of a file, a [`DocumentProvider`] provides its text.
//!
//! Invariant: a check never waits past its deadline. Until then it waits for a server that still reads its project.
//! Invariant: servers, their documents and what is remembered of them are capped.
//! Invariant: no server outlives the pool, however it ends.

mod affected_files;
mod answers;
mod check;
mod code_leases;
mod command_watcher;
mod dependents;
mod documents;
mod doubtful_diagnostics;
mod formatting;
mod housekeeping;
mod lifecycle;
mod memory;
mod prior_diagnostics;
mod proposed_text;
mod recent_changes;
mod server_groups;
mod slot;
mod source;
mod status;
#[cfg(test)]
mod tests;
mod watched_root;
mod when_ready;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use copydesk_workspace::process::Processes;
use futures_util::future::join_all;
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::recent_changes::RecentDiskChanges;
use self::slot::{ServerSlot, SlotCommand, SlotKey};
use self::watched_root::WatchedRoot;
use crate::server_selection::SelectedServer;
use crate::source::DocumentProvider;
use crate::time_limits::{DEPENDENTS_TIMEOUT, IDLE_TIMEOUT, REDUNDANT_IDLE_TIMEOUT, RESTART_DELAY};

pub use self::command_watcher::PoolCommandWatcher;
pub use self::doubtful_diagnostics::drop_echoes;
pub use self::source::PoolSource;
pub use self::status::{ServerPhase, ServerStatus, UninstalledServer};

/// Selects the servers of a file.
pub trait ServerChooser: Send + Sync {
    fn servers_for(&self, path: &Path, first_line: &str) -> Vec<SelectedServer>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLimits {
    pub servers: usize,
    /// Open documents of one server.
    pub documents: usize,
    /// In bytes, for a server and its child processes.
    pub memory: u64,
    /// A server that is unused for so long is stopped.
    pub idle: Duration,
    /// The same if another source serves its files.
    pub idle_redundant: Duration,
    /// Crashes in a row after which a server is given up.
    pub failures: u32,
    /// The delay after the first crash. Each further one is four times as long.
    pub restart_delay: Duration,
    /// Dependents that are checked for one changed file.
    pub dependents: usize,
    /// Files that are checked if the server's configuration changes. They are opened for it, so it is less than `documents`.
    pub configured: usize,
    /// How long to search for dependents, unless they are known. The server checks the file itself meanwhile.
    pub dependents_timeout: Duration,
    /// Watched folders of one project.
    pub folders: usize,
}

impl Default for PoolLimits {
    fn default() -> Self {
        Self {
            servers: 8,
            documents: 200,
            memory: 4 << 30,
            idle: IDLE_TIMEOUT,
            idle_redundant: REDUNDANT_IDLE_TIMEOUT,
            failures: 4,
            restart_delay: RESTART_DELAY,
            dependents: 32,
            configured: 150,
            dependents_timeout: DEPENDENTS_TIMEOUT,
            folders: copydesk_workspace::disk_watcher::DEFAULT_MAX_FOLDERS,
        }
    }
}

/// Clones share the pool. When the last one is dropped, every server stops.
#[derive(Debug, Clone)]
pub struct ServerPool {
    shared: Arc<PoolInner>,
    _owner: Arc<PoolCloseGuard>,
}

struct PoolInner {
    processes: Processes,
    texts: Arc<dyn DocumentProvider>,
    chooser: Arc<dyn ServerChooser>,
    limits: PoolLimits,
    slots: Mutex<BTreeMap<SlotKey, Arc<ServerSlot>>>,
    roots: Mutex<BTreeMap<PathBuf, Weak<WatchedRoot>>>,
    missing: Mutex<BTreeMap<String, UninstalledServer>>,
    recent: Mutex<RecentDiskChanges>,
    /// One permit for each server that may run.
    server_permits: Arc<Semaphore>,
    /// One permit for each background search for dependents.
    search_permits: Arc<Semaphore>,
    tasks: TaskTracker,
    closed: CancellationToken,
    /// Counts changes of any server, so that views know when to refresh.
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct PoolCloseGuard(CancellationToken);

impl Drop for PoolCloseGuard {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl ServerPool {
    /// `processes` must be the pool's own: nothing else may be started with it.
    pub fn new(
        processes: Processes,
        chooser: Arc<dyn ServerChooser>,
        texts: Arc<dyn DocumentProvider>,
        limits: PoolLimits,
    ) -> Self {
        let closed = CancellationToken::new();
        let shared = Arc::new(PoolInner {
            processes,
            texts,
            chooser,
            limits,
            slots: Mutex::default(),
            roots: Mutex::default(),
            missing: Mutex::default(),
            recent: Mutex::default(),
            server_permits: Arc::new(Semaphore::new(limits.servers)),
            search_permits: Arc::new(Semaphore::new(2)),
            tasks: TaskTracker::new(),
            closed: closed.clone(),
            changes: watch::Sender::new(0),
        });
        Self { shared, _owner: Arc::new(PoolCloseGuard(closed)) }
    }

    /// The status of every server that was started and not stopped since.
    pub fn status(&self) -> Vec<ServerStatus> {
        status::server_statuses(&self.shared)
    }

    /// Changes with every change of [`ServerPool::status`] but memory.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Servers that were needed and are not installed.
    pub fn uninstalled_servers(&self) -> Vec<UninstalledServer> {
        self.shared.missing().values().cloned().collect()
    }

    /// Restarts the servers of this name in every project, including failed ones. Returns how many.
    pub fn restart(&self, name: &str) -> usize {
        let slots = self.shared.all_slots();
        let named = slots.iter().filter(|slot| slot.launch.name == name);
        named.filter(|slot| slot.send_command(SlotCommand::Restart)).count()
    }

    /// Stops every server, and starts none from now on.
    pub async fn shut_down(&self) {
        self.shared.closed.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}

impl PoolInner {
    fn slots(&self) -> MutexGuard<'_, BTreeMap<SlotKey, Arc<ServerSlot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all_slots(&self) -> Vec<Arc<ServerSlot>> {
        self.slots().values().cloned().collect()
    }

    fn missing(&self) -> MutexGuard<'_, BTreeMap<String, UninstalledServer>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> MutexGuard<'_, RecentDiskChanges> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When this returns true, all earlier changes on the disk in a folder are known. False if the time ran out, or a
    /// watcher does not see everything.
    async fn settle(&self, folder: &Path, until: Instant) -> bool {
        let is_there = |path: &Path| path.starts_with(folder) || folder.starts_with(path);
        let roots: Vec<_> = self
            .roots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .filter(|(path, _)| is_there(path))
            .filter_map(|(_, root)| root.upgrade())
            .collect();
        let settled = join_all(roots.iter().map(|root| root.settle_changes(self, until))).await;
        settled.into_iter().all(|is_settled| is_settled)
    }

    fn notify_changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl fmt::Debug for PoolInner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolInner").field("limits", &self.limits).finish_non_exhaustive()
    }
}
