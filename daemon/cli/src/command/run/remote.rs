//! A session that works in the daemon.
//!
//! Others may be attached to it and prompt it too: what is followed is the turn of our own prompt, known by its id.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use copydesk_config::Loaded;
use copydesk_protocol::ask::{Ask, PermissionAskParams, PermissionReply, PermissionSettledParams};
use copydesk_protocol::event::{Event, EventParams};
use copydesk_protocol::lenient;
use copydesk_protocol::method::{Notification as _, Request as _};
use copydesk_protocol::question::{QuestionAskParams, QuestionReply, QuestionSettledParams, Questions};
use copydesk_protocol::session::{
    Session, SessionListParams, SessionLoadParams, SessionLoadResult, SessionNewParams, SessionParams,
    SessionSetAgentParams, SessionSetModelParams,
};
use copydesk_protocol::table::{
    Event as EventMethod, PermissionAsk, PermissionSettled, QuestionAsk, QuestionSettled, SessionList,
    SessionLoad, SessionNew, SessionSetAgent, SessionSetModel, TurnCancel, TurnStart,
};
use copydesk_protocol::turn::{TurnParams, TurnStartResult};
use copydesk_session::Request;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::attach;
use super::follow::{Followed, Told, Whose};
use super::own::Own;
use super::reviews::Reviews;
use super::waiting::Waiting;
use crate::client::{Client, ClientError, Inbox, Incoming, Reply};
use copydesk_host::hub::convert;
use copydesk_host::opening::Choice;
use copydesk_host::setup::Setup;

/// The parts are on the desk's disk and not shown again; the answer need not hold them.
const FEW: Option<u32> = Some(1);

/// Opens the session and prompts it.
pub(super) async fn start(
    client: Client,
    inbox: Inbox,
    (setup, loaded): (&Setup, &Loaded),
    choice: &Choice,
    request: Request,
) -> Result<(Session, Followed), ClientError> {
    let client = Arc::new(client);
    let session = open(&client, &setup.cwd, choice).await?;
    attach::warn(setup, loaded, (session.model.as_deref(), &session.agent), &request.files);
    let loaded = load(&client, &session.id).await?;
    let files = request.files.iter().map(convert::media_of).collect();
    let id = session.id.clone();
    let params = TurnParams { session: id.clone(), text: request.text, files, context: Vec::new() };
    let TurnStartResult { queued, prompt } = client.request::<TurnStart>(&params).await?;
    let (tell, told) = mpsc::channel(1);
    let reader = Reader {
        client: Arc::clone(&client),
        session: id.clone(),
        seq: loaded.seq,
        own: Own::new(prompt),
        asks: HashMap::new(),
        questions: HashMap::new(),
        tell,
        cancel: None,
    };
    let (cancel_in, cancel) = mpsc::channel(1);
    tokio::spawn(reader.read(inbox, cancel, loaded, queued));
    // Nobody who reads is nobody to cancel; and once is enough.
    let cancel = move || {
        let (known, is_known) = oneshot::channel();
        let _ = cancel_in.try_send(known);
        is_known
    };
    let reviews = Reviews::There { session: id, client };
    Ok((session, Followed { told, reviews, cancel: Box::new(cancel) }))
}

async fn load(client: &Client, session: &str) -> Result<SessionLoadResult, ClientError> {
    client.request::<SessionLoad>(&SessionLoadParams { session: session.to_owned(), limit: FEW }).await
}

/// The session that is meant, as it is to be.
async fn open(client: &Client, cwd: &Path, choice: &Choice) -> Result<Session, ClientError> {
    let Choice { session, latest, model, agent } = choice.clone();
    let folder = cwd.to_string_lossy().into_owned();
    let found = match (session, latest) {
        (Some(session), _) => load(client, &session).await?.session,
        (None, true) => {
            let params = SessionListParams { folder: Some(folder), limit: Some(1), before: None };
            let page = client.request::<SessionList>(&params).await?;
            let none = || ClientError::Refused {
                code: None,
                message: format!("there is no session in {} to continue", cwd.display()),
            };
            page.sessions.into_iter().next().ok_or_else(none)?
        }
        (None, false) => {
            let params = SessionNewParams { folder: Some(folder), agent, model };
            return Ok(client.request::<SessionNew>(&params).await?.session);
        }
    };
    let id = || found.id.clone();
    let mut now = found.clone();
    if let Some(agent) = agent.filter(|agent| *agent != found.agent) {
        now =
            client.request::<SessionSetAgent>(&SessionSetAgentParams { session: id(), agent }).await?.session;
    }
    if let Some(model) = model.filter(|model| Some(model) != found.model.as_ref()) {
        now =
            client.request::<SessionSetModel>(&SessionSetModelParams { session: id(), model }).await?.session;
    }
    Ok(now)
}

/// Reads what the desk says, and tells the follower what is for it.
struct Reader {
    client: Arc<Client>,
    session: String,
    /// The last event that was read.
    seq: u64,
    own: Own,
    /// The event of an ask brings one end, its request the other, whichever comes first.
    asks: HashMap<String, Ends<PermissionReply>>,
    questions: HashMap<String, Ends<QuestionReply>>,
    tell: mpsc::Sender<Told>,
    /// The person wants the turn to end, which has not begun yet. Dropped when the desk knows.
    cancel: Option<oneshot::Sender<()>>,
}

struct Ends<T> {
    answer: Option<oneshot::Sender<T>>,
    answered: Option<oneshot::Receiver<T>>,
}

impl<T> Ends<T> {
    fn new() -> Self {
        let (answer, answered) = oneshot::channel();
        Self { answer: Some(answer), answered: Some(answered) }
    }
}

/// The follower is gone, or nothing more is to be told.
struct Over;

impl Reader {
    async fn read(
        mut self,
        mut inbox: Inbox,
        mut cancel: mpsc::Receiver<oneshot::Sender<()>>,
        loaded: SessionLoadResult,
        queued: bool,
    ) {
        if queued && self.tell(Told::Queued).await.is_err() {
            return;
        }
        if self.ask_all(loaded).await.is_err() {
            return;
        }
        loop {
            let read = tokio::select! {
                incoming = inbox.recv() => match incoming {
                    Some(Incoming::Notification { method, params }) => self.told(&method, params).await,
                    Some(Incoming::Request { method, params, reply }) => {
                        self.asked(&method, params, reply);
                        Ok(())
                    }
                    None => self.lose("the connection to the daemon has ended").await,
                },
                Some(known) = cancel.recv() => {
                    self.cancel = Some(known);
                    if self.own.is_running() {
                        self.end_turn();
                    }
                    Ok(())
                }
            };
            if read.is_err() {
                return;
            }
        }
    }

    async fn told(&mut self, method: &str, params: Value) -> Result<(), Over> {
        if method == EventMethod::METHOD {
            // What we do not know is passed over, but not its number.
            let seq = params.get("seq").and_then(Value::as_u64);
            let session = params.get("session").and_then(Value::as_str);
            let (Some(seq), Some(_)) = (seq, session.filter(|session| *session == self.session)) else {
                return Ok(());
            };
            if seq <= self.seq {
                return Ok(());
            }
            if seq > self.seq + 1 {
                return self.catch_up().await;
            }
            self.seq = seq;
            match lenient::decode::<EventParams>(params) {
                Ok(EventParams { event, .. }) => self.event(event).await,
                Err(_) => Ok(()),
            }
        } else if method == PermissionSettled::METHOD {
            let Ok(PermissionSettledParams { session, ask, by }) = lenient::decode(params) else {
                return Ok(());
            };
            if session != self.session {
                return Ok(());
            }
            self.asks.remove(&ask);
            self.tell(Told::Settled { id: ask, by }).await
        } else if method == QuestionSettled::METHOD {
            let Ok(QuestionSettledParams { session, question, by }) = lenient::decode(params) else {
                return Ok(());
            };
            if session != self.session {
                return Ok(());
            }
            self.questions.remove(&question);
            self.tell(Told::Settled { id: question, by }).await
        } else {
            Ok(())
        }
    }

    async fn event(&mut self, event: Event) -> Result<(), Over> {
        if event == Event::Deleted {
            let _ = self.tell(Told::Lost("the session was deleted".to_owned())).await;
            return Err(Over);
        }
        let asked = matches!(event, Event::Asked(_) | Event::Questioned(_)).then(|| event.clone());
        let is_ours = self.own.hear(&event);
        // What is asked may be of others: so may be its hunks.
        if matches!(event, Event::ReviewChanged(_)) {
            self.tell(Told::ReviewChanged).await?;
        } else if is_ours {
            self.tell(Told::Event(event)).await?;
        }
        match asked {
            Some(Event::Asked(ask)) => self.ask(ask).await?,
            Some(Event::Questioned(asked)) => self.question(asked).await?,
            _ if self.cancel.is_some() && self.own.is_running() => self.end_turn(),
            _ => {}
        }
        Ok(())
    }

    /// What was open when we came.
    async fn ask_all(&mut self, loaded: SessionLoadResult) -> Result<(), Over> {
        for ask in loaded.asks {
            self.ask(ask).await?;
        }
        for asked in loaded.questions {
            self.question(asked).await?;
        }
        Ok(())
    }

    fn whose(&self) -> Whose {
        if self.own.is_running() { Whose::Ours } else { Whose::Others }
    }

    async fn question(&mut self, asked: Questions) -> Result<(), Over> {
        let whose = self.whose();
        match self.questions.entry(asked.question.clone()).or_insert_with(Ends::new).answer.take() {
            Some(answer) => {
                self.tell(Told::Waiting { waiting: Waiting::Questions(asked, answer), whose }).await
            }
            None => Ok(()),
        }
    }

    async fn ask(&mut self, ask: Ask) -> Result<(), Over> {
        let whose = self.whose();
        match self.asks.entry(ask.ask.clone()).or_insert_with(Ends::new).answer.take() {
            Some(answer) => self.tell(Told::Waiting { waiting: Waiting::Ask(ask, answer), whose }).await,
            None => Ok(()),
        }
    }

    fn asked(&mut self, method: &str, params: Value, reply: Reply) {
        // A reply that is dropped says that nobody here answers that.
        if method == PermissionAsk::METHOD {
            let Ok(PermissionAskParams { session, ask }) = lenient::decode(params) else { return };
            if session == self.session {
                let ends = self.asks.entry(ask.ask).or_insert_with(Ends::new);
                pass_on(ends, reply, PermissionReply::Cancelled);
            }
        } else if method == QuestionAsk::METHOD {
            let Ok(QuestionAskParams { session, questions }) = lenient::decode(params) else { return };
            if session == self.session {
                let ends = self.questions.entry(questions.question).or_insert_with(Ends::new);
                pass_on(ends, reply, QuestionReply::Cancelled);
            }
        }
    }

    /// We were too slow, and the desk left something out.
    async fn catch_up(&mut self) -> Result<(), Over> {
        let Ok(loaded) = load(&self.client, &self.session).await else {
            return self.lose("the connection to the daemon has ended").await;
        };
        self.seq = loaded.seq;
        if !self.own.is_running() || loaded.running != self.own.turn() {
            return self.lose("too much happened at once to follow it").await;
        }
        self.ask_all(loaded).await
    }

    fn end_turn(&mut self) {
        let known = self.cancel.take();
        let (client, session) = (Arc::clone(&self.client), self.session.clone());
        tokio::spawn(async move {
            let _ = client.request::<TurnCancel>(&SessionParams { session }).await;
            drop(known);
        });
    }

    async fn lose(&self, why: &str) -> Result<(), Over> {
        let why = format!("{why}; `copydesk sessions show {}` has what was done", self.session);
        let _ = self.tell(Told::Lost(why)).await;
        Err(Over)
    }

    async fn tell(&self, told: Told) -> Result<(), Over> {
        self.tell.send(told).await.map_err(|_| Over)
    }
}

/// Answers the desk when the person has; `none` where they leave it to others.
fn pass_on<T: serde::Serialize + Send + 'static>(ends: &mut Ends<T>, reply: Reply, none: T) {
    let Some(answered) = ends.answered.take() else { return };
    tokio::spawn(async move {
        if let Ok(said) = serde_json::to_value(answered.await.unwrap_or(none)) {
            reply.answer(&said);
        }
    });
}
