//! One session that the desk has at hand.
//!
//! What it looks like is always known; what it works with (model, tools, files) is gathered when it is first prompted, and
//! anew when its model or agent was changed, once no turn runs.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use copydesk_protocol::ask::PermissionReply;
use copydesk_protocol::event::{Event, EventParams};
use copydesk_protocol::part::Content;
use copydesk_protocol::part::State::{Interrupted, Pending, Running};
use copydesk_protocol::question::QuestionReply;
use copydesk_protocol::session::SessionLoadResult;
use copydesk_protocol::turn::TurnParams;
use copydesk_session::{Claim, Event as SessionEvent, Id, Live, Request, Session, Setting, When};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::Files;
use copydesk_workspace::process::{GRACE, Processes};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::inline::Inline;
use super::view::View;
use super::{Hub, HubError, Message, Outbox, context, convert, reviewing, waiting};
use crate::environment;
use crate::opening::{self, Choice, Desk};

/// Parts that a client is given at once where it does not say.
const PARTS: usize = 200;

pub struct Held {
    id: Id,
    hub: Weak<Hub>,
    state: Mutex<State>,
    /// Locked while it is being gathered, so that of two prompts one waits for the other.
    work: tokio::sync::Mutex<Option<Work>>,
    /// What its model rewrites, by review.
    pub(super) inlines: Mutex<HashMap<String, Inline>>,
    /// Whoever tells of its reviews is told that it is let go.
    _watched: DropGuard,
}

struct State {
    view: View,
    attached: BTreeMap<ClientId, Outbox>,
    /// Who replied, by ask or question, until it is settled.
    replied: HashMap<String, (ClientId, String)>,
    /// Prompts that were taken and are still to be heard.
    unheard: usize,
}

struct Work {
    live: Live,
    files: Files,
    processes: Processes,
    /// Its model or agent is another by now.
    stale: bool,
    /// A call of another session has it, and alone prompts it.
    lent: bool,
}

/// What became of a prompt.
#[derive(Debug)]
pub struct Prompted {
    /// It waits for, or joins, a turn that runs.
    pub running: bool,
    /// The id of its part.
    pub prompt: Id,
}

impl Work {
    /// The turn first, so that what a command says to its end is kept; then what it had left in the background.
    async fn end(self) {
        self.live.end().await;
        self.processes.end(GRACE).await;
    }
}

/// See [`Held::still`].
pub(super) struct Still<'a> {
    _work: tokio::sync::MutexGuard<'a, Option<Work>>,
    _claim: Option<Claim>,
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").finish_non_exhaustive()
    }
}

impl Held {
    pub(super) fn new(hub: &Arc<Hub>, session: Session) -> Arc<Self> {
        let view = View::new(session.clone());
        let state = State { view, attached: BTreeMap::new(), replied: HashMap::new(), unheard: 0 };
        let let_go = CancellationToken::new();
        let reviews = hub.reviews.clone();
        Arc::new_cyclic(|held| {
            let watch = reviewing::watch(Weak::clone(held), reviews.watch(session.id.as_str()), reviews);
            tokio::spawn(let_go.clone().run_until_cancelled_owned(watch));
            Self {
                id: session.id,
                hub: Arc::downgrade(hub),
                state: Mutex::new(state),
                work: tokio::sync::Mutex::default(),
                inlines: Mutex::default(),
                _watched: let_go.drop_guard(),
            }
        })
    }

    /// The session at work, where it is.
    pub(super) async fn live(&self) -> Option<Live> {
        self.work.lock().await.as_ref().map(|work| work.live.clone())
    }

    /// What the session reads and changes, as a client sees it.
    pub(super) async fn files(&self, client: ClientId) -> Result<Files, HubError> {
        if let Some(work) = self.work.lock().await.as_ref() {
            return Ok(work.files.clone());
        }
        let (hub, folder) = (self.hub()?, self.session().folder);
        let save = hub.setup(&folder).load().map(|loaded| loaded.config.save.unwrap_or_default());
        let files = Files::over(
            &folder,
            &hub.paths.home,
            hub.buffers.clone(),
            hub.journal.clone(),
            hub.reviews.clone(),
            save.unwrap_or_default(),
        );
        files.set_home(Some(client));
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
        outbox: Outbox,
        limit: Option<u32>,
    ) -> Result<SessionLoadResult, HubError> {
        let hub = self.hub()?;
        // In this order: what is settled meanwhile is in the store, or comes as an event after `seq`, or both.
        let (mut result, waiting) = {
            let mut state = self.lock();
            let view = &state.view;
            let result = SessionLoadResult {
                session: convert::session(&view.session),
                parts: view.open.clone(),
                earlier: false,
                running: view.running,
                seq: view.seq,
                asks: view.asks.values().cloned().collect(),
                questions: view.questions.values().cloned().collect(),
                jobs: view.jobs.clone(),
            };
            let asks = result.asks.iter().map(|ask| waiting::ask(&self.id, ask));
            let questions = result.questions.iter().map(|asked| waiting::question(&self.id, asked));
            let waiting: Vec<_> = asks.chain(questions).collect();
            state.attached.insert(client, outbox.clone());
            (result, waiting)
        };
        let open = std::mem::take(&mut result.parts);
        let limit = limit.map_or(PARTS, |limit| limit as usize);
        let (mut parts, earlier) = parts_before(&hub, &self.id, None, limit).await?;
        // What is under way is known better than the store knows it.
        parts.retain(|part| open.iter().all(|open| open.id != part.id));
        parts.extend(open);
        (result.parts, result.earlier) = (parts, earlier);
        waiting.into_iter().for_each(|message| outbox.send(message));
        Ok(result)
    }

    pub fn leave(&self, client: ClientId) {
        self.lock().attached.remove(&client);
        if let Some(hub) = self.hub.upgrade() {
            hub.let_go(self);
        }
    }

    pub async fn prompt(
        self: &Arc<Self>,
        client: ClientId,
        params: TurnParams,
        when: When,
    ) -> Result<Prompted, HubError> {
        let mut work = self.work.lock().await;
        let running = self.is_running();
        // From here on it works, even if everybody leaves.
        self.lock().unheard += 1;
        let taken = self.take(&mut work, running, client, params, when).await;
        if taken.is_err() {
            self.lock().unheard -= 1;
            self.hub()?.let_go(self);
        }
        taken.map(|prompt| Prompted { running, prompt })
    }

    async fn take(
        self: &Arc<Self>,
        work: &mut Option<Work>,
        running: bool,
        client: ClientId,
        params: TurnParams,
        when: When,
    ) -> Result<Id, HubError> {
        self.hub()?.keep(self)?;
        let is_lent = work.as_ref().is_some_and(|work| work.lent);
        if is_lent && running {
            return Err(HubError::Busy);
        }
        let is_ready = !is_lent && work.as_ref().is_some_and(|work| !work.stale || running);
        if !is_ready {
            // Only one may work on a session, of ours too. What runs in the background is the session's.
            let processes = work.take().map(|work| work.processes);
            *work = Some(self.gather(processes).await?);
        }
        let Some(work) = work.as_ref() else { return Err(HubError::Busy) };
        work.files.set_home(Some(client));
        let files = params.files.into_iter().map(convert::media).collect();
        let text = context::with(&work.files, params.text, params.context).await;
        let ended = || HubError::Failed("the session has ended; load it again".to_owned());
        work.live.prompt(Request { text, files, when }).await.ok_or_else(ended)
    }

    async fn gather(self: &Arc<Self>, processes: Option<Processes>) -> Result<Work, HubError> {
        let hub = self.hub()?;
        let session = self.session();
        let setup = hub.setup(&session.folder);
        let loaded = setup.load().map_err(HubError::failed)?;
        let processes = environment::renewed(processes, &loaded);
        let (events_in, events) = mpsc::channel(1024);
        let choice = Choice { session: Some(session.id.to_string()), ..Choice::default() };
        let (buffers, journal) = (hub.buffers.clone(), hub.journal.clone());
        let reviews = hub.reviews.clone();
        let hub_of = Arc::downgrade(&hub);
        let (editors, servers) = (hub.editors.clone(), hub.servers.clone());
        let processes_of = processes.clone();
        let desk = Desk { buffers, journal, reviews, processes: processes_of, editors, servers, hub: hub_of };
        let setting = opening::open(&setup, &loaded, hub.store.clone(), &desk, &choice, events_in)
            .await
            .map_err(HubError::failed)?;
        let files = setting.files.clone();
        self.lock().view.session = setting.session.clone();
        let live = Live::start(setting).await?;
        tokio::spawn(pump(Weak::clone(&self.hub), Arc::downgrade(self), events));
        Ok(Work { live, files, processes, stale: false, lent: false })
    }

    /// Has a session worked on for a call of another; not while somebody works on it.
    pub(super) async fn lend(
        self: &Arc<Self>,
        setting: Setting,
        processes: Processes,
    ) -> Result<Live, HubError> {
        let mut work = self.work.lock().await;
        if self.is_running() {
            return Err(HubError::Busy);
        }
        self.hub()?.keep(self)?;
        // Only one may work on a session, of ours too.
        *work = None;
        let files = setting.files.clone();
        self.lock().view.session = setting.session.clone();
        let live = Live::start(setting).await?;
        self.lock().unheard += 1;
        *work = Some(Work { live: live.clone(), files, processes, stale: false, lent: true });
        Ok(live)
    }

    /// The call is over. One that was not even prompted will not be.
    pub(super) async fn take_back_lent(&self, was_prompted: bool) {
        let lent = self.work.lock().await.take_if(|work| work.lent);
        if let Some(work) = lent {
            work.end().await;
        }
        if !was_prompted {
            let mut state = self.lock();
            state.unheard = state.unheard.saturating_sub(1);
        }
        if let Some(hub) = self.hub.upgrade() {
            hub.let_go(self);
        }
    }

    pub async fn cancel(&self) {
        if let Some(work) = self.work.lock().await.as_ref() {
            work.live.cancel().await;
        }
    }

    /// A client's reply. One that comes late changes nothing.
    pub async fn reply(&self, ask: &str, by: (ClientId, &str), reply: PermissionReply) {
        let Some(reply) = convert::reply(reply) else { return };
        if !self.is_first(ask, by) {
            return;
        }
        if let Some(work) = self.work.lock().await.as_ref() {
            work.live.reply(&Id::from(ask), reply).await;
        }
    }

    /// A client's answers. Those that come late change nothing.
    pub async fn answer(&self, question: &str, by: (ClientId, &str), reply: QuestionReply) {
        let Some(answers) = convert::answers(reply) else { return };
        if !self.is_first(question, by) {
            return;
        }
        if let Some(work) = self.work.lock().await.as_ref() {
            work.live.answer(&Id::from(question), answers).await;
        }
    }

    /// Whether nobody has replied before, to something that is open.
    fn is_first(&self, to: &str, (client, name): (ClientId, &str)) -> bool {
        let mut state = self.lock();
        let is_open = state.view.asks.contains_key(to) || state.view.questions.contains_key(to);
        if !is_open || state.replied.contains_key(to) {
            return false;
        }
        state.replied.insert(to.to_owned(), (client, name.to_owned()));
        true
    }

    /// Nobody begins to work on the session while this is held, here or in another process.
    pub(super) async fn still(&self, hub: &Hub) -> Result<Still<'_>, HubError> {
        let work = self.work.lock().await;
        if self.is_running() {
            return Err(HubError::Busy);
        }
        let claim = match &*work {
            Some(_) => None,
            None => Some(hub.store.claim(&self.id).await?),
        };
        Ok(Still { _work: work, _claim: claim })
    }

    /// Changes what the session is, and tells everybody. What it works with is gathered anew for its next turn.
    pub async fn change(&self, change: impl FnOnce(&mut Session)) -> Result<Session, HubError> {
        let hub = self.hub()?;
        let mut session = self.session();
        change(&mut session);
        hub.store.put_session(session.clone()).await?;
        self.hear(SessionEvent::Session { session: session.clone() });
        if let Some(work) = self.work.lock().await.as_mut() {
            work.stale = true;
        }
        Ok(session)
    }

    /// Ends a turn that runs, and everybody's attachment; not where another process works on the session. Nobody begins to
    /// while the claim is held.
    pub(super) async fn end(&self) -> Result<Option<Claim>, HubError> {
        let claim = match self.work.lock().await.take() {
            Some(work) => {
                // Nobody waits for a command that does not want to end.
                tokio::spawn(work.end());
                None
            }
            None => Some(self.hub()?.store.claim(&self.id).await?),
        };
        let mut state = self.lock();
        state.view.seq += 1;
        let event = self.numbered(state.view.seq, Event::Deleted);
        std::mem::take(&mut state.attached).values().for_each(|outbox| outbox.send(event.clone()));
        Ok(claim)
    }

    /// Ends all work, at the desk's end; waits until nothing runs any more.
    pub(super) async fn end_work(&self) {
        if let Some(work) = self.work.lock().await.take() {
            work.end().await;
        }
    }

    /// Takes an event in and tells it to everybody.
    pub(super) fn hear(&self, event: SessionEvent) {
        let mut state = self.lock();
        let event = state.view.hear(event);
        if hears_a_prompt(&event) {
            state.unheard = state.unheard.saturating_sub(1);
        }
        let replied = match &event {
            Event::Settled { ask: to } | Event::Answered { question: to } => state.replied.remove(to),
            _ => None,
        };
        let told = Arc::new(EventParams { session: self.id.to_string(), seq: state.view.seq, event });
        for (client, outbox) in &state.attached {
            outbox.send(Message::Event(Arc::clone(&told)));
            // Whoever replied knows. Two windows of one editor have one name.
            let by = replied.as_ref().filter(|(by, _)| by != client).map(|(_, name)| name.clone());
            waiting::message(&self.id, &told.event, by).into_iter().for_each(|message| outbox.send(message));
        }
    }

    /// Tells everybody of something that is not the session's own doing.
    pub(super) fn tell(&self, event: Event) {
        let mut state = self.lock();
        state.view.seq += 1;
        let event = self.numbered(state.view.seq, event);
        state.attached.values().for_each(|outbox| outbox.send(event.clone()));
    }

    fn numbered(&self, seq: u64, event: Event) -> Message {
        Message::Event(Arc::new(EventParams { session: self.id.to_string(), seq, event }))
    }

    pub(super) fn hub(&self) -> Result<Arc<Hub>, HubError> {
        self.hub.upgrade().ok_or_else(|| HubError::Failed("the desk is ending".to_owned()))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_running(&self) -> bool {
        self.view.running.is_some() || self.unheard > 0
    }
}

/// A prompt begins a turn, or is put into one that runs.
fn hears_a_prompt(event: &Event) -> bool {
    match event {
        Event::TurnStarted { .. } => true,
        Event::Part { part } => matches!(&part.content, Content::Prompt(prompt) if prompt.steers),
        _ => false,
    }
}

/// Brings what happens in a session to whoever is attached. Holds nothing: a session that was let go ends, and this with it.
/// The turn of one that was deleted is counted to its end.
async fn pump(hub: Weak<Hub>, held: Weak<Held>, mut events: mpsc::Receiver<SessionEvent>) {
    while let Some(event) = events.recv().await {
        let held = held.upgrade();
        let change: isize = match &event {
            SessionEvent::TurnStarted { .. } => 1,
            SessionEvent::TurnEnded { .. } => -1,
            _ => 0,
        };
        if let (SessionEvent::Part { part }, Some(hub)) = (&event, hub.upgrade()) {
            hub.tiers.count(part);
        }
        if let Some(held) = &held {
            held.hear(event);
        }
        if let (true, Some(hub)) = (change != 0, hub.upgrade()) {
            hub.turns.send_modify(|turns| *turns = turns.saturating_add_signed(change));
            hub.reviews.keep_all();
            if let Some(held) = &held {
                hub.let_go(held);
            }
        }
    }
}

/// The last parts before one of them, and whether there are more.
pub async fn parts_before(
    hub: &Hub,
    session: &Id,
    before: Option<&str>,
    limit: usize,
) -> Result<(Vec<copydesk_protocol::part::Part>, bool), HubError> {
    let mut parts = hub.store.parts(session).await?;
    if let Some(before) = before {
        let at = parts.iter().position(|part| part.id.as_str() == before);
        let at = at.ok_or_else(|| HubError::UnknownPart(format!("the session has no part `{before}`")))?;
        parts.truncate(at);
    }
    let is_at_work = hub.held(session.as_str()).is_some_and(|held| held.is_running());
    let told = |part| {
        let mut part = convert::part(part);
        // Nobody works on it any more; the next turn will say so in the store.
        if !is_at_work && matches!(part.state, Pending | Running) {
            part.state = Interrupted;
        }
        part
    };
    let first = parts.len().saturating_sub(limit);
    Ok((parts.iter().skip(first).map(told).collect(), first > 0))
}
