//! The place of one server in the pool: who it is, how it lives, and what it holds.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedRwLockWriteGuard, RwLock, mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::Texts;
use super::documents::Documents;
use super::root::Root;
use crate::known;
use crate::server::{Launch, Server, State};
use crate::source::Subject;

/// The name of a server and the root of its project.
pub(super) type Key = (String, PathBuf);

/// Nobody waits longer for a server to be greeted: what it says then is told later.
const GREETING: Duration = Duration::from_millis(1500);
/// How often whoever wants it alone looks whether it is free.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) launch: Launch,
    pub(super) made: Instant,
    /// Ids of the languages that it knows.
    pub(super) languages: Vec<String>,
    pub(super) life: watch::Sender<Life>,
    /// Whoever checks has it shared; whoever holds a text that is not the document's has it alone.
    pub(super) turn: Arc<RwLock<()>>,
    documents: Mutex<Documents>,
    used: Mutex<Used>,
    orders: mpsc::Sender<Order>,
}

#[derive(Debug)]
struct Used {
    last: Instant,
    /// Somebody else has answered for its files since.
    is_spare: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Life {
    Starting,
    Running(Arc<Alive>),
    /// It broke, and is started again at this time.
    Resting {
        why: String,
        until: Instant,
    },
    GivenUp {
        why: String,
    },
    /// It is asked to end, or has ended.
    Ending,
}

#[derive(Debug)]
pub(super) struct Alive {
    pub(super) server: Arc<Server>,
    pub(super) root: Arc<Root>,
    pub(super) since: Instant,
}

/// What the task that a server lives in is told.
#[derive(Debug)]
pub(super) enum Order {
    /// Nobody needs it.
    Stop,
    /// Somebody needs it after all.
    Want,
    Restart,
    /// It must not go on; `0` completes "it was ended: …".
    GiveUp(String),
}

impl Slot {
    pub(super) fn new(launch: Launch, language: &str, most: usize) -> (Arc<Self>, mpsc::Receiver<Order>) {
        let languages = match known::server(&launch.name) {
            Some(known) => known.languages.clone(),
            None => vec![language.to_owned()],
        };
        let (orders, receiver) = mpsc::channel(16);
        let slot = Self {
            launch,
            made: Instant::now(),
            languages,
            life: watch::Sender::new(Life::Starting),
            turn: Arc::default(),
            documents: Mutex::new(Documents::new(most)),
            used: Mutex::new(Used { last: Instant::now(), is_spare: false }),
            orders,
        };
        (Arc::new(slot), receiver)
    }

    pub(super) fn key(&self) -> Key {
        (self.launch.name.clone(), self.launch.root.clone())
    }

    pub(super) fn life(&self) -> Life {
        self.life.borrow().clone()
    }

    pub(super) fn alive(&self) -> Option<Arc<Alive>> {
        match &*self.life.borrow() {
            Life::Running(alive) => Some(Arc::clone(alive)),
            _ => None,
        }
    }

    /// Waits until its process is greeted, or known not to be, though not for long: one that waits for a place, or is written
    /// in Java, takes any time. What it has to read afterwards is not waited for here.
    pub(super) async fn begun(&self, until: Instant) {
        let mut life = self.life.subscribe();
        let until = until.min(Instant::now() + GREETING);
        let _ = timeout_at(until, life.wait_for(|life| !matches!(life, Life::Starting))).await;
    }

    /// Whoever runs, or completes "what it says of this text is not known: …".
    pub(super) fn ready(&self) -> Result<Arc<Alive>, String> {
        match self.life() {
            Life::Running(alive) => match alive.server.state() {
                State::Ready => Ok(alive),
                State::Indexing { message, percent } => {
                    let message = message.map(|message| format!(": {message}")).unwrap_or_default();
                    let percent = percent.map(|percent| format!(" ({percent} %)")).unwrap_or_default();
                    Err(format!("it is still reading the project{message}{percent}"))
                }
                State::Hung { request } => Err(format!("it does not answer (`{request}`)")),
                State::Ended { why } => Err(format!("it has ended: {why}")),
            },
            Life::Starting => Err("it is starting".to_owned()),
            Life::Resting { why, .. } => Err(format!("it broke and is started again soon: {why}")),
            Life::GivenUp { why } => Err(format!("it was given up: {why}")),
            Life::Ending => Err("it is ending".to_owned()),
        }
    }

    pub(super) fn documents(&self) -> MutexGuard<'_, Documents> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds a text, and lets go of the one that was used least where there are too many. Gives what stands for the text.
    pub(super) fn hold(&self, alive: &Alive, subject: &Subject, language: &str) -> u64 {
        self.hold_by(alive, subject, language, || alive.server.hold(subject, language))
    }

    /// The same, after another text was lent to the server.
    pub(super) fn give_back(&self, alive: &Alive, subject: &Subject, language: &str, before: Option<&str>) {
        self.hold_by(alive, subject, language, || alive.server.give_back(subject, language, before));
    }

    fn hold_by(&self, alive: &Alive, subject: &Subject, language: &str, tell: impl FnOnce()) -> u64 {
        let mut documents = self.documents();
        let (is_new, let_go) = documents.hold(subject, language);
        tell();
        if is_new {
            alive.root.watched.hold(&subject.path);
        }
        for path in let_go {
            alive.server.close(&path);
            alive.root.watched.let_go(&path);
        }
        documents.text(&subject.path).unwrap_or_default()
    }

    /// Holds what is held as it is now, or lets go of what is no more.
    pub(super) fn refresh(&self, alive: &Alive, texts: &dyn Texts, path: &Path) {
        let language = self.documents().language(path).map(str::to_owned);
        match texts.text(path).zip(language) {
            Some((subject, language)) => _ = self.hold(alive, &subject, &language),
            None => self.close(alive, path),
        }
    }

    pub(super) fn close(&self, alive: &Alive, path: &Path) {
        if self.documents().close(path) {
            alive.server.close(path);
            alive.root.watched.let_go(path);
        }
    }

    pub(super) fn touch(&self) {
        *self.used() = Used { last: Instant::now(), is_spare: false };
    }

    /// Somebody else answers for its files, until it is asked again.
    pub(super) fn spare(&self) {
        self.used().is_spare = true;
    }

    pub(super) fn last_used(&self) -> Instant {
        self.used().last
    }

    pub(super) fn is_spare(&self) -> bool {
        self.used().is_spare
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The turn of whoever wants it alone. Those who ask it something in turn are not waited for longer than `patience`, and none
    /// of them is kept waiting: whoever stands in the queue of such a lock holds up all that come after.
    pub(super) async fn alone(
        &self,
        patience: Duration,
        until: Instant,
    ) -> Option<OwnedRwLockWriteGuard<()>> {
        let mut is_shared: Option<Instant> = None;
        loop {
            if let Ok(turn) = Arc::clone(&self.turn).try_write_owned() {
                return Some(turn);
            }
            let now = Instant::now();
            if self.turn.try_read().is_ok() {
                is_shared.get_or_insert(now);
            }
            if now >= until || is_shared.is_some_and(|since| now - since >= patience) {
                return None;
            }
            sleep_until(until.min(now + LOOK)).await;
        }
    }

    /// Nobody asks it anything at this moment.
    pub(super) fn is_free(&self) -> bool {
        self.turn.try_write().is_ok()
    }

    /// Tells whether there is anybody to hear it.
    pub(super) fn order(&self, order: Order) -> bool {
        self.orders.try_send(order).is_ok()
    }
}
