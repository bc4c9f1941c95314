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

use copydesk_config::paths::UserPaths;
use copydesk_protocol::daemon::{MatchTierCount, SessionStatus};
use copydesk_session::{Id, Session, Store, StoreError, now};
use copydesk_workspace::buffers::{Buffers, ClientId};
use copydesk_workspace::journal::Journal;
use copydesk_workspace::process::Processes;
use copydesk_workspace::reviews::ReviewTracker;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::editors::AttachedEditors;
use crate::languages::LanguageServices;
use crate::session_builder::SessionServices;
use crate::setup::UserSetup;
use crate::subagent_host::SubagentHost;

mod ask_messages;
pub mod convert;
mod error;
mod event_forwarder;
// Its lock is held while a session is opened or closed: commands that arrive meanwhile must see the session before or after that.
#[allow(clippy::await_holding_invalid_type)]
mod hosted_session;
mod inline_edit;
mod match_tiers;
mod outbox;
mod prompt_context;
mod review_requests;
mod runtime_state;
mod session_snapshot;
mod stored_parts;
mod subagent_session;
mod undo;

pub use convert::session_info;
pub use error::SessionHostError;
pub use hosted_session::{AcceptedPrompt, HostedSession};
use match_tiers::MatchTierCounts;
pub use outbox::{ClientOutbox, OutboxMessage};
pub use stored_parts::parts_before;

/// What the desk has for all its sessions.
pub struct SessionHost {
    paths: UserPaths,
    pub store: Store,
    pub buffers: Buffers,
    pub editors: AttachedEditors,
    pub servers: LanguageServices,
    journal: Option<Journal>,
    pub reviews: ReviewTracker,
    sessions: Mutex<HashMap<String, Arc<HostedSession>>>,
    turns: watch::Sender<usize>,
    tiers: MatchTierCounts,
    /// No session begins to work any more. Written and read under the lock of the sessions.
    ending: AtomicBool,
    /// When it began, in milliseconds since 1970.
    pub started: u64,
}

impl std::fmt::Debug for SessionHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionHost").finish_non_exhaustive()
    }
}

impl SessionHost {
    pub fn new(paths: UserPaths, store: Store, journal: Option<Journal>) -> Self {
        let reviews = ReviewTracker::new(journal.clone());
        let buffers = Buffers::with_observer(Arc::new(reviews.clone()));
        Self {
            servers: LanguageServices::new(buffers.clone(), paths.home.clone()),
            paths,
            store,
            buffers,
            editors: AttachedEditors::default(),
            reviews,
            journal,
            sessions: Mutex::default(),
            turns: watch::Sender::new(0),
            tiers: MatchTierCounts::default(),
            ending: AtomicBool::new(false),
            started: now(),
        }
    }

    /// What the host gives each of its sessions.
    fn services(self: &Arc<Self>, processes: Processes) -> SessionServices {
        SessionServices {
            buffers: self.buffers.clone(),
            journal: self.journal.clone(),
            reviews: self.reviews.clone(),
            processes,
            editors: self.editors.clone(),
            servers: self.servers.clone(),
            host: Arc::downgrade(&(Arc::clone(self) as Arc<dyn SubagentHost>)),
        }
    }

    /// How many turns run.
    pub fn running_turns(&self) -> watch::Receiver<usize> {
        self.turns.subscribe()
    }

    /// How often each tier of matching found the place of an edit.
    pub fn tiers(&self) -> Vec<MatchTierCount> {
        self.tiers.counts()
    }

    /// The setup of a folder: its configuration, and the user's own.
    pub fn setup(&self, folder: &Path) -> UserSetup {
        UserSetup { cwd: folder.to_owned(), paths: self.paths.clone() }
    }

    /// Makes a session. It is in the store at once, so that it can be found again.
    pub async fn create(
        &self,
        folder: PathBuf,
        agent: Option<String>,
        model: Option<String>,
    ) -> Result<Session, SessionHostError> {
        let setup = self.setup(&folder);
        let loaded = setup.load().map_err(SessionHostError::failed)?;
        let agents = crate::agents::AgentRegistry::new(&setup, &loaded).map_err(SessionHostError::failed)?;
        let agent = agent.unwrap_or_else(|| crate::agents::default_agent(&setup, &loaded));
        agents.find(&agent).map_err(|error| SessionHostError::UnknownAgent(error.to_string()))?;
        if let Some(model) = &model {
            let models = setup.registry(&loaded).map_err(SessionHostError::failed)?;
            models.model(model).map_err(|error| SessionHostError::UnknownModel(error.to_string()))?;
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
    pub async fn open_session(self: &Arc<Self>, id: &str) -> Result<Arc<HostedSession>, SessionHostError> {
        if let Some(held) = self.lock().get(id) {
            return Ok(Arc::clone(held));
        }
        let session = self.store.session(id).await?;
        let key = session.id.to_string();
        let mut sessions = self.lock();
        let held = sessions.entry(key).or_insert_with(|| HostedSession::new(self, session));
        Ok(Arc::clone(held))
    }

    /// The one at hand, if it is.
    pub fn hosted_session(&self, id: &str) -> Option<Arc<HostedSession>> {
        self.lock().get(id).cloned()
    }

    pub async fn delete(self: &Arc<Self>, id: &str) -> Result<(), SessionHostError> {
        let held = self.open_session(id).await?;
        let _claim = held.close().await?;
        self.lock().remove(held.id().as_str());
        // Those that worked for it go with it.
        let is_below = |other: &HostedSession| other.session().parent.as_ref() == Some(held.id());
        let below: Vec<_> =
            self.lock().extract_if(|_, other| is_below(other)).map(|(_, other)| other).collect();
        for other in below {
            let _claim = other.close().await;
        }
        self.store.delete_session(held.id()).await?;
        self.reviews.forget_session(held.id().as_str());
        if let Some(journal) = &self.journal {
            // Its entries go with the bound otherwise.
            let _ = journal.forget_session(held.id().as_str()).await;
        }
        Ok(())
    }

    /// A client is gone: what it was attached to goes on without it.
    pub fn detach_client(&self, client: ClientId) {
        self.buffers.detach(client);
        self.editors.remove(client);
        let all: Vec<_> = self.lock().values().cloned().collect();
        all.iter().for_each(|held| held.detach(client));
    }

    /// The desk ends: no turn begins any more, those that run are cancelled, and with them ends every process that they or
    /// earlier ones have started. Waits until all of that is done and told.
    pub async fn shut_down(&self) {
        let all: Vec<_> = {
            let sessions = self.lock();
            self.ending.store(true, Ordering::Relaxed);
            sessions.values().cloned().collect()
        };
        let ending: JoinSet<_> =
            all.into_iter().map(|held| async move { held.stop_runtime().await }).collect();
        ending.join_all().await;
        self.reviews.persist_all();
        self.servers.end().await;
        // The sender is ours.
        let _ = self.running_turns().wait_for(|turns| *turns == 0).await;
    }

    pub fn live_sessions(&self) -> Vec<SessionStatus> {
        let sessions = self.lock();
        let live = |held: &Arc<HostedSession>| SessionStatus {
            session: held.id().to_string(),
            running: held.is_running(),
        };
        sessions.values().map(live).collect()
    }

    /// Has a session at hand that is about to work, even if it was let go a moment ago.
    fn ensure_hosted(&self, held: &Arc<HostedSession>) -> Result<(), SessionHostError> {
        let mut sessions = self.lock();
        if self.ending.load(Ordering::Relaxed) {
            return Err(SessionHostError::Failed(
                "the desk is ending; prompt again when it is back".to_owned(),
            ));
        }
        let known = sessions.entry(held.id().to_string()).or_insert_with(|| Arc::clone(held));
        if Arc::ptr_eq(known, held) { Ok(()) } else { Err(SessionHostError::Busy) }
    }

    /// Lets a session go that nobody needs.
    pub fn release_if_unused(&self, held: &HostedSession) {
        let mut sessions = self.lock();
        if held.is_unused() {
            sessions.remove(held.id().as_str());
        }
    }

    /// What is guarded is replaced as a whole: a panic leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<HostedSession>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<StoreError> for SessionHostError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoSession(_) | StoreError::Ambiguous(_) => Self::UnknownSession(error.to_string()),
            error => Self::Failed(error.to_string()),
        }
    }
}
