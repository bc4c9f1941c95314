//! The session actor: one task that owns a running session.
//!
//! Prompts, replies and cancel come in through one inbox; model events and call results come from what the actor started. The
//! actor is the only writer, and a [`SessionHandle`] can only send. While a turn runs, the actor reads its inbox at every
//! wait, so a cancel or a reply never queues behind work.
//!
//! Invariant: the store has a part before an event says that it is settled.
//! Invariant: a turn ends in exactly one `TurnEnded`, and leaves no call running.

mod asks;
mod calls;
mod compact;
mod context;
mod cost_limits;
mod current_rules;
mod doom_loop;
mod draft;
mod forwarded_asks;
mod job_events;
mod nested_instructions;
mod prompt_request;
mod prune;
mod remember;
mod replies;
mod resolve_calls;
mod role;
mod session_asker;
mod session_deps;
mod step;
mod step_notes;
mod summary;
mod title;
mod todo;
mod turn;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use copydesk_permission::{AskReply, PendingAsks, PermissionPreset, RememberedPattern};
use copydesk_tool::{CallProgress, PermissionDenial, QuestionAnswers, TodoList};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

use crate::compaction::context_meter::ContextMeter;
use crate::data::{Part, PartContent, PartState, Session, SessionReviewTiming};
use crate::event::SessionEvent;
use crate::history::MessageHistory;
use crate::id::{Id, now};
use crate::store::{SessionClaim, StoreError};
use asks::ReplyWaiter;
use cost_limits::CostAccount;
pub use cost_limits::CostLimits;
pub use current_rules::CurrentRules;
use forwarded_asks::ForwardedAsk;
use prompt_request::QueuedPrompt;
pub use prompt_request::{PromptDelivery, PromptRequest};
pub use role::{AgentRole, CompletePromptFuture, CompletedPrompt, RoleProvider, SharedRoleProvider};
use session_asker::{CallRequest, PermissionOutcome, SessionAsker};
pub use session_deps::{NamedModel, ParentSession, SessionDeps, TitleGenerator};

#[derive(Debug)]
enum ActorCommand {
    Prompt(QueuedPrompt),
    Cancel,
    /// Stops one call.
    StopCall(Id),
    Reply(Id, AskReply),
    Answer(Id, QuestionAnswers),
    /// The user decided every hunk of an ask.
    AskReviewed(Id),
    SetReviewTiming(Option<SessionReviewTiming>),
    SetPreset(Option<PermissionPreset>),
    ListReplies(oneshot::Sender<Vec<RememberedPattern>>),
    ForgetReplies(Vec<RememberedPattern>),
    /// What the user always allows in the project has changed.
    RefreshProjectReplies,
    /// Ends the session. The sender is dropped when that is done.
    End(oneshot::Sender<()>),
}

/// A handle to a running session. When the last one is dropped, the session finishes its turn and ends.
#[derive(Debug, Clone)]
pub struct SessionHandle {
    inbox: mpsc::Sender<ActorCommand>,
}

impl SessionHandle {
    /// Starts a session. Fails if another process works on it. Marks parts that were under way when it last ended as
    /// interrupted.
    pub async fn start(deps: SessionDeps) -> Result<Self, StoreError> {
        let (inbox, commands) = mpsc::channel(64);
        let (call_requests_tx, call_requests) = mpsc::channel(64);
        let (progress_in, progress) = mpsc::channel(256);
        let claim = deps.store.claim_session(&deps.session.id).await?;
        deps.store.put_session(deps.session.clone()).await?;
        let span = session_span(&deps.session);
        let interrupted = deps.store.mark_interrupted(&deps.session.id).await?;
        if interrupted > 0 {
            tracing::warn!(parent: &span, parts = interrupted, "parts were interrupted when the session last ended");
        }
        let parts = deps.store.parts(&deps.session.id).await?;
        let mut asks = PendingAsks::new((*deps.rules.get()).clone());
        if deps.parent.is_none() {
            asks.choose_action("edit", deps.session.review.map(asks::review_action));
        }
        let turns = parts.last().map_or(0, |part| part.turn);
        let parts: Vec<_> = parts.into_iter().map(Arc::new).collect();
        let todos = todo::restore_todos(&parts);
        let learned_windows = context::learned_windows(&parts);
        let lost_jobs = step_notes::lost_jobs(&parts, &deps.processes);
        let jobs = job_events::watch(&deps.processes, deps.events.clone());
        let actor = SessionActor {
            _claim: claim,
            _jobs: jobs,
            deps,
            parts,
            lost_jobs,
            history: MessageHistory::default(),
            meter: ContextMeter::default(),
            learned_windows,
            is_window_told: false,
            costs: CostAccount::default(),
            turn: turns,
            step: 0,
            commands,
            call_requests,
            call_requests_tx,
            progress,
            progress_in,
            asks,
            waiting_asks: HashMap::new(),
            waiting_questions: BTreeMap::new(),
            todos,
            forwarded_asks: HashMap::new(),
            steering: VecDeque::new(),
            queue: VecDeque::new(),
            cancel: CancellationToken::new(),
            call_stops: HashMap::new(),
            told_instructions: HashSet::new(),
            refused_steps: Vec::new(),
            next_role: None,
            is_preset_switched: false,
            is_stopped_by_user: false,
            is_unattended: false,
            end_waiters: Vec::new(),
        };
        tokio::spawn(actor.run_logged().instrument(span));
        Ok(Self { inbox })
    }

    /// Returns the id that the prompt's part will have; none if the session has ended.
    pub async fn prompt(&self, request: PromptRequest) -> Option<Id> {
        let id = Id::new();
        let prompted = QueuedPrompt { id: id.clone(), request };
        self.inbox.send(ActorCommand::Prompt(prompted)).await.is_ok().then_some(id)
    }

    /// Cancels the running turn, if there is one.
    pub async fn cancel(&self) -> bool {
        self.inbox.send(ActorCommand::Cancel).await.is_ok()
    }

    /// Stops one running call; the turn continues.
    pub async fn stop_call(&self, call: &Id) -> bool {
        self.inbox.send(ActorCommand::StopCall(call.clone())).await.is_ok()
    }

    /// Ends the session: cancels the turn and starts no other. Waits until everything is stored and announced.
    pub async fn end(&self) {
        let (end_waiter, ended) = oneshot::channel();
        let _ = self.inbox.send(ActorCommand::End(end_waiter)).await;
        // The session has ended.
        let _ = ended.await;
    }

    /// The user decided every hunk of an ask.
    pub async fn settle_reviewed_ask(&self, ask: &Id) -> bool {
        self.inbox.send(ActorCommand::AskReviewed(ask.clone())).await.is_ok()
    }

    /// Sets the review timing from the next edit on; `None` leaves it to the rules.
    pub async fn set_review_timing(&self, when: Option<SessionReviewTiming>) -> bool {
        self.inbox.send(ActorCommand::SetReviewTiming(when)).await.is_ok()
    }

    /// Sets the permission preset from the next call on; `None` leaves it to the configuration.
    pub async fn set_preset(&self, preset: Option<PermissionPreset>) -> bool {
        self.inbox.send(ActorCommand::SetPreset(preset)).await.is_ok()
    }

    /// What the user always allows in this session.
    pub async fn replies(&self) -> Vec<RememberedPattern> {
        let (answer, replies) = oneshot::channel();
        let _ = self.inbox.send(ActorCommand::ListReplies(answer)).await;
        replies.await.unwrap_or_default()
    }

    /// Takes back what the user always allowed in this session.
    pub async fn forget_replies(&self, replies: Vec<RememberedPattern>) -> bool {
        self.inbox.send(ActorCommand::ForgetReplies(replies)).await.is_ok()
    }

    /// What the user always allows in the project has changed.
    pub async fn refresh_project_replies(&self) -> bool {
        self.inbox.send(ActorCommand::RefreshProjectReplies).await.is_ok()
    }

    /// The first reply wins; one to a settled ask is ignored.
    pub async fn reply(&self, ask: &Id, reply: AskReply) -> bool {
        self.inbox.send(ActorCommand::Reply(ask.clone(), reply)).await.is_ok()
    }

    /// The answers to questions, or why there are none: with a reason the model continues, without one the turn stops. The
    /// first reply wins.
    pub async fn answer(&self, question: &Id, answers: Result<Vec<Vec<String>>, Option<String>>) -> bool {
        let answers = answers.map_err(|reason| PermissionDenial::ByUser { reason });
        self.inbox.send(ActorCommand::Answer(question.clone(), answers)).await.is_ok()
    }
}

struct SessionActor {
    /// Keeps other processes from the session.
    _claim: SessionClaim,
    _jobs: AbortOnDropHandle<()>,
    deps: SessionDeps,
    /// All settled parts, as in the store.
    parts: Vec<Arc<Part>>,
    /// Lost jobs that the model does not know of yet.
    lost_jobs: Vec<i64>,
    history: MessageHistory,
    meter: ContextMeter,
    /// What providers stated about their models' contexts.
    learned_windows: HashMap<String, u64>,
    is_window_told: bool,
    costs: CostAccount,
    turn: u32,
    step: u32,
    commands: mpsc::Receiver<ActorCommand>,
    call_requests: mpsc::Receiver<CallRequest>,
    call_requests_tx: mpsc::Sender<CallRequest>,
    progress: mpsc::Receiver<CallProgress>,
    progress_in: mpsc::Sender<CallProgress>,
    asks: PendingAsks<Id>,
    waiting_asks: HashMap<Id, ReplyWaiter<PermissionOutcome>>,
    waiting_questions: BTreeMap<Id, ReplyWaiter<QuestionAnswers>>,
    todos: TodoList,
    /// Asks that the parent answers.
    forwarded_asks: HashMap<Id, ForwardedAsk>,
    steering: VecDeque<QueuedPrompt>,
    queue: VecDeque<QueuedPrompt>,
    /// For the running turn.
    cancel: CancellationToken,
    /// For the calls of the running step, by part.
    call_stops: HashMap<Id, CancellationToken>,
    /// Instruction files that a note told, since the last compaction.
    told_instructions: HashSet<PathBuf>,
    /// The steps of this turn whose requests the provider refused as too long.
    refused_steps: Vec<u32>,
    /// The role from the next step on.
    next_role: Option<Box<AgentRole>>,
    /// Running tasks have the rules of an earlier preset.
    is_preset_switched: bool,
    /// The user rejected without a reason, which stops the turn.
    is_stopped_by_user: bool,
    /// A program answers the asks of this turn.
    is_unattended: bool,
    /// The session is ending: no turn begins. Dropped at the end.
    end_waiters: Vec<oneshot::Sender<()>>,
}

impl SessionActor {
    async fn run_logged(self) {
        let SessionDeps { agent, model_name, .. } = &self.deps;
        tracing::info!(agent = agent.name, model = model_name, parts = self.parts.len(), "session opened");
        self.run().await;
        tracing::info!("session closed");
    }

    async fn run(mut self) {
        while self.end_waiters.is_empty() {
            let prompted = match self.queue.pop_front() {
                Some(prompted) => prompted,
                None => match self.commands.recv().await {
                    Some(ActorCommand::Prompt(prompted)) => prompted,
                    Some(
                        ActorCommand::Cancel
                        | ActorCommand::StopCall(_)
                        | ActorCommand::Reply(..)
                        | ActorCommand::Answer(..)
                        | ActorCommand::AskReviewed(_),
                    ) => continue,
                    Some(ActorCommand::End(_)) | None => return,
                    Some(setting) => {
                        self.handle_command(setting).await;
                        continue;
                    }
                },
            };
            let span = tracing::error_span!("turn", number = self.turn + 1);
            self.run_turn(prompted).instrument(span).await;
        }
    }

    /// Handles one command while a turn runs.
    async fn handle_command(&mut self, command: ActorCommand) {
        match command {
            ActorCommand::Prompt(prompted) => match prompted.request.delivery {
                PromptDelivery::Steer if !prompted.request.is_turn_of_its_own() => {
                    self.steering.push_back(prompted);
                }
                PromptDelivery::Steer | PromptDelivery::Queue => self.queue.push_back(prompted),
            },
            ActorCommand::Cancel => self.cancel.cancel(),
            ActorCommand::StopCall(call) => {
                if let Some(stop) = self.call_stops.get(&call) {
                    stop.cancel();
                }
            }
            ActorCommand::Reply(ask, reply) => self.reply(&ask, reply).await,
            ActorCommand::Answer(question, answers) => self.answer(&question, answers).await,
            ActorCommand::AskReviewed(ask) => self.settle_reviewed_ask(&ask).await,
            ActorCommand::SetReviewTiming(when) => self.set_review_timing(when).await,
            ActorCommand::SetPreset(preset) => self.set_preset(preset).await,
            ActorCommand::ListReplies(answer) => {
                let _ = answer.send(self.asks.layers().remembered_patterns().to_vec());
            }
            ActorCommand::ForgetReplies(replies) => self.forget_replies(&replies),
            ActorCommand::RefreshProjectReplies => self.refresh_project_replies().await,
            ActorCommand::End(end_waiter) => {
                self.end_waiters.push(end_waiter);
                self.cancel.cancel();
            }
        }
    }

    fn new_part(&self, state: PartState, content: PartContent) -> Part {
        let time = now();
        let session = self.deps.session.id.clone();
        Part {
            id: Id::new(),
            session,
            turn: self.turn,
            step: self.step,
            created: time,
            updated: time,
            state,
            content,
        }
    }

    /// A missing reader does not stop the session: the store has everything.
    async fn emit(&self, event: SessionEvent) {
        let _ = self.deps.events.send(event).await;
    }

    /// Stores a part, then announces it.
    async fn store_part(&mut self, part: Part) -> Result<(), StoreError> {
        self.store_parts(vec![part]).await
    }

    async fn store_parts(&mut self, parts: Vec<Part>) -> Result<(), StoreError> {
        if parts.is_empty() {
            return Ok(());
        }
        let parts: Vec<_> = parts.into_iter().map(Arc::new).collect();
        let started = Instant::now();
        self.deps.store.put_parts(parts.clone()).await?;
        tracing::debug!(parts = parts.len(), ms = elapsed_ms(started), "parts stored");
        for part in parts {
            match self.parts.iter_mut().rev().find(|known| known.id == part.id) {
                Some(known) => *known = Arc::clone(&part),
                None => self.parts.push(Arc::clone(&part)),
            }
            self.emit(SessionEvent::PartChanged { part }).await;
        }
        Ok(())
    }
}

/// The span of every log line of a session. It has the highest level, like the spans of turns and calls: a span that is off when a
/// session opens would be missing from all its lines, even after the level is raised.
fn session_span(session: &Session) -> tracing::Span {
    let span =
        tracing::error_span!(parent: None, "session", id = %session.id, parent = tracing::field::Empty);
    if let Some(parent) = &session.parent {
        span.record("parent", tracing::field::display(parent));
    }
    span
}

fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// An asker that sends to the actor.
fn new_session_asker(requests: mpsc::Sender<CallRequest>, part: Id) -> Arc<dyn copydesk_tool::Asker> {
    Arc::new(SessionAsker { requests, part })
}
