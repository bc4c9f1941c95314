//! The place of one server in the pool: who it is, how it lives, and what it holds.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedRwLockWriteGuard, RwLock, mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::DocumentProvider;
use super::documents::SlotDocuments;
use super::watched_root::WatchedRoot;
use crate::known_servers;
use crate::server::{LanguageServer, LanguageServerState, ServerLaunch};
use crate::source::CheckedDocument;
use crate::time_limits::{LOCK_POLL_INTERVAL, START_WAIT};

/// The name of a server and the root of its project.
pub(super) type SlotKey = (String, PathBuf);

#[derive(Debug)]
pub(super) struct ServerSlot {
    pub(super) launch: ServerLaunch,
    pub(super) created: Instant,
    /// Ids of the languages that it knows.
    pub(super) languages: Vec<String>,
    pub(super) state: watch::Sender<SlotState>,
    /// Whoever checks has it shared; whoever holds a text that is not the document's has it alone.
    pub(super) lock: Arc<RwLock<()>>,
    documents: Mutex<SlotDocuments>,
    used: Mutex<SlotUsage>,
    orders: mpsc::Sender<SlotCommand>,
}

#[derive(Debug)]
struct SlotUsage {
    last: Instant,
    /// Somebody else has answered for its files since.
    is_spare: bool,
}

#[derive(Debug, Clone)]
pub(super) enum SlotState {
    Starting,
    Running(Arc<RunningServer>),
    /// It broke, and is started again at this time.
    Backoff {
        why: String,
        until: Instant,
    },
    Failed {
        why: String,
    },
    /// It is asked to end, or has ended.
    Stopping,
}

#[derive(Debug)]
pub(super) struct RunningServer {
    pub(super) server: Arc<LanguageServer>,
    pub(super) root: Arc<WatchedRoot>,
    pub(super) since: Instant,
}

/// What the task that a server lives in is told.
#[derive(Debug)]
pub(super) enum SlotCommand {
    /// Nobody needs it.
    Stop,
    /// Somebody needs it after all.
    Keep,
    Restart,
    /// It must not go on; `0` completes "it was ended: …".
    GiveUp(String),
}

impl ServerSlot {
    pub(super) fn new(
        launch: ServerLaunch,
        language: &str,
        most: usize,
    ) -> (Arc<Self>, mpsc::Receiver<SlotCommand>) {
        let languages = match known_servers::known_server(&launch.name) {
            Some(known) => known.languages.clone(),
            None => vec![language.to_owned()],
        };
        let (orders, receiver) = mpsc::channel(16);
        let slot = Self {
            launch,
            created: Instant::now(),
            languages,
            state: watch::Sender::new(SlotState::Starting),
            lock: Arc::default(),
            documents: Mutex::new(SlotDocuments::new(most)),
            used: Mutex::new(SlotUsage { last: Instant::now(), is_spare: false }),
            orders,
        };
        (Arc::new(slot), receiver)
    }

    pub(super) fn key(&self) -> SlotKey {
        (self.launch.name.clone(), self.launch.root.clone())
    }

    pub(super) fn state(&self) -> SlotState {
        self.state.borrow().clone()
    }

    pub(super) fn running(&self) -> Option<Arc<RunningServer>> {
        match &*self.state.borrow() {
            SlotState::Running(alive) => Some(Arc::clone(alive)),
            _ => None,
        }
    }

    /// Waits until its process is greeted, or known not to be, though not for long: one that waits for a place, or is written
    /// in Java, takes any time. What it has to read afterwards is not waited for here.
    pub(super) async fn wait_started(&self, until: Instant) {
        let mut life = self.state.subscribe();
        let until = until.min(Instant::now() + START_WAIT);
        let _ = timeout_at(until, life.wait_for(|life| !matches!(life, SlotState::Starting))).await;
    }

    /// Whoever runs, or completes "what it says of this text is not known: …".
    pub(super) fn ready_server(&self) -> Result<Arc<RunningServer>, String> {
        match self.state() {
            SlotState::Running(alive) => match alive.server.state() {
                LanguageServerState::Ready => Ok(alive),
                LanguageServerState::Indexing { message, percent } => {
                    let message = message.map(|message| format!(": {message}")).unwrap_or_default();
                    let percent = percent.map(|percent| format!(" ({percent} %)")).unwrap_or_default();
                    Err(format!("it is still reading the project{message}{percent}"))
                }
                LanguageServerState::Hung { request } => Err(format!("it does not answer (`{request}`)")),
                LanguageServerState::Ended { why } => Err(format!("it has ended: {why}")),
            },
            SlotState::Starting => Err("it is starting".to_owned()),
            SlotState::Backoff { why, .. } => Err(format!("it broke and is started again soon: {why}")),
            SlotState::Failed { why } => Err(format!("it was given up: {why}")),
            SlotState::Stopping => Err("it is ending".to_owned()),
        }
    }

    pub(super) fn documents(&self) -> MutexGuard<'_, SlotDocuments> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds a text, and lets go of the one that was used least where there are too many. Gives what stands for the text.
    pub(super) fn sync_document(
        &self,
        alive: &RunningServer,
        subject: &CheckedDocument,
        language: &str,
    ) -> u64 {
        self.hold_by(alive, subject, language, || alive.server.sync_document(subject, language))
    }

    /// The same, after another text was lent to the server.
    pub(super) fn restore_document(
        &self,
        alive: &RunningServer,
        subject: &CheckedDocument,
        language: &str,
        before: Option<&str>,
    ) {
        self.hold_by(alive, subject, language, || alive.server.restore_document(subject, language, before));
    }

    fn hold_by(
        &self,
        alive: &RunningServer,
        subject: &CheckedDocument,
        language: &str,
        tell: impl FnOnce(),
    ) -> u64 {
        let mut documents = self.documents();
        let (is_new, let_go) = documents.sync(subject, language);
        tell();
        if is_new {
            alive.root.watcher.track(&subject.path);
        }
        for path in let_go {
            alive.server.close(&path);
            alive.root.watcher.untrack(&path);
        }
        documents.text_hash(&subject.path).unwrap_or_default()
    }

    /// Holds what is held as it is now, or lets go of what is no more.
    pub(super) fn refresh(&self, alive: &RunningServer, texts: &dyn DocumentProvider, path: &Path) {
        let language = self.documents().language(path).map(str::to_owned);
        match texts.document(path).zip(language) {
            Some((subject, language)) => _ = self.sync_document(alive, &subject, &language),
            None => self.close(alive, path),
        }
    }

    pub(super) fn close(&self, alive: &RunningServer, path: &Path) {
        if self.documents().close(path) {
            alive.server.close(path);
            alive.root.watcher.untrack(path);
        }
    }

    pub(super) fn mark_used(&self) {
        *self.used() = SlotUsage { last: Instant::now(), is_spare: false };
    }

    /// Somebody else answers for its files, until it is asked again.
    pub(super) fn mark_redundant(&self) {
        self.used().is_spare = true;
    }

    pub(super) fn last_used(&self) -> Instant {
        self.used().last
    }

    pub(super) fn is_redundant(&self) -> bool {
        self.used().is_spare
    }

    fn used(&self) -> MutexGuard<'_, SlotUsage> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn of whoever wants it alone. Those who ask it something in turn are not waited for longer than `patience`, and none
    /// of them is kept waiting: whoever stands in the queue of such a lock holds up all that come after.
    pub(super) async fn lock_exclusive(
        &self,
        patience: Duration,
        until: Instant,
    ) -> Option<OwnedRwLockWriteGuard<()>> {
        let mut is_shared: Option<Instant> = None;
        loop {
            if let Ok(turn) = Arc::clone(&self.lock).try_write_owned() {
                return Some(turn);
            }
            let now = Instant::now();
            if self.lock.try_read().is_ok() {
                is_shared.get_or_insert(now);
            }
            if now >= until || is_shared.is_some_and(|since| now - since >= patience) {
                return None;
            }
            sleep_until(until.min(now + LOCK_POLL_INTERVAL)).await;
        }
    }

    /// Nobody asks it anything at this moment.
    pub(super) fn is_free(&self) -> bool {
        self.lock.try_write().is_ok()
    }

    /// Tells whether there is anybody to hear it.
    pub(super) fn send_command(&self, order: SlotCommand) -> bool {
        self.orders.try_send(order).is_ok()
    }
}
