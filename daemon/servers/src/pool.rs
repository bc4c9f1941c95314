//! Our own language servers: one for each project and kind, started when a file of it is read or checked, and ended when nobody
//! has asked it anything for a while.
//!
//! A server is started once however many ask at the same time, begun again after a pause where it breaks, given up where it goes
//! on breaking, and ended where it takes too much memory. What each of them is about is in [`ServerPool::status`]. The pool reads no
//! configuration: [`ServerChooser`] says which servers serve a file, [`DocumentProvider`] what stands in one now.
//!
//! Invariant: asking never waits past the time it was given, and for no server that has not read its project yet.
//! Invariant: servers, documents that one holds, and what is remembered of each have an end.
//! Invariant: no server outlives the pool, by whatever end.

mod answers;
mod check;
mod command_watcher;
mod dependents;
mod documents;
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
pub use self::source::PoolSource;
pub use self::status::{ServerPhase, ServerStatus, UninstalledServer};

/// Which servers serve a file.
pub trait ServerChooser: Send + Sync {
    fn servers_for(&self, path: &Path, first_line: &str) -> Vec<SelectedServer>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLimits {
    pub servers: usize,
    /// That one server holds at the same time.
    pub documents: usize,
    /// In bytes, of a server and all that it started.
    pub memory: u64,
    /// After so long without a question a server ends.
    pub idle: Duration,
    /// The same where somebody else answers for its files.
    pub idle_redundant: Duration,
    /// How often a server may break in a row before it is given up.
    pub failures: u32,
    /// The first pause after that; each further one is four times as long.
    pub restart_delay: Duration,
    /// Other files that are looked at for one that changed.
    pub dependents: usize,
    /// How long they are looked for, where it was not known before; meanwhile the server looks at the file itself.
    pub dependents_timeout: Duration,
    /// Folders of one project that are watched.
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
            dependents_timeout: DEPENDENTS_TIMEOUT,
            folders: crate::disk_watcher::MOST_FOLDERS,
        }
    }
}

/// Clones are the same pool; with the last one every server ends.
#[derive(Debug, Clone)]
pub struct ServerPool {
    shared: Arc<PoolInner>,
    _owner: Arc<PoolCloseGuard>,
}

struct PoolInner {
    processes: Processes,
    texts: Arc<dyn DocumentProvider>,
    choose: Arc<dyn ServerChooser>,
    limits: PoolLimits,
    slots: Mutex<BTreeMap<SlotKey, Arc<ServerSlot>>>,
    roots: Mutex<BTreeMap<PathBuf, Weak<WatchedRoot>>>,
    missing: Mutex<BTreeMap<String, UninstalledServer>>,
    recent: Mutex<RecentDiskChanges>,
    /// One for each server that may run.
    places: Arc<Semaphore>,
    /// One for each search that runs without anybody waiting.
    looking: Arc<Semaphore>,
    tasks: TaskTracker,
    closed: CancellationToken,
    /// Counts what happened to any server, so that views know when to look again.
    news: watch::Sender<u64>,
}

#[derive(Debug)]
struct PoolCloseGuard(CancellationToken);

impl Drop for PoolCloseGuard {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl ServerPool {
    /// `processes` are the pool's own: nothing else may be started by them.
    pub fn new(
        processes: Processes,
        choose: Arc<dyn ServerChooser>,
        texts: Arc<dyn DocumentProvider>,
        limits: PoolLimits,
    ) -> Self {
        let closed = CancellationToken::new();
        let shared = Arc::new(PoolInner {
            processes,
            texts,
            choose,
            limits,
            slots: Mutex::default(),
            roots: Mutex::default(),
            missing: Mutex::default(),
            recent: Mutex::default(),
            places: Arc::new(Semaphore::new(limits.servers)),
            looking: Arc::new(Semaphore::new(2)),
            tasks: TaskTracker::new(),
            closed: closed.clone(),
            news: watch::Sender::new(0),
        });
        Self { shared, _owner: Arc::new(PoolCloseGuard(closed)) }
    }

    /// How every server is that was started and not ended since.
    pub fn status(&self) -> Vec<ServerStatus> {
        status::server_statuses(&self.shared)
    }

    /// Changes with every change of [`ServerPool::status`] but memory.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.shared.news.subscribe()
    }

    /// Servers that were wanted and are not installed.
    pub fn uninstalled_servers(&self) -> Vec<UninstalledServer> {
        self.shared.missing().values().cloned().collect()
    }

    /// Ends the servers of this name, in every project, and starts them again, whatever they broke of. Tells how many.
    pub fn restart(&self, name: &str) -> usize {
        let slots = self.shared.all();
        let named = slots.iter().filter(|slot| slot.launch.name == name);
        named.filter(|slot| slot.send_command(SlotCommand::Restart)).count()
    }

    /// Ends every server, and starts none any more.
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

    fn all(&self) -> Vec<Arc<ServerSlot>> {
        self.slots().values().cloned().collect()
    }

    fn missing(&self) -> MutexGuard<'_, BTreeMap<String, UninstalledServer>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> MutexGuard<'_, RecentDiskChanges> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When this is done, it is known what was changed on the disk of every project before it was called.
    async fn settle(&self, until: Instant) {
        let roots: Vec<_> = self
            .roots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .filter_map(Weak::upgrade)
            .collect();
        join_all(roots.iter().map(|root| root.settle_changes(self, until))).await;
    }

    fn changed(&self) {
        self.news.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl fmt::Debug for PoolInner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("limits", &self.limits).finish_non_exhaustive()
    }
}
