//! Our own language servers: one for each project and kind, started when a file of it is read or checked, and ended when nobody
//! has asked it anything for a while.
//!
//! A server is started once however many ask at the same time, begun again after a pause where it breaks, given up where it goes
//! on breaking, and ended where it takes too much memory. What each of them is about is in [`Pool::status`]. The pool reads no
//! configuration: [`Choose`] says which servers serve a file, [`Texts`] what stands in one now.
//!
//! Invariant: asking never waits past the time it was given, and for no server that has not read its project yet.
//! Invariant: servers, documents that one holds, and what is remembered of each have an end.
//! Invariant: no server outlives the pool, by whatever end.

mod answers;
mod ask;
mod chosen;
mod documents;
mod form;
mod house;
mod late;
mod life;
mod linked;
mod memory;
mod past;
mod recent;
mod root;
mod shadow;
mod slot;
mod source;
mod status;
#[cfg(test)]
mod tests;
mod witness;

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

use self::recent::Recent;
use self::root::Root;
use self::slot::{Key, Order, Slot};
use crate::choose::Chosen;
use crate::source::Texts;

pub use self::source::Besides;
pub use self::status::{Missing, Phase, Running};
pub use self::witness::Overseer;

/// Which servers serve a file.
pub trait Choose: Send + Sync {
    fn servers_for(&self, path: &Path, first_line: &str) -> Vec<Chosen>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub servers: usize,
    /// That one server holds at the same time.
    pub documents: usize,
    /// In bytes, of a server and all that it started.
    pub memory: u64,
    /// After so long without a question a server ends.
    pub idle: Duration,
    /// The same where somebody else answers for its files.
    pub spare: Duration,
    /// How often a server may break in a row before it is given up.
    pub failures: u32,
    /// The first pause after that; each further one is four times as long.
    pub pause: Duration,
    /// Other files that are looked at for one that changed.
    pub dependents: usize,
    /// How long they are looked for, where it was not known before; meanwhile the server looks at the file itself.
    pub looking: Duration,
    /// Folders of one project that are watched.
    pub folders: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            servers: 8,
            documents: 200,
            memory: 4 << 30,
            idle: Duration::from_secs(600),
            spare: Duration::from_secs(60),
            failures: 4,
            pause: Duration::from_secs(1),
            dependents: 32,
            looking: Duration::from_millis(200),
            folders: crate::watched::MOST_FOLDERS,
        }
    }
}

/// Clones are the same pool; with the last one every server ends.
#[derive(Debug, Clone)]
pub struct Pool {
    shared: Arc<Shared>,
    _owner: Arc<Owner>,
}

struct Shared {
    processes: Processes,
    texts: Arc<dyn Texts>,
    choose: Arc<dyn Choose>,
    limits: Limits,
    slots: Mutex<BTreeMap<Key, Arc<Slot>>>,
    roots: Mutex<BTreeMap<PathBuf, Weak<Root>>>,
    missing: Mutex<BTreeMap<String, Missing>>,
    recent: Mutex<Recent>,
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
struct Owner(CancellationToken);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Pool {
    /// `processes` are the pool's own: nothing else may be started by them.
    pub fn new(processes: Processes, choose: Arc<dyn Choose>, texts: Arc<dyn Texts>, limits: Limits) -> Self {
        let closed = CancellationToken::new();
        let shared = Arc::new(Shared {
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
        Self { shared, _owner: Arc::new(Owner(closed)) }
    }

    /// How every server is that was started and not ended since.
    pub fn status(&self) -> Vec<Running> {
        status::status(&self.shared)
    }

    /// Changes with every change of [`Pool::status`] but memory.
    pub fn news(&self) -> watch::Receiver<u64> {
        self.shared.news.subscribe()
    }

    /// Servers that were wanted and are not installed.
    pub fn missing(&self) -> Vec<Missing> {
        self.shared.missing().values().cloned().collect()
    }

    /// Ends the servers of this name, in every project, and starts them again, whatever they broke of. Tells how many.
    pub fn restart(&self, name: &str) -> usize {
        let slots = self.shared.all();
        let named = slots.iter().filter(|slot| slot.launch.name == name);
        named.filter(|slot| slot.order(Order::Restart)).count()
    }

    /// Ends every server, and starts none any more.
    pub async fn end(&self) {
        self.shared.closed.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}

impl Shared {
    fn slots(&self) -> MutexGuard<'_, BTreeMap<Key, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all(&self) -> Vec<Arc<Slot>> {
        self.slots().values().cloned().collect()
    }

    fn missing(&self) -> MutexGuard<'_, BTreeMap<String, Missing>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
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
        join_all(roots.iter().map(|root| root.settle(self, until))).await;
    }

    fn changed(&self) {
        self.news.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("limits", &self.limits).finish_non_exhaustive()
    }
}
