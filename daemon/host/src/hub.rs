//! The sessions that the desk has at hand, and whoever is attached to them.
//!
//! A session belongs to the desk, not to a window: it works on when its clients go, and a client that comes gets what there
//! is and from then on every event. A session that nobody is attached to and that does not work is let go.
//!
//! Invariant: events of a session are numbered without gaps, in the order in which they happened, and each attached client
//! is sent them in that order; one that does not keep up misses some, sees the gap, and loads again.
//! Invariant: an ask goes to every attached client, and to each that attaches while it is open; the first reply wins.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use copydesk_config::paths::Paths;
use copydesk_protocol::desk::{LiveSession, TierCount};
use copydesk_session::{Id, Session, Store, StoreError, now};
use copydesk_workspace::buffers::{Buffers, ClientId};
use copydesk_workspace::journal::Journal;
use copydesk_workspace::reviews::Reviews;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::editors::Editors;
use crate::languages::Servers;
use crate::setup::Setup;

mod context;
pub mod convert;
mod error;
mod held;
mod inline;
mod outbox;
mod reviewing;
mod seat;
mod tiers;
mod undo;
mod view;
mod waiting;

pub use convert::session;
pub use error::HubError;
pub use held::{Held, Prompted, parts_before};
pub use outbox::{Message, Outbox};
pub(crate) use seat::Seat;
use tiers::Tiers;

/// What the desk has for all its sessions.
pub struct Hub {
    paths: Paths,
    pub store: Store,
    pub buffers: Buffers,
    pub editors: Editors,
    pub servers: Servers,
    journal: Option<Journal>,
    pub reviews: Reviews,
    sessions: Mutex<HashMap<String, Arc<Held>>>,
    turns: watch::Sender<usize>,
    tiers: Tiers,
    /// No session begins to work any more. Written and read under the lock of the sessions.
    ending: AtomicBool,
    /// When it began, in milliseconds since 1970.
    pub started: u64,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hub").finish_non_exhaustive()
    }
}

impl Hub {
    pub fn new(paths: Paths, store: Store, journal: Option<Journal>) -> Self {
        let reviews = Reviews::new(journal.clone());
        let buffers = Buffers::followed_by(Arc::new(reviews.clone()));
        Self {
            servers: Servers::new(buffers.clone(), paths.home.clone()),
            paths,
            store,
            buffers,
            editors: Editors::default(),
            reviews,
            journal,
            sessions: Mutex::default(),
            turns: watch::Sender::new(0),
            tiers: Tiers::default(),
            ending: AtomicBool::new(false),
            started: now(),
        }
    }

    /// How many turns run.
    pub fn turns(&self) -> watch::Receiver<usize> {
        self.turns.subscribe()
    }

    /// How often each tier of matching found the place of an edit.
    pub fn tiers(&self) -> Vec<TierCount> {
        self.tiers.counts()
    }

    /// The setup of a folder: its configuration, and the user's own.
    pub fn setup(&self, folder: &Path) -> Setup {
        Setup { cwd: folder.to_owned(), paths: self.paths.clone() }
    }

    /// Makes a session. It is in the store at once, so that it can be found again.
    pub async fn create(
        &self,
        folder: PathBuf,
        agent: Option<String>,
        model: Option<String>,
    ) -> Result<Session, HubError> {
        let setup = self.setup(&folder);
        let loaded = setup.load().map_err(HubError::failed)?;
        let agents = crate::agents::Agents::new(&setup, &loaded).map_err(HubError::failed)?;
        let agent = agent.unwrap_or_else(|| crate::agents::first(&setup, &loaded));
        agents.find(&agent).map_err(|error| HubError::UnknownAgent(error.to_string()))?;
        if let Some(model) = &model {
            let models = setup.registry(&loaded).map_err(HubError::failed)?;
            models.model(model).map_err(|error| HubError::UnknownModel(error.to_string()))?;
        }
        let (id, time) = (Id::new(), now());
        let session = Session {
            id,
            folder,
            title: String::new(),
            agent,
            model,
            parent: None,
            review: None,
            created: time,
            updated: time,
        };
        self.store.put_session(session.clone()).await?;
        Ok(session)
    }

    /// The session of this id, at hand from now on.
    pub async fn hold(self: &Arc<Self>, id: &str) -> Result<Arc<Held>, HubError> {
        if let Some(held) = self.lock().get(id) {
            return Ok(Arc::clone(held));
        }
        let session = self.store.session(id).await?;
        let key = session.id.to_string();
        let mut sessions = self.lock();
        let held = sessions.entry(key).or_insert_with(|| Held::new(self, session));
        Ok(Arc::clone(held))
    }

    /// The one at hand, if it is.
    pub fn held(&self, id: &str) -> Option<Arc<Held>> {
        self.lock().get(id).cloned()
    }

    pub async fn delete(self: &Arc<Self>, id: &str) -> Result<(), HubError> {
        let held = self.hold(id).await?;
        let _claim = held.end().await?;
        self.lock().remove(held.id().as_str());
        // Those that worked for it go with it.
        let is_below = |other: &Held| other.session().parent.as_ref() == Some(held.id());
        let below: Vec<_> =
            self.lock().extract_if(|_, other| is_below(other)).map(|(_, other)| other).collect();
        for other in below {
            let _claim = other.end().await;
        }
        self.store.delete_session(held.id()).await?;
        self.reviews.forget(held.id().as_str());
        if let Some(journal) = &self.journal {
            // Its entries go with the bound otherwise.
            let _ = journal.forget(held.id().as_str()).await;
        }
        Ok(())
    }

    /// A client is gone: what it was attached to goes on without it.
    pub fn leave_all(&self, client: ClientId) {
        self.buffers.detach(client);
        self.editors.remove(client);
        let all: Vec<_> = self.lock().values().cloned().collect();
        all.iter().for_each(|held| held.leave(client));
    }

    /// The desk ends: no turn begins any more, those that run are cancelled, and with them ends every process that they or
    /// earlier ones have started. Waits until all of that is done and told.
    pub async fn end(&self) {
        let all: Vec<_> = {
            let sessions = self.lock();
            self.ending.store(true, Ordering::Relaxed);
            sessions.values().cloned().collect()
        };
        let ending: JoinSet<_> = all.into_iter().map(|held| async move { held.end_work().await }).collect();
        ending.join_all().await;
        self.reviews.keep_all();
        self.servers.end().await;
        // The sender is ours.
        let _ = self.turns().wait_for(|turns| *turns == 0).await;
    }

    pub fn live(&self) -> Vec<LiveSession> {
        let sessions = self.lock();
        let live =
            |held: &Arc<Held>| LiveSession { session: held.id().to_string(), running: held.is_running() };
        sessions.values().map(live).collect()
    }

    /// Has a session at hand that is about to work, even if it was let go a moment ago.
    fn keep(&self, held: &Arc<Held>) -> Result<(), HubError> {
        let mut sessions = self.lock();
        if self.ending.load(Ordering::Relaxed) {
            return Err(HubError::Failed("the desk is ending; prompt again when it is back".to_owned()));
        }
        let known = sessions.entry(held.id().to_string()).or_insert_with(|| Arc::clone(held));
        if Arc::ptr_eq(known, held) { Ok(()) } else { Err(HubError::Busy) }
    }

    /// Lets a session go that nobody needs.
    pub fn let_go(&self, held: &Held) {
        let mut sessions = self.lock();
        if held.is_unused() {
            sessions.remove(held.id().as_str());
        }
    }

    /// What is guarded is replaced as a whole: a panic leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Held>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<StoreError> for HubError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSession(_) | StoreError::Ambiguous(_) => Self::UnknownSession(error.to_string()),
            error => Self::Failed(error.to_string()),
        }
    }
}
