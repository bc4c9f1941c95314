//! One server in the pool: its launch, its state and its documents.

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
use crate::time_limits::LOCK_POLL_INTERVAL;

/// The name of a server and the root of its project.
pub(super) type SlotKey = (String, PathBuf);

#[derive(Debug)]
pub(super) struct ServerSlot {
    pub(super) launch: ServerLaunch,
    pub(super) created: Instant,
    /// Ids of the languages that it serves.
    pub(super) languages: Vec<String>,
    pub(super) state: watch::Sender<SlotState>,
    /// Checks share it. A proposed text needs it exclusively.
    pub(super) lock: Arc<RwLock<()>>,
    documents: Mutex<SlotDocuments>,
    used: Mutex<SlotUsage>,
    commands: mpsc::Sender<SlotCommand>,
}

#[derive(Debug)]
struct SlotUsage {
    last: Instant,
    /// Another source has served its files since.
    is_redundant: bool,
}

#[derive(Debug, Clone)]
pub(super) enum SlotState {
    Starting,
    Running(Arc<RunningServer>),
    /// It crashed, and restarts at this time.
    Backoff {
        why: String,
        until: Instant,
    },
    Failed {
        why: String,
    },
    /// It was asked to stop, or has stopped.
    Stopping,
}

#[derive(Debug)]
pub(super) struct RunningServer {
    pub(super) server: Arc<LanguageServer>,
    pub(super) root: Arc<WatchedRoot>,
    pub(super) since: Instant,
}

/// A command to the lifecycle task.
#[derive(Debug)]
pub(super) enum SlotCommand {
    /// It is no longer needed.
    Stop,
    /// It is needed after all.
    Keep,
    Restart,
    /// It must stop; the text completes "it was ended: …".
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
        let (commands, receiver) = mpsc::channel(16);
        let slot = Self {
            launch,
            created: Instant::now(),
            languages,
            state: watch::Sender::new(SlotState::Starting),
            lock: Arc::default(),
            documents: Mutex::new(SlotDocuments::new(most)),
            used: Mutex::new(SlotUsage { last: Instant::now(), is_redundant: false }),
            commands,
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

    /// Waits until the server is initialized or has failed. Does not wait until it has read its project.
    pub(super) async fn wait_started(&self, until: Instant) {
        let mut states = self.state.subscribe();
        let _ = timeout_at(until, states.wait_for(|state| !matches!(state, SlotState::Starting))).await;
    }

    /// The running server if it is ready. The error completes "what it says of this text is not known: …".
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
            SlotState::Backoff { why, .. } => Err(format!("it crashed and restarts soon: {why}")),
            SlotState::Failed { why } => Err(format!("it was given up: {why}")),
            SlotState::Stopping => Err("it is stopping".to_owned()),
        }
    }

    pub(super) fn documents(&self) -> MutexGuard<'_, SlotDocuments> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a text to the server, and closes the least recently used documents beyond the limit. Returns the text's
    /// hash.
    pub(super) fn sync_document(
        &self,
        alive: &RunningServer,
        subject: &CheckedDocument,
        language: &str,
    ) -> u64 {
        self.sync_with(alive, subject, language, || alive.server.sync_document(subject, language))
    }

    /// The same, after the server had a proposed text.
    pub(super) fn restore_document(
        &self,
        alive: &RunningServer,
        subject: &CheckedDocument,
        language: &str,
        before: Option<&str>,
    ) {
        self.sync_with(alive, subject, language, || alive.server.restore_document(subject, language, before));
    }

    fn sync_with(
        &self,
        alive: &RunningServer,
        subject: &CheckedDocument,
        language: &str,
        send: impl FnOnce(),
    ) -> u64 {
        let mut documents = self.documents();
        let (is_new, evicted) = documents.sync(subject, language);
        send();
        if is_new {
            alive.root.watcher.track(&subject.path);
        }
        for path in evicted {
            alive.server.close(&path);
            alive.root.watcher.untrack(&path);
        }
        documents.text_hash(&subject.path).unwrap_or_default()
    }

    /// Sends the current text of an open document, or closes it if the file is gone.
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
        *self.used() = SlotUsage { last: Instant::now(), is_redundant: false };
    }

    /// Another source serves its files, until this server is used again.
    pub(super) fn mark_redundant(&self) {
        self.used().is_redundant = true;
    }

    pub(super) fn last_used(&self) -> Instant {
        self.used().last
    }

    pub(super) fn is_redundant(&self) -> bool {
        self.used().is_redundant
    }

    fn used(&self) -> MutexGuard<'_, SlotUsage> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the server exclusively. Waits for ongoing checks at most `patience`. It polls instead of queueing, because
    /// a queued writer would block all later checks.
    pub(super) async fn lock_exclusive(
        &self,
        patience: Duration,
        until: Instant,
    ) -> Option<OwnedRwLockWriteGuard<()>> {
        let mut shared_since: Option<Instant> = None;
        loop {
            if let Ok(guard) = Arc::clone(&self.lock).try_write_owned() {
                return Some(guard);
            }
            let now = Instant::now();
            if self.lock.try_read().is_ok() {
                shared_since.get_or_insert(now);
            }
            if now >= until || shared_since.is_some_and(|since| now - since >= patience) {
                return None;
            }
            sleep_until(until.min(now + LOCK_POLL_INTERVAL)).await;
        }
    }

    /// No check uses it at this moment.
    pub(super) fn is_idle(&self) -> bool {
        self.lock.try_write().is_ok()
    }

    /// Returns whether the lifecycle task is there to receive it.
    pub(super) fn send_command(&self, command: SlotCommand) -> bool {
        self.commands.try_send(command).is_ok()
    }
}
