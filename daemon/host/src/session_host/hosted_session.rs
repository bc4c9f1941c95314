//! One session that the host has open.
//!
//! Its snapshot is always there. The host builds its runtime (model, tools, files) at the first prompt, and again after its
//! model, its agent or the trust of its folder changed, once no turn runs.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use copydesk_permission::RememberedPattern;
use copydesk_protocol::event::{EventInfo, EventParams};
use copydesk_protocol::part::PartContentInfo;
use copydesk_protocol::review::FeedbackInfo;
use copydesk_protocol::session::{SessionInfo, SessionLoadResult};
use copydesk_protocol::turn::TurnParams;
use copydesk_session::{
    Id, PromptDelivery, PromptRequest, Session, SessionClaim, SessionDeps, SessionEvent, SessionHandle,
};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::process::Processes;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::inline_edit::InlineEdit;
use super::runtime_state::{RuntimeState, SessionRuntime};
use super::session_snapshot::SessionSnapshot;
use super::{
    ClientOutbox, OutboxMessage, SessionHost, SessionHostError, ask_messages, convert, event_forwarder,
    prompt_context, review_requests, stored_parts,
};
use crate::environment;
use crate::rules::PresetSource;
use crate::session_builder::{SessionInputs, build_session};
use crate::trust::{trust_info, trust_stamp};

/// How many parts a client gets if it does not set a limit.
const DEFAULT_PARTS: usize = 200;

pub struct HostedSession {
    id: Id,
    host: Weak<SessionHost>,
    state: Mutex<HostedSessionState>,
    /// Locked while the host builds it, so that a second prompt waits for the first.
    pub(super) runtime: tokio::sync::Mutex<RuntimeState>,
    /// The inline edits of its model, by review.
    pub(super) inlines: Mutex<HashMap<String, InlineEdit>>,
    /// Stops the task that watches its reviews.
    _review_watcher: DropGuard,
}

pub(super) struct HostedSessionState {
    pub(super) view: SessionSnapshot,
    pub(super) attached: BTreeMap<ClientId, ClientOutbox>,
    /// The client that replied, by ask or question, until it is settled.
    pub(super) replied: HashMap<String, (ClientId, String)>,
    /// Accepted prompts that have not started or joined a turn yet.
    pending_prompts: usize,
    /// The feedback that clients know of.
    feedback: Vec<FeedbackInfo>,
}

/// An accepted prompt.
#[derive(Debug)]
pub struct AcceptedPrompt {
    /// Whether it waits for, or joins, a running turn.
    pub running: bool,
    /// The id of its part.
    pub prompt: Id,
}

/// See [`HostedSession::lock_idle`].
pub(super) struct IdleLock<'a> {
    _runtime: tokio::sync::MutexGuard<'a, RuntimeState>,
    _claim: Option<SessionClaim>,
}

impl std::fmt::Debug for HostedSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostedSession").finish_non_exhaustive()
    }
}

impl HostedSession {
    pub(super) fn new(host: &Arc<SessionHost>, session: Session) -> Arc<Self> {
        let view = SessionSnapshot::new(session.clone());
        let state = HostedSessionState {
            view,
            attached: BTreeMap::new(),
            replied: HashMap::new(),
            pending_prompts: 0,
            feedback: Vec::new(),
        };
        let released = CancellationToken::new();
        let reviews = host.reviews.clone();
        Arc::new_cyclic(|hosted| {
            let watch =
                review_requests::watch(Weak::clone(hosted), reviews.watch(session.id.as_str()), reviews);
            tokio::spawn(released.clone().run_until_cancelled_owned(watch));
            Self {
                id: session.id,
                host: Arc::downgrade(host),
                state: Mutex::new(state),
                runtime: tokio::sync::Mutex::default(),
                inlines: Mutex::default(),
                _review_watcher: released.drop_guard(),
            }
        })
    }

    /// The handle of the running session, if it has a runtime.
    pub(super) async fn session_handle(&self) -> Option<SessionHandle> {
        self.runtime.lock().await.runtime().map(|runtime| runtime.handle.clone())
    }

    /// The session's files, with this client's buffers first.
    pub(super) async fn files(&self, client: ClientId) -> Result<WorkspaceFiles, SessionHostError> {
        if let Some(runtime) = self.runtime.lock().await.runtime() {
            return Ok(runtime.files.clone());
        }
        let (host, folder) = (self.host()?, self.session().folder);
        let loaded = host.setup(&folder).load().ok();
        let save = loaded.as_ref().and_then(|loaded| loaded.trusted_config.save);
        let mut files = WorkspaceFiles::with_buffers(
            &folder,
            &host.paths.home,
            host.buffers.clone(),
            host.journal.clone(),
            host.reviews.clone(),
            save.unwrap_or_default(),
        );
        if let Some(loaded) = &loaded {
            files = files.with_processes(&environment::processes(loaded));
        }
        files.set_home_client(Some(client));
        Ok(files)
    }

    pub fn id(&self) -> &Id {
        &self.id
    }

    pub fn session(&self) -> Session {
        self.lock().view.session.clone()
    }

    /// The session as clients see it.
    pub fn info(&self) -> SessionInfo {
        self.lock().view.session_info()
    }

    /// Finds out which preset counts. A configuration that cannot be read is reported where it is used.
    fn find_preset(&self, host: &SessionHost) {
        let presets = host.setup(&self.session().folder).load().ok().map(|loaded| PresetSource::of(&loaded));
        self.lock().view.presets = presets;
    }

    /// Whether a turn runs or is about to start.
    pub fn is_running(&self) -> bool {
        self.lock().is_running()
    }

    /// How many asks and questions wait for a user.
    pub(super) fn waiting_count(&self) -> usize {
        let state = self.lock();
        state.view.asks.len() + state.view.questions.len()
    }

    pub(super) fn is_unused(&self) -> bool {
        let state = self.lock();
        state.attached.is_empty() && !state.is_running()
    }

    pub(super) fn clients(&self) -> Vec<ClientId> {
        self.lock().attached.keys().copied().collect()
    }

    /// Attaches a client: returns the present state and sends it all events from now on.
    pub async fn attach(
        &self,
        client: ClientId,
        outbox: ClientOutbox,
        limit: Option<u32>,
    ) -> Result<SessionLoadResult, SessionHostError> {
        let host = self.host()?;
        self.find_preset(&host);
        // Attach first, then read the store: a part that settles meanwhile is in the store, in an event after `seq`, or in both.
        let (mut result, waiting) = {
            let mut state = self.lock();
            state.feedback = review_requests::pending_feedback(&host.reviews, self.id.as_str());
            let view = &state.view;
            let result = SessionLoadResult {
                session: view.session_info(),
                parts: view.open.clone(),
                earlier: false,
                running: view.running,
                last_turn: view.last_turn.clone(),
                seq: view.seq,
                asks: view.asks.values().cloned().collect(),
                questions: view.questions.values().cloned().collect(),
                feedback: state.feedback.clone(),
                jobs: view.jobs.clone(),
                warnings: view.warnings.clone(),
                trust: None,
            };
            let asks = result.asks.iter().map(|ask| ask_messages::ask_message(&self.id, ask));
            let questions =
                result.questions.iter().map(|asked| ask_messages::question_message(&self.id, asked));
            let waiting: Vec<_> = asks.chain(questions).collect();
            state.attached.insert(client, outbox.clone());
            (result, waiting)
        };
        let open = std::mem::take(&mut result.parts);
        let limit = limit.map_or(DEFAULT_PARTS, |limit| limit as usize);
        let (mut parts, earlier) = stored_parts::parts_before(&host, &self.id, None, limit).await?;
        // Of unfinished parts the snapshot is newer than the store.
        parts.retain(|part| open.iter().all(|open| open.id != part.id));
        parts.extend(open);
        result.trust = Some(trust_info(&host.setup(&self.session().folder)));
        (result.parts, result.earlier) = (parts, earlier);
        waiting.into_iter().for_each(|message| outbox.send(message));
        Ok(result)
    }

    pub fn detach(&self, client: ClientId) {
        self.lock().attached.remove(&client);
        if let Some(host) = self.host.upgrade() {
            host.release_if_unused(self);
        }
    }

    pub async fn prompt(
        self: &Arc<Self>,
        client: ClientId,
        params: TurnParams,
        when: PromptDelivery,
    ) -> Result<AcceptedPrompt, SessionHostError> {
        let mut runtime = self.runtime.lock().await;
        let running = self.is_running();
        // From here on the session counts as running, even if all clients detach.
        self.lock().pending_prompts += 1;
        let accepted = self.submit_prompt(&mut runtime, running, client, params, when).await;
        if accepted.is_err() {
            self.lock().pending_prompts -= 1;
            self.host()?.release_if_unused(self);
        }
        accepted.map(|prompt| AcceptedPrompt { running, prompt })
    }

    async fn submit_prompt(
        self: &Arc<Self>,
        state: &mut RuntimeState,
        running: bool,
        client: ClientId,
        params: TurnParams,
        delivery: PromptDelivery,
    ) -> Result<Id, SessionHostError> {
        self.host()?.ensure_hosted(self)?;
        if running && matches!(state, RuntimeState::Subagent(_)) {
            return Err(SessionHostError::Busy);
        }
        let trust = trust_stamp(&self.host()?.setup(&self.session().folder));
        if !state.takes_prompt(running, &trust) {
            // A session has one runtime at a time. Its background commands and the user's replies move to the next one.
            let replies = state.replies_to_keep(&trust).await;
            let processes = state.take().map(|runtime| runtime.processes);
            *state = self.build_runtime(processes, &replies).await?;
        }
        let Some(runtime) = state.runtime() else { return Err(SessionHostError::Busy) };
        runtime.files.set_home_client(Some(client));
        let TurnParams { text, context, files, context_of, unattended: is_unattended, .. } = params;
        let mut files = files.into_iter().map(convert::media_from_client).collect();
        let mut context = prompt_context::read_context(&runtime.files, context).await;
        if let Some(part) = context_of {
            prompt_context::repeat_context(&self.host()?.store, &part, &mut context, &mut files).await?;
        }
        let ended = || SessionHostError::Failed("the session has ended; load it again".to_owned());
        let request = PromptRequest { text, context, files, delivery, is_unattended };
        runtime.handle.prompt(request).await.ok_or_else(ended)
    }

    async fn build_runtime(
        self: &Arc<Self>,
        processes: Option<Processes>,
        replies: &[RememberedPattern],
    ) -> Result<RuntimeState, SessionHostError> {
        let host = self.host()?;
        let session = self.session();
        let setup = host.setup(&session.folder);
        let loaded = setup.load().map_err(SessionHostError::failed)?;
        let processes = environment::renewed(processes, &loaded);
        let (events_in, events) = mpsc::channel(1024);
        let services = host.services(processes.clone());
        let inputs =
            SessionInputs { setup: &setup, loaded: &loaded, store: &host.store, services: &services };
        // The store has the latest settings.
        let stored = host.store.session(session.id.as_str()).await?;
        let deps = build_session(inputs, stored, None, events_in).await.map_err(SessionHostError::failed)?;
        let mut rules = (*deps.rules.get()).clone();
        replies.iter().for_each(|reply| rules.remember(&reply.key, &reply.pattern));
        deps.rules.set(&rules);
        let files = deps.files.clone();
        {
            let mut state = self.lock();
            state.view.session = deps.session.clone();
            state.view.presets = Some(PresetSource::of(&loaded));
        }
        let handle = SessionHandle::start(deps).await?;
        tokio::spawn(event_forwarder::forward_events(Weak::clone(&self.host), Arc::downgrade(self), events));
        for message in loaded.take_warnings() {
            self.publish_session_event(SessionEvent::Warning { message });
        }
        Ok(RuntimeState::Open(SessionRuntime { handle, files, processes }, loaded.trust.clone()))
    }

    /// Starts the session for a call of another one. Fails while it runs.
    pub(super) async fn start_as_subagent(
        self: &Arc<Self>,
        deps: SessionDeps,
        processes: Processes,
    ) -> Result<SessionHandle, SessionHostError> {
        let mut runtime = self.runtime.lock().await;
        if self.is_running() {
            return Err(SessionHostError::Busy);
        }
        self.host()?.ensure_hosted(self)?;
        // The claim allows one runtime at a time, so the old one goes first.
        *runtime = RuntimeState::Closed;
        let files = deps.files.clone();
        self.lock().view.session = deps.session.clone();
        let handle = SessionHandle::start(deps).await?;
        self.lock().pending_prompts += 1;
        *runtime = RuntimeState::Subagent(SessionRuntime { handle: handle.clone(), files, processes });
        Ok(handle)
    }

    /// Ends the runtime of a subagent when its call is over.
    pub(super) async fn end_subagent(&self, was_prompted: bool) {
        let runtime = self.runtime.lock().await.take_subagent();
        if let Some(runtime) = runtime {
            runtime.stop().await;
        }
        if !was_prompted {
            let mut state = self.lock();
            state.pending_prompts = state.pending_prompts.saturating_sub(1);
        }
        if let Some(host) = self.host.upgrade() {
            host.release_if_unused(self);
        }
    }

    pub async fn cancel(&self) {
        if let Some(runtime) = self.runtime.lock().await.runtime() {
            runtime.handle.cancel().await;
        }
    }

    /// Keeps this and other processes from starting the session while the caller holds the lock.
    pub(super) async fn lock_idle(&self, host: &SessionHost) -> Result<IdleLock<'_>, SessionHostError> {
        let runtime = self.runtime.lock().await;
        if self.is_running() {
            return Err(SessionHostError::Busy);
        }
        let claim = match runtime.runtime() {
            Some(_) => None,
            None => Some(host.store.claim_session(&self.id).await?),
        };
        Ok(IdleLock { _runtime: runtime, _claim: claim })
    }

    /// Changes the session's properties and announces that. The host rebuilds the runtime for the next turn.
    pub async fn update_session(
        &self,
        change: impl FnOnce(&mut Session),
    ) -> Result<Session, SessionHostError> {
        let host = self.host()?;
        let mut session = self.session();
        change(&mut session);
        // No turn may begin with the old properties once somebody can see the new ones.
        let mut runtime = self.runtime.lock().await;
        host.store.put_session(session.clone()).await?;
        runtime.mark_outdated();
        drop(runtime);
        self.publish_session_event(SessionEvent::SessionChanged { session: session.clone() });
        Ok(session)
    }

    /// Ends the running turn and detaches all clients. Fails if another process works on the session. No process starts it
    /// while the caller holds the claim.
    pub(super) async fn close(&self) -> Result<Option<SessionClaim>, SessionHostError> {
        let claim = match self.runtime.lock().await.take() {
            Some(runtime) => {
                // The caller does not wait for a command that ignores its signal.
                tokio::spawn(runtime.stop());
                None
            }
            None => Some(self.host()?.store.claim_session(&self.id).await?),
        };
        let mut state = self.lock();
        state.view.seq += 1;
        let event = self.numbered(state.view.seq, EventInfo::Deleted);
        std::mem::take(&mut state.attached).values().for_each(|outbox| outbox.send(event.clone()));
        Ok(claim)
    }

    /// Ends all work when the host closes, and waits until nothing runs.
    pub(super) async fn stop_runtime(&self) {
        if let Some(runtime) = self.runtime.lock().await.take() {
            runtime.stop().await;
        }
    }

    /// Applies an event to the snapshot and sends it to all clients.
    pub(super) fn publish_session_event(&self, event: SessionEvent) {
        let mut state = self.lock();
        if state.view.has_warning(&event) {
            return;
        }
        let event = state.view.apply_event(event);
        if delivers_prompt(&event) {
            state.pending_prompts = state.pending_prompts.saturating_sub(1);
        }
        let replied = match &event {
            EventInfo::Settled { ask: id } | EventInfo::Answered { question: id } => state.replied.remove(id),
            _ => None,
        };
        let params = Arc::new(EventParams { session: self.id.to_string(), seq: state.view.seq, event });
        for (client, outbox) in &state.attached {
            outbox.send(OutboxMessage::Event(Arc::clone(&params)));
            // The client that replied gets no name. Compare ids: two windows of one editor have the same name.
            let by = replied.as_ref().filter(|(by, _)| by != client).map(|(_, name)| name.clone());
            ask_messages::message_for_event(&self.id, &params.event, by)
                .into_iter()
                .for_each(|message| outbox.send(message));
        }
    }

    /// Sends all clients an event that does not come from the session itself.
    pub(super) fn publish_event(&self, event: EventInfo) {
        let mut state = self.lock();
        state.view.seq += 1;
        let event = self.numbered(state.view.seq, event);
        state.attached.values().for_each(|outbox| outbox.send(event.clone()));
    }

    /// Sends all clients the feedback that the model has not read yet, if it changed.
    pub(super) fn publish_feedback(&self, items: Vec<FeedbackInfo>) {
        let mut state = self.lock();
        if state.feedback == items {
            return;
        }
        state.feedback.clone_from(&items);
        drop(state);
        self.publish_event(EventInfo::Feedback { items });
    }

    fn numbered(&self, seq: u64, event: EventInfo) -> OutboxMessage {
        OutboxMessage::Event(Arc::new(EventParams { session: self.id.to_string(), seq, event }))
    }

    pub(super) fn host(&self) -> Result<Arc<SessionHost>, SessionHostError> {
        self.host.upgrade().ok_or_else(|| SessionHostError::Failed("the daemon is shutting down".to_owned()))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, HostedSessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HostedSessionState {
    fn is_running(&self) -> bool {
        self.view.running.is_some() || self.pending_prompts > 0
    }
}

/// Whether the event shows that a prompt started a turn or joined one.
fn delivers_prompt(event: &EventInfo) -> bool {
    match event {
        EventInfo::TurnStarted { .. } => true,
        EventInfo::Part { part } => matches!(&part.content, PartContentInfo::Prompt(prompt) if prompt.steers),
        _ => false,
    }
}
