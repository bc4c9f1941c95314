//! One session that the desk has at hand.
//!
//! What it looks like is always known; what it works with (model, tools, files) is gathered when it is first prompted, and
//! anew when its model or agent was changed, once no turn runs.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use copydesk_protocol::event::{EventInfo, EventParams};
use copydesk_protocol::part::PartContentInfo;
use copydesk_protocol::permission::PermissionReply;
use copydesk_protocol::question::QuestionReply;
use copydesk_protocol::session::SessionLoadResult;
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
use crate::session_builder::{SessionInputs, build_session};

/// Parts that a client is given at once where it does not say.
const PARTS: usize = 200;

pub struct HostedSession {
    id: Id,
    host: Weak<SessionHost>,
    state: Mutex<HostedSessionState>,
    /// Locked while it is being gathered, so that of two prompts one waits for the other.
    runtime: tokio::sync::Mutex<RuntimeState>,
    /// What its model rewrites, by review.
    pub(super) inlines: Mutex<HashMap<String, InlineEdit>>,
    /// Whoever tells of its reviews is told that it is let go.
    _watched: DropGuard,
}

struct HostedSessionState {
    view: SessionSnapshot,
    attached: BTreeMap<ClientId, ClientOutbox>,
    /// Who replied, by ask or question, until it is settled.
    replied: HashMap<String, (ClientId, String)>,
    /// Prompts that were taken and are still to be heard.
    pending_prompts: usize,
}

/// What became of a prompt.
#[derive(Debug)]
pub struct AcceptedPrompt {
    /// It waits for, or joins, a turn that runs.
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
    pub(super) fn new(hub: &Arc<SessionHost>, session: Session) -> Arc<Self> {
        let view = SessionSnapshot::new(session.clone());
        let state = HostedSessionState {
            view,
            attached: BTreeMap::new(),
            replied: HashMap::new(),
            pending_prompts: 0,
        };
        let let_go = CancellationToken::new();
        let reviews = hub.reviews.clone();
        Arc::new_cyclic(|held| {
            let watch =
                review_requests::watch(Weak::clone(held), reviews.watch(session.id.as_str()), reviews);
            tokio::spawn(let_go.clone().run_until_cancelled_owned(watch));
            Self {
                id: session.id,
                host: Arc::downgrade(hub),
                state: Mutex::new(state),
                runtime: tokio::sync::Mutex::default(),
                inlines: Mutex::default(),
                _watched: let_go.drop_guard(),
            }
        })
    }

    /// The session at work, where it is.
    pub(super) async fn session_handle(&self) -> Option<SessionHandle> {
        self.runtime.lock().await.runtime().map(|work| work.handle.clone())
    }

    /// What the session reads and changes, as a client sees it.
    pub(super) async fn files(&self, client: ClientId) -> Result<WorkspaceFiles, SessionHostError> {
        if let Some(work) = self.runtime.lock().await.runtime() {
            return Ok(work.files.clone());
        }
        let (hub, folder) = (self.host()?, self.session().folder);
        let save = hub.setup(&folder).load().map(|loaded| loaded.config.save.unwrap_or_default());
        let files = WorkspaceFiles::with_buffers(
            &folder,
            &hub.paths.home,
            hub.buffers.clone(),
            hub.journal.clone(),
            hub.reviews.clone(),
            save.unwrap_or_default(),
        );
        files.set_home_client(Some(client));
        Ok(files)
    }

    pub fn id(&self) -> &Id {
        &self.id
    }

    pub fn session(&self) -> Session {
        self.lock().view.session.clone()
    }

    /// Whether a turn runs, or is about to.
    pub fn is_running(&self) -> bool {
        self.lock().is_running()
    }

    pub(super) fn is_unused(&self) -> bool {
        let state = self.lock();
        state.attached.is_empty() && !state.is_running()
    }

    /// Everything a client needs, which from now on gets what happens.
    pub async fn attach(
        &self,
        client: ClientId,
        outbox: ClientOutbox,
        limit: Option<u32>,
    ) -> Result<SessionLoadResult, SessionHostError> {
        let hub = self.host()?;
        // In this order: what is settled meanwhile is in the store, or comes as an event after `seq`, or both.
        let (mut result, waiting) = {
            let mut state = self.lock();
            let view = &state.view;
            let result = SessionLoadResult {
                session: convert::session_info(&view.session),
                parts: view.open.clone(),
                earlier: false,
                running: view.running,
                seq: view.seq,
                asks: view.asks.values().cloned().collect(),
                questions: view.questions.values().cloned().collect(),
                jobs: view.jobs.clone(),
                warnings: view.warnings.clone(),
            };
            let asks = result.asks.iter().map(|ask| ask_messages::ask_message(&self.id, ask));
            let questions =
                result.questions.iter().map(|asked| ask_messages::question_message(&self.id, asked));
            let waiting: Vec<_> = asks.chain(questions).collect();
            state.attached.insert(client, outbox.clone());
            (result, waiting)
        };
        let open = std::mem::take(&mut result.parts);
        let limit = limit.map_or(PARTS, |limit| limit as usize);
        let (mut parts, earlier) = stored_parts::parts_before(&hub, &self.id, None, limit).await?;
        // What is under way is known better than the store knows it.
        parts.retain(|part| open.iter().all(|open| open.id != part.id));
        parts.extend(open);
        (result.parts, result.earlier) = (parts, earlier);
        waiting.into_iter().for_each(|message| outbox.send(message));
        Ok(result)
    }

    pub fn detach(&self, client: ClientId) {
        self.lock().attached.remove(&client);
        if let Some(hub) = self.host.upgrade() {
            hub.release_if_unused(self);
        }
    }

    pub async fn prompt(
        self: &Arc<Self>,
        client: ClientId,
        params: TurnParams,
        when: PromptDelivery,
    ) -> Result<AcceptedPrompt, SessionHostError> {
        let mut work = self.runtime.lock().await;
        let running = self.is_running();
        // From here on it works, even if everybody leaves.
        self.lock().pending_prompts += 1;
        let taken = self.submit_prompt(&mut work, running, client, params, when).await;
        if taken.is_err() {
            self.lock().pending_prompts -= 1;
            self.host()?.release_if_unused(self);
        }
        taken.map(|prompt| AcceptedPrompt { running, prompt })
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
        if !state.takes_prompt(running) {
            // One runtime works on a session at a time. What runs in the background belongs to the session.
            let processes = state.take().map(|runtime| runtime.processes);
            *state = RuntimeState::Open(self.build_runtime(processes).await?);
        }
        let Some(runtime) = state.runtime() else { return Err(SessionHostError::Busy) };
        runtime.files.set_home_client(Some(client));
        let files = params.files.into_iter().map(convert::media_from_client).collect();
        let text = prompt_context::append_context(&runtime.files, params.text, params.context).await;
        let ended = || SessionHostError::Failed("the session has ended; load it again".to_owned());
        runtime.handle.prompt(PromptRequest { text, files, delivery }).await.ok_or_else(ended)
    }

    async fn build_runtime(
        self: &Arc<Self>,
        processes: Option<Processes>,
    ) -> Result<SessionRuntime, SessionHostError> {
        let hub = self.host()?;
        let session = self.session();
        let setup = hub.setup(&session.folder);
        let loaded = setup.load().map_err(SessionHostError::failed)?;
        let processes = environment::renewed(processes, &loaded);
        let (events_in, events) = mpsc::channel(1024);
        let services = hub.services(processes.clone());
        let inputs = SessionInputs { setup: &setup, loaded: &loaded, store: &hub.store, services: &services };
        // The store has the latest settings.
        let stored = hub.store.session(session.id.as_str()).await?;
        let deps = build_session(inputs, stored, None, events_in).await.map_err(SessionHostError::failed)?;
        let files = deps.files.clone();
        self.lock().view.session = deps.session.clone();
        let handle = SessionHandle::start(deps).await?;
        tokio::spawn(event_forwarder::forward_events(Weak::clone(&self.host), Arc::downgrade(self), events));
        for message in loaded.take_warnings() {
            self.publish_session_event(SessionEvent::Warning { message });
        }
        Ok(SessionRuntime { handle, files, processes })
    }

    /// Has a session worked on for a call of another; not while somebody works on it.
    pub(super) async fn start_as_subagent(
        self: &Arc<Self>,
        setting: SessionDeps,
        processes: Processes,
    ) -> Result<SessionHandle, SessionHostError> {
        let mut work = self.runtime.lock().await;
        if self.is_running() {
            return Err(SessionHostError::Busy);
        }
        self.host()?.ensure_hosted(self)?;
        // Only one may work on a session, of ours too.
        *work = RuntimeState::Closed;
        let files = setting.files.clone();
        self.lock().view.session = setting.session.clone();
        let live = SessionHandle::start(setting).await?;
        self.lock().pending_prompts += 1;
        *work = RuntimeState::Subagent(SessionRuntime { handle: live.clone(), files, processes });
        Ok(live)
    }

    /// The call is over. One that was not even prompted will not be.
    pub(super) async fn end_subagent(&self, was_prompted: bool) {
        let lent = self.runtime.lock().await.take_subagent();
        if let Some(work) = lent {
            work.stop().await;
        }
        if !was_prompted {
            let mut state = self.lock();
            state.pending_prompts = state.pending_prompts.saturating_sub(1);
        }
        if let Some(hub) = self.host.upgrade() {
            hub.release_if_unused(self);
        }
    }

    pub async fn cancel(&self) {
        if let Some(work) = self.runtime.lock().await.runtime() {
            work.handle.cancel().await;
        }
    }

    /// A client's reply. One that comes late changes nothing.
    pub async fn reply(&self, ask: &str, by: (ClientId, &str), reply: PermissionReply) {
        let Some(reply) = convert::reply(reply) else { return };
        if !self.claim_reply(ask, by) {
            return;
        }
        if let Some(work) = self.runtime.lock().await.runtime() {
            work.handle.reply(&Id::from(ask), reply).await;
        }
    }

    /// A client's answers. Those that come late change nothing.
    pub async fn answer(&self, question: &str, by: (ClientId, &str), reply: QuestionReply) {
        let Some(answers) = convert::answers(reply) else { return };
        if !self.claim_reply(question, by) {
            return;
        }
        if let Some(work) = self.runtime.lock().await.runtime() {
            work.handle.answer(&Id::from(question), answers).await;
        }
    }

    /// Whether nobody has replied before, to something that is open.
    fn claim_reply(&self, to: &str, (client, name): (ClientId, &str)) -> bool {
        let mut state = self.lock();
        let is_open = state.view.asks.contains_key(to) || state.view.questions.contains_key(to);
        if !is_open || state.replied.contains_key(to) {
            return false;
        }
        state.replied.insert(to.to_owned(), (client, name.to_owned()));
        true
    }

    /// Nobody begins to work on the session while this is held, here or in another process.
    pub(super) async fn lock_idle(&self, hub: &SessionHost) -> Result<IdleLock<'_>, SessionHostError> {
        let work = self.runtime.lock().await;
        if self.is_running() {
            return Err(SessionHostError::Busy);
        }
        let claim = match work.runtime() {
            Some(_) => None,
            None => Some(hub.store.claim_session(&self.id).await?),
        };
        Ok(IdleLock { _runtime: work, _claim: claim })
    }

    /// Changes what the session is, and tells everybody. What it works with is gathered anew for its next turn.
    pub async fn update_session(
        &self,
        change: impl FnOnce(&mut Session),
    ) -> Result<Session, SessionHostError> {
        let hub = self.host()?;
        let mut session = self.session();
        change(&mut session);
        hub.store.put_session(session.clone()).await?;
        self.publish_session_event(SessionEvent::SessionChanged { session: session.clone() });
        self.runtime.lock().await.mark_outdated();
        Ok(session)
    }

    /// Ends a turn that runs, and everybody's attachment; not where another process works on the session. Nobody begins to
    /// while the claim is held.
    pub(super) async fn close(&self) -> Result<Option<SessionClaim>, SessionHostError> {
        let claim = match self.runtime.lock().await.take() {
            Some(work) => {
                // Nobody waits for a command that does not want to end.
                tokio::spawn(work.stop());
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

    /// Ends all work, at the desk's end; waits until nothing runs any more.
    pub(super) async fn stop_runtime(&self) {
        if let Some(work) = self.runtime.lock().await.take() {
            work.stop().await;
        }
    }

    /// Takes an event in and tells it to everybody.
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
            EventInfo::Settled { ask: to } | EventInfo::Answered { question: to } => state.replied.remove(to),
            _ => None,
        };
        let told = Arc::new(EventParams { session: self.id.to_string(), seq: state.view.seq, event });
        for (client, outbox) in &state.attached {
            outbox.send(OutboxMessage::Event(Arc::clone(&told)));
            // Whoever replied knows. Two windows of one editor have one name.
            let by = replied.as_ref().filter(|(by, _)| by != client).map(|(_, name)| name.clone());
            ask_messages::message_for_event(&self.id, &told.event, by)
                .into_iter()
                .for_each(|message| outbox.send(message));
        }
    }

    /// Tells everybody of something that is not the session's own doing.
    pub(super) fn publish_event(&self, event: EventInfo) {
        let mut state = self.lock();
        state.view.seq += 1;
        let event = self.numbered(state.view.seq, event);
        state.attached.values().for_each(|outbox| outbox.send(event.clone()));
    }

    fn numbered(&self, seq: u64, event: EventInfo) -> OutboxMessage {
        OutboxMessage::Event(Arc::new(EventParams { session: self.id.to_string(), seq, event }))
    }

    pub(super) fn host(&self) -> Result<Arc<SessionHost>, SessionHostError> {
        self.host.upgrade().ok_or_else(|| SessionHostError::Failed("the desk is ending".to_owned()))
    }

    fn lock(&self) -> MutexGuard<'_, HostedSessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HostedSessionState {
    fn is_running(&self) -> bool {
        self.view.running.is_some() || self.pending_prompts > 0
    }
}

/// A prompt begins a turn, or is put into one that runs.
fn delivers_prompt(event: &EventInfo) -> bool {
    match event {
        EventInfo::TurnStarted { .. } => true,
        EventInfo::Part { part } => matches!(&part.content, PartContentInfo::Prompt(prompt) if prompt.steers),
        _ => false,
    }
}
