//! The hosted sessions and the clients attached to them.
//!
//! A session belongs to the daemon, not to an editor window: it works on when its clients leave. A client that
//! attaches gets a snapshot and then every event. A session that is idle and has no clients is released.
//!
//! Invariant: events of a session are numbered without gaps, in the order in which they happened, and each
//! attached client receives them in that order. A client that does not keep up misses some, sees the gap, and
//! loads again.
//! Invariant: an ask goes to every attached client, and to each that attaches while it is open; the first reply
//! wins.

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
use copydesk_workspace::text_index::{IndexLimits, TextIndexes};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::editors::AttachedEditors;
use crate::languages::LanguageServices;
use crate::session_builder::SessionServices;
use crate::setup::UserSetup;
use crate::subagent_host::SubagentHost;

mod always_replies;
mod ask_messages;
// As `hosted_session`.
#[allow(clippy::await_holding_invalid_type)]
mod client_replies;
pub mod convert;
mod error;
mod event_forwarder;
// Its lock is held while a session is opened or closed: commands that arrive meanwhile must see the session before or after that.
#[allow(clippy::await_holding_invalid_type)]
mod hosted_session;
mod inline_edit;
mod match_tiers;
mod outbox;
mod pending_sessions;
mod prompt_context;
mod review_requests;
mod runtime_state;
mod session_snapshot;
mod stop_call;
mod stored_parts;
mod subagent_session;
mod undo;

pub use convert::session_info;
pub use error::SessionHostError;
pub use hosted_session::{AcceptedPrompt, HostedSession};
use match_tiers::MatchTierCounts;
pub use outbox::{ClientOutbox, OutboxMessage};
pub use stored_parts::parts_before;

/// The sessions of one process, and what they share.
pub struct SessionHost {
    paths: UserPaths,
    pub store: Store,
    pub buffers: Buffers,
    pub editors: AttachedEditors,
    pub servers: LanguageServices,
    indexes: TextIndexes,
    journal: Option<Journal>,
    pub reviews: ReviewTracker,
    sessions: Mutex<HashMap<String, Arc<HostedSession>>>,
    turns: watch::Sender<usize>,
    tiers: MatchTierCounts,
    /// Set once the host shuts down: no session starts to work any more. Written and read under the lock of
    /// `sessions`.
    ending: AtomicBool,
    /// In milliseconds since 1970.
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
        let indexes = TextIndexes::new(Some(paths.cache_dir.join("index")), IndexLimits::default());
        Self {
            servers: LanguageServices::new(buffers.clone(), indexes.clone(), paths.clone()),
            indexes,
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
            indexes: self.indexes.clone(),
            host: Arc::downgrade(&(Arc::clone(self) as Arc<dyn SubagentHost>)),
        }
    }

    pub fn running_turns(&self) -> watch::Receiver<usize> {
        self.turns.subscribe()
    }

    /// How often each matching tier located an edit.
    pub fn tiers(&self) -> Vec<MatchTierCount> {
        self.tiers.counts()
    }

    /// The setup of a folder: its configuration and the user's.
    pub fn setup(&self, folder: &Path) -> UserSetup {
        UserSetup { cwd: folder.to_owned(), paths: self.paths.clone() }
    }

    /// Creates a session and stores it at once, so that it can be found again.
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
            preset: None,
            created: time,
            updated: time,
        };
        self.store.put_session(session.clone()).await?;
        Ok(session)
    }

    /// Returns the session of this id, and hosts it from now on.
    pub async fn open_session(self: &Arc<Self>, id: &str) -> Result<Arc<HostedSession>, SessionHostError> {
        if let Some(hosted) = self.lock().get(id) {
            return Ok(Arc::clone(hosted));
        }
        let session = self.store.session(id).await?;
        // Clients see how it was left. A store that cannot be written is reported at the next prompt.
        let _ = self.store.recover_session(&session.id).await;
        let key = session.id.to_string();
        let mut sessions = self.lock();
        let hosted = sessions.entry(key).or_insert_with(|| HostedSession::new(self, session));
        Ok(Arc::clone(hosted))
    }

    /// The session of this id, if it is hosted.
    pub fn hosted_session(&self, id: &str) -> Option<Arc<HostedSession>> {
        self.lock().get(id).cloned()
    }

    pub async fn delete(self: &Arc<Self>, id: &str) -> Result<(), SessionHostError> {
        let hosted = self.open_session(id).await?;
        let _claim = hosted.close().await?;
        self.lock().remove(hosted.id().as_str());
        // Its subagents' sessions go with it.
        let is_subagent = |other: &HostedSession| other.session().parent.as_ref() == Some(hosted.id());
        let subagents: Vec<_> =
            self.lock().extract_if(|_, other| is_subagent(other)).map(|(_, other)| other).collect();
        for subagent in subagents {
            let _claim = subagent.close().await;
        }
        self.store.delete_session(hosted.id()).await?;
        self.reviews.forget_session(hosted.id().as_str());
        if let Some(journal) = &self.journal {
            // If this fails, the journal's size limit removes its entries later.
            let _ = journal.forget_session(hosted.id().as_str()).await;
        }
        Ok(())
    }

    /// A client disconnected: its sessions go on without it.
    pub fn detach_client(&self, client: ClientId) {
        self.buffers.detach(client);
        self.editors.remove(client);
        let all: Vec<_> = self.lock().values().cloned().collect();
        all.iter().for_each(|hosted| hosted.detach(client));
    }

    /// Shuts down: no turn starts any more, running ones are cancelled, and every process that any turn started
    /// ends. Waits until all of that is done and published.
    pub async fn shut_down(&self) {
        let all: Vec<_> = {
            let sessions = self.lock();
            self.ending.store(true, Ordering::Relaxed);
            sessions.values().cloned().collect()
        };
        let ending: JoinSet<_> =
            all.into_iter().map(|hosted| async move { hosted.stop_runtime().await }).collect();
        ending.join_all().await;
        self.reviews.persist_all();
        self.servers.end().await;
        // Cannot fail: `self` holds the sender.
        let _ = self.running_turns().wait_for(|turns| *turns == 0).await;
    }

    pub fn live_sessions(&self) -> Vec<SessionStatus> {
        let sessions = self.lock();
        let status = |hosted: &Arc<HostedSession>| SessionStatus {
            session: hosted.id().to_string(),
            running: hosted.is_running(),
            attached: hosted
                .clients()
                .into_iter()
                .filter_map(|client| self.buffers.client_name(client))
                .collect(),
        };
        sessions.values().map(status).collect()
    }

    /// Hosts a session that is about to work, even if it was released a moment ago.
    fn ensure_hosted(&self, hosted: &Arc<HostedSession>) -> Result<(), SessionHostError> {
        let mut sessions = self.lock();
        if self.ending.load(Ordering::Relaxed) {
            return Err(SessionHostError::Failed(
                "the daemon is shutting down; send the prompt again when it has restarted".to_owned(),
            ));
        }
        let known = sessions.entry(hosted.id().to_string()).or_insert_with(|| Arc::clone(hosted));
        if Arc::ptr_eq(known, hosted) { Ok(()) } else { Err(SessionHostError::Busy) }
    }

    /// Releases a session that has no clients and no work.
    pub fn release_if_unused(&self, hosted: &HostedSession) {
        let mut sessions = self.lock();
        if hosted.is_unused() {
            sessions.remove(hosted.id().as_str());
        }
    }

    // A poisoned lock is fine: each change is one insert or remove.
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
