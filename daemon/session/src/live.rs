//! A session at work: one task that owns it.
//!
//! Everything that can happen to it comes in through one inbox (prompts, replies, cancel) and from what it started itself
//! (the model's events, its calls); the task is the only writer. Whoever holds a [`Live`] can only send. While a turn runs
//! the inbox is read at every wait, so that a cancel or a reply is never behind anything.
//!
//! Invariant: a part is in the store before it is announced as settled.
//! Invariant: whatever happens, a turn ends in exactly one `TurnEnded`, and no call is left running.

mod asking;
mod calls;
mod jobs;
mod line;
mod nearby;
mod news;
mod passing;
mod repeated;
mod role;
mod rules;
mod step;
mod title;
mod todo;
mod turn;
mod understood;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use copydesk_diagnostics::Checks;
use copydesk_model::{Media, Model};
use copydesk_permission::{Asks, Reply};
use copydesk_servers::format::Formatters;
use copydesk_tool::{Answers, Asker, Owner, Progress, Refused, Registry, Todos};
use copydesk_workspace::files::Files;
use copydesk_workspace::process::Processes;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::agent::Agent;
use crate::data::{Content, Part, ReviewWhen, Session, State};
use crate::event::Event;
use crate::history::History;
use crate::id::{Id, now};
use crate::store::{Claim, Store, StoreError};
use asking::Waiting;
use line::{Answered, Line, Wanted};
use passing::Passed;
pub use role::{AnyRoles, Role, Roles};
pub use rules::CurrentRules;

/// What a session needs to work.
pub struct Setting {
    pub session: Session,
    pub agent: Agent,
    pub model: Model,
    /// `PROVIDER/MODEL`
    pub model_name: String,
    /// Who makes titles; without one a session is called by its first words.
    pub titles: Option<Titles>,
    pub system: Vec<String>,
    /// The outermost folder that may speak to the model, and the files that are in `system` already.
    pub root: PathBuf,
    pub instructions: HashSet<PathBuf>,
    pub rules: CurrentRules,
    pub tools: Registry,
    /// Who else it can be.
    pub roles: AnyRoles,
    pub files: Files,
    /// What is known of what is wrong with them.
    pub checks: Checks,
    /// Who gives what is written its form.
    pub formatters: Option<Formatters>,
    /// What its commands run in, for what goes on in the background.
    pub processes: Processes,
    pub store: Store,
    /// Where events go. A reader that is slow slows the session.
    pub events: mpsc::Sender<Event>,
    /// Whom it works for, where a call of another session began it.
    pub above: Option<Above>,
}

/// What is above a session that works for another.
#[derive(Clone)]
pub struct Above {
    /// Who is asked: what is denied, chosen and answered there holds here.
    pub asker: Arc<dyn Asker>,
    /// What its edits belong to, and who is told of what becomes of them while nobody works here.
    pub owner: Owner,
}

impl std::fmt::Debug for Above {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Above").field("owner", &self.owner).finish_non_exhaustive()
    }
}

/// The agent `title` and its model, in which stands what the agent adds to requests.
#[derive(Debug, Clone)]
pub struct Titles {
    pub model: Model,
    pub prompt: String,
}

impl std::fmt::Debug for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setting").field("session", &self.session.id).finish_non_exhaustive()
    }
}

/// What a person asks of a session.
#[derive(Debug, Clone)]
pub struct Request {
    pub text: String,
    pub files: Vec<Media>,
    pub when: When,
}

/// When a prompt is heard that comes while a turn runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// With the next step of that turn.
    Steer,
    /// As a turn of its own, after it.
    Queue,
}

/// A request that was taken, with the name that its part will have.
#[derive(Debug)]
struct Prompted {
    id: Id,
    request: Request,
}

#[derive(Debug)]
enum Command {
    Prompt(Prompted),
    Cancel,
    Reply(Id, Reply),
    Answer(Id, Answers),
    /// Everything that an ask was about is decided.
    Reviewed(Id),
    Review(Option<ReviewWhen>),
    /// The end, with something to hold until then.
    End(oneshot::Sender<()>),
}

/// A handle to a session at work. When the last one is gone, the session finishes its turn and ends.
#[derive(Debug, Clone)]
pub struct Live {
    inbox: mpsc::Sender<Command>,
}

impl Live {
    /// Begins work on a session that nobody else works on; where somebody does, that is the error. What was under way when
    /// it was last left is marked so.
    pub async fn start(setting: Setting) -> Result<Self, StoreError> {
        let (inbox, commands) = mpsc::channel(64);
        let (wanted_in, wanted) = mpsc::channel(64);
        let (progress_in, progress) = mpsc::channel(256);
        let claim = setting.store.claim(&setting.session.id).await?;
        setting.store.put_session(setting.session.clone()).await?;
        setting.store.mark_interrupted(&setting.session.id).await?;
        let parts = setting.store.parts(&setting.session.id).await?;
        let mut asks = Asks::new((*setting.rules.get()).clone());
        if setting.above.is_none() {
            asks.choose("edit", setting.session.review.map(asking::action));
        }
        let turns = parts.last().map_or(0, |part| part.turn);
        let parts: Vec<_> = parts.into_iter().map(Arc::new).collect();
        let todos = todo::kept(&parts);
        let lost_jobs = news::lost_jobs(&parts, &setting.processes);
        let jobs = jobs::watch(&setting.processes, setting.events.clone());
        let worker = Worker {
            _claim: claim,
            _jobs: jobs,
            setting,
            parts,
            lost_jobs,
            history: History::default(),
            turn: turns,
            step: 0,
            commands,
            wanted,
            wanted_in,
            progress,
            progress_in,
            asks,
            waiting: HashMap::new(),
            questions: BTreeMap::new(),
            todos,
            passed: HashMap::new(),
            steering: VecDeque::new(),
            queue: VecDeque::new(),
            cancel: CancellationToken::new(),
            next: None,
            stopped: false,
            ending: Vec::new(),
        };
        tokio::spawn(worker.run());
        Ok(Self { inbox })
    }

    /// The id that the prompt's part will have; none if the session has ended.
    pub async fn prompt(&self, request: Request) -> Option<Id> {
        let id = Id::new();
        let prompted = Prompted { id: id.clone(), request };
        self.inbox.send(Command::Prompt(prompted)).await.is_ok().then_some(id)
    }

    /// Ends the turn at once. Without one nothing happens.
    pub async fn cancel(&self) -> bool {
        self.inbox.send(Command::Cancel).await.is_ok()
    }

    /// Ends the session: its turn at once, and no other begins. Waits until everything is kept and told.
    pub async fn end(&self) {
        let (held, ended) = oneshot::channel();
        let _ = self.inbox.send(Command::End(held)).await;
        // Whoever held it is gone.
        let _ = ended.await;
    }

    /// Everything that an ask was about is decided, hunk by hunk.
    pub async fn reviewed(&self, ask: &Id) -> bool {
        self.inbox.send(Command::Reviewed(ask.clone())).await.is_ok()
    }

    /// When edits are reviewed, from the next one on; without a word as the rules say.
    pub async fn review(&self, when: Option<ReviewWhen>) -> bool {
        self.inbox.send(Command::Review(when)).await.is_ok()
    }

    /// The first reply counts; one to an ask that is settled is passed over.
    pub async fn reply(&self, ask: &Id, reply: Reply) -> bool {
        self.inbox.send(Command::Reply(ask.clone(), reply)).await.is_ok()
    }

    /// The answers to questions, or that there are none: with a reason the model goes on, without one the turn stops. The
    /// first count.
    pub async fn answer(&self, question: &Id, answers: Result<Vec<Vec<String>>, Option<String>>) -> bool {
        let answers = answers.map_err(|reason| Refused::ByPerson { reason });
        self.inbox.send(Command::Answer(question.clone(), answers)).await.is_ok()
    }
}

struct Worker {
    /// Nobody else works on the session as long as this does.
    _claim: Claim,
    _jobs: AbortOnDropHandle<()>,
    setting: Setting,
    /// All settled parts, as the store has them.
    parts: Vec<Arc<Part>>,
    /// Jobs of which the model does not know yet that they are gone.
    lost_jobs: Vec<i64>,
    history: History,
    turn: u32,
    step: u32,
    commands: mpsc::Receiver<Command>,
    wanted: mpsc::Receiver<Wanted>,
    wanted_in: mpsc::Sender<Wanted>,
    progress: mpsc::Receiver<Progress>,
    progress_in: mpsc::Sender<Progress>,
    asks: Asks<Id>,
    /// Calls that wait for a reply.
    waiting: HashMap<Id, Waiting<Answered>>,
    /// Calls that wait for answers.
    questions: BTreeMap<Id, Waiting<Answers>>,
    todos: Todos,
    /// Asks that are answered above.
    passed: HashMap<Id, Passed>,
    steering: VecDeque<Prompted>,
    queue: VecDeque<Prompted>,
    /// Of the turn at hand.
    cancel: CancellationToken,
    /// Who it will be from the next step on.
    next: Option<Box<Role>>,
    /// A person said no and meant stop.
    stopped: bool,
    /// No turn begins any more. Dropped with everything else.
    ending: Vec<oneshot::Sender<()>>,
}

impl Worker {
    async fn run(mut self) {
        while self.ending.is_empty() {
            let prompted = match self.queue.pop_front() {
                Some(prompted) => prompted,
                None => match self.commands.recv().await {
                    Some(Command::Prompt(prompted)) => prompted,
                    Some(Command::Review(when)) => {
                        self.review(when).await;
                        continue;
                    }
                    Some(
                        Command::Cancel | Command::Reply(..) | Command::Answer(..) | Command::Reviewed(_),
                    ) => continue,
                    Some(Command::End(_)) | None => return,
                },
            };
            self.turn(prompted).await;
        }
    }

    /// Takes one command while a turn runs.
    async fn command(&mut self, command: Command) {
        match command {
            Command::Prompt(prompted) => match prompted.request.when {
                When::Steer => self.steering.push_back(prompted),
                When::Queue => self.queue.push_back(prompted),
            },
            Command::Cancel => self.cancel.cancel(),
            Command::Reply(ask, reply) => self.reply(&ask, reply).await,
            Command::Answer(question, answers) => self.answer(&question, answers).await,
            Command::Reviewed(ask) => self.reviewed(&ask).await,
            Command::Review(when) => self.review(when).await,
            Command::End(held) => {
                self.ending.push(held);
                self.cancel.cancel();
            }
        }
    }

    fn new_part(&self, state: State, content: Content) -> Part {
        let time = now();
        let session = self.setting.session.id.clone();
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

    /// Nobody listening is no reason to stop: the store has it all.
    async fn emit(&self, event: Event) {
        let _ = self.setting.events.send(event).await;
    }

    /// Keeps a part, and only then tells of it.
    async fn keep(&mut self, part: Part) -> Result<(), StoreError> {
        self.keep_all(vec![part]).await
    }

    async fn keep_all(&mut self, parts: Vec<Part>) -> Result<(), StoreError> {
        if parts.is_empty() {
            return Ok(());
        }
        let parts: Vec<_> = parts.into_iter().map(Arc::new).collect();
        self.setting.store.put_parts(parts.clone()).await?;
        for part in parts {
            match self.parts.iter_mut().rev().find(|known| known.id == part.id) {
                Some(known) => *known = Arc::clone(&part),
                None => self.parts.push(Arc::clone(&part)),
            }
            self.emit(Event::Part { part }).await;
        }
        Ok(())
    }
}

/// An asker that puts the question to the session's own task.
fn asker(wanted: mpsc::Sender<Wanted>, part: Id) -> Arc<dyn copydesk_tool::Asker> {
    Arc::new(Line { wanted, part })
}
