//! A session that works in the daemon.
//!
//! Others may be attached to it and prompt it too: what is followed is the turn of our own prompt, known by its id.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use copydesk_protocol::ask::{Ask, PermissionAskParams, PermissionReply, PermissionSettledParams};
use copydesk_protocol::event::{Event, EventParams};
use copydesk_protocol::lenient;
use copydesk_protocol::method::{Notification as _, Request as _};
use copydesk_protocol::session::{
    Session, SessionListParams, SessionLoadParams, SessionLoadResult, SessionNewParams, SessionParams,
    SessionSetAgentParams, SessionSetModelParams,
};
use copydesk_protocol::table::{
    Event as EventMethod, PermissionAsk, PermissionSettled, SessionList, SessionLoad, SessionNew,
    SessionSetAgent, SessionSetModel, TurnCancel, TurnStart,
};
use copydesk_protocol::turn::{TurnParams, TurnStartResult};
use copydesk_session::Request;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::follow::{Followed, Told, Whose};
use super::own::Own;
use super::reviews::Reviews;
use crate::client::{Client, ClientError, Inbox, Incoming, Reply};
use crate::hub::convert;
use crate::opening::Choice;

/// The parts are on the desk's disk and not shown again; the answer need not hold them.
const FEW: Option<u32> = Some(1);

/// Opens the session and prompts it.
pub(super) async fn start(
    client: Client,
    inbox: Inbox,
    cwd: &Path,
    choice: &Choice,
    request: Request,
) -> Result<(Session, Followed), ClientError> {
    let client = Arc::new(client);
    let session = open(&client, cwd, choice).await?;
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
        tell,
        cancel: false,
    };
    let (cancel_in, cancel) = mpsc::unbounded_channel();
    tokio::spawn(reader.read(inbox, cancel, loaded.asks, queued));
    // Nobody who reads is nobody to cancel.
    let cancel = move || {
        let _ = cancel_in.send(());
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
    asks: HashMap<String, Ends>,
    tell: mpsc::Sender<Told>,
    /// The person wants the turn to end, which has not begun yet.
    cancel: bool,
}

struct Ends {
    answer: Option<oneshot::Sender<PermissionReply>>,
    answered: Option<oneshot::Receiver<PermissionReply>>,
}

impl Ends {
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
        mut cancel: mpsc::UnboundedReceiver<()>,
        asks: Vec<Ask>,
        queued: bool,
    ) {
        if queued && self.tell(Told::Queued).await.is_err() {
            return;
        }
        for ask in asks {
            if self.ask(ask).await.is_err() {
                return;
            }
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
                Some(()) = cancel.recv() => {
                    self.cancel = true;
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
            self.tell(Told::Settled { ask, by }).await
        } else {
            Ok(())
        }
    }

    async fn event(&mut self, event: Event) -> Result<(), Over> {
        if event == Event::Deleted {
            let _ = self.tell(Told::Lost("the session was deleted".to_owned())).await;
            return Err(Over);
        }
        let asked = match &event {
            Event::Asked(ask) => Some(ask.clone()),
            _ => None,
        };
        let is_ours = self.own.hear(&event);
        // What is asked may be of others: so may be its hunks.
        if matches!(event, Event::ReviewChanged(_)) {
            self.tell(Told::ReviewChanged).await?;
        } else if is_ours {
            self.tell(Told::Event(event)).await?;
        }
        match asked {
            Some(ask) => self.ask(ask).await?,
            None if self.cancel && self.own.is_running() => self.end_turn(),
            None => {}
        }
        Ok(())
    }

    async fn ask(&mut self, ask: Ask) -> Result<(), Over> {
        let whose = if self.own.is_running() { Whose::Ours } else { Whose::Others };
        match self.asks.entry(ask.ask.clone()).or_insert_with(Ends::new).answer.take() {
            Some(answer) => self.tell(Told::Ask { ask, whose, answer }).await,
            None => Ok(()),
        }
    }

    fn asked(&mut self, method: &str, params: Value, reply: Reply) {
        // A reply that is dropped says that nobody here answers that.
        if method != PermissionAsk::METHOD {
            return;
        }
        let Ok(PermissionAskParams { session, ask }) = lenient::decode(params) else { return };
        if session != self.session {
            return;
        }
        let ends = self.asks.entry(ask.ask).or_insert_with(Ends::new);
        let Some(answered) = ends.answered.take() else { return };
        tokio::spawn(async move {
            let said = answered.await.unwrap_or(PermissionReply::Cancelled);
            if let Ok(said) = serde_json::to_value(&said) {
                reply.answer(&said);
            }
        });
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
        for ask in loaded.asks {
            self.ask(ask).await?;
        }
        Ok(())
    }

    fn end_turn(&mut self) {
        self.cancel = false;
        let (client, session) = (Arc::clone(&self.client), self.session.clone());
        tokio::spawn(async move { client.request::<TurnCancel>(&SessionParams { session }).await });
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
