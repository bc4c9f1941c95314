//! Runs a prompt through a daemon, or through the host in this process.
//!
//! Other clients may prompt the same session. We follow the turn of our own prompt, which we know by its id.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use copydesk_config::LoadedConfig;
use copydesk_protocol::event::{EventInfo, EventParams};
use copydesk_protocol::lenient;
use copydesk_protocol::method::{NotificationMethod as _, RequestMethod as _};
use copydesk_protocol::permission::{
    PermissionAskInfo, PermissionAskParams, PermissionReply, PermissionSettledParams,
};
use copydesk_protocol::question::{QuestionAskInfo, QuestionAskParams, QuestionReply, QuestionSettledParams};
use copydesk_protocol::session::{
    SessionInfo, SessionListParams, SessionLoadParams, SessionLoadResult, SessionNewParams, SessionParams,
    SessionSetAgentParams, SessionSetModelParams,
};
use copydesk_protocol::table::{
    Event as EventMethod, PermissionAsk, PermissionSettled, QuestionAsk, QuestionSettled, SessionList,
    SessionLoad, SessionNew, SessionSetAgent, SessionSetModel, TurnCancel, TurnStart,
};
use copydesk_protocol::turn::{LastTurnInfo, TurnParams, TurnStartResult};
use copydesk_session::PromptRequest;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::attachments;
use super::own_turn::OwnTurn;
use super::review_backend::ReviewBackend;
use super::session_choice::SessionChoice;
use super::turn_follower::{FollowedSession, FollowerMessage, TurnOwner};
use super::user_request::UserRequest;
use crate::daemon_client::{DaemonClient, DaemonClientError, DaemonInbox, DaemonMessage};
use copydesk_host::session_host::convert;
use copydesk_host::setup::UserSetup;
use copydesk_rpc::peer::RpcResponder;

/// We do not show earlier parts again, so the response need not contain them.
const PART_LIMIT: Option<u32> = Some(1);

/// Opens the session and prompts it.
pub(super) async fn start(
    client: DaemonClient,
    inbox: DaemonInbox,
    (setup, loaded): (&UserSetup, &LoadedConfig),
    choice: &SessionChoice,
    request: PromptRequest,
) -> Result<(SessionInfo, FollowedSession), DaemonClientError> {
    let client = Arc::new(client);
    let session = open(&client, &setup.cwd, choice).await?;
    attachments::warn(setup, loaded, (session.model.as_deref(), &session.agent), &request.files);
    let loaded = load(&client, &session.id).await?;
    let files = request.files.iter().map(convert::media_info).collect();
    let id = session.id.clone();
    let params = TurnParams { session: id.clone(), text: request.text, files, context: Vec::new() };
    let TurnStartResult { queued, prompt } = client.request::<TurnStart>(&params).await?;
    let (messages_in, messages) = mpsc::channel(1);
    let reader = DaemonEventReader {
        client: Arc::clone(&client),
        session: id.clone(),
        seq: loaded.seq,
        own: OwnTurn::new(prompt),
        asks: HashMap::new(),
        questions: HashMap::new(),
        messages: messages_in,
        cancel: None,
    };
    let (cancel_in, cancel) = mpsc::channel(1);
    tokio::spawn(reader.read(inbox, cancel, loaded, queued));
    // If the reader is gone, there is nothing to cancel; and one cancel is enough.
    let cancel = move || {
        let (known, is_known) = oneshot::channel();
        let _ = cancel_in.try_send(known);
        is_known
    };
    let reviews = ReviewBackend { session: id, client };
    Ok((session, FollowedSession { messages, reviews, cancel: Box::new(cancel) }))
}

async fn load(client: &DaemonClient, session: &str) -> Result<SessionLoadResult, DaemonClientError> {
    client.request::<SessionLoad>(&SessionLoadParams { session: session.to_owned(), limit: PART_LIMIT }).await
}

/// Opens or creates the chosen session, with the chosen agent and model.
async fn open(
    client: &DaemonClient,
    cwd: &Path,
    choice: &SessionChoice,
) -> Result<SessionInfo, DaemonClientError> {
    let SessionChoice { session, latest, model, agent } = choice.clone();
    let folder = cwd.to_string_lossy().into_owned();
    let opened = match (session, latest) {
        (Some(session), _) => load(client, &session).await?.session,
        (None, true) => {
            let params = SessionListParams { folder: Some(folder), limit: Some(1), before: None };
            let page = client.request::<SessionList>(&params).await?;
            let none = || DaemonClientError::Refused {
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
    let id = || opened.id.clone();
    let mut session = opened.clone();
    if let Some(agent) = agent.filter(|agent| *agent != opened.agent) {
        session =
            client.request::<SessionSetAgent>(&SessionSetAgentParams { session: id(), agent }).await?.session;
    }
    if let Some(model) = model.filter(|model| Some(model) != opened.model.as_ref()) {
        session =
            client.request::<SessionSetModel>(&SessionSetModelParams { session: id(), model }).await?.session;
    }
    Ok(session)
}

/// Reads the daemon's messages, and passes those of our turn to the follower.
struct DaemonEventReader {
    client: Arc<DaemonClient>,
    session: String,
    /// The last event that was read.
    seq: u64,
    own: OwnTurn,
    /// The event of an ask takes one end, its request the other. Either may arrive first.
    asks: HashMap<String, ReplyChannel<PermissionReply>>,
    questions: HashMap<String, ReplyChannel<QuestionReply>>,
    messages: mpsc::Sender<FollowerMessage>,
    /// The user cancelled the turn before it started. Dropped when the daemon knows.
    cancel: Option<oneshot::Sender<()>>,
}

struct ReplyChannel<T> {
    answer: Option<oneshot::Sender<T>>,
    answered: Option<oneshot::Receiver<T>>,
}

impl<T> ReplyChannel<T> {
    fn new() -> Self {
        let (answer, answered) = oneshot::channel();
        Self { answer: Some(answer), answered: Some(answered) }
    }
}

/// The follower is gone, or no message follows.
struct FollowerClosed;

impl DaemonEventReader {
    async fn read(
        mut self,
        mut inbox: DaemonInbox,
        mut cancel: mpsc::Receiver<oneshot::Sender<()>>,
        loaded: SessionLoadResult,
        queued: bool,
    ) {
        if queued && self.send(FollowerMessage::Queued).await.is_err() {
            return;
        }
        if self.ask_all(loaded).await.is_err() {
            return;
        }
        loop {
            let read = tokio::select! {
                incoming = inbox.recv() => match incoming {
                    Some(DaemonMessage::Notification { method, params }) => self.handle_notification(&method, params).await,
                    Some(DaemonMessage::Request { method, params, responder }) => {
                        self.handle_request(&method, params, responder);
                        Ok(())
                    }
                    None => self.close_with("the connection to the daemon was lost").await,
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

    async fn handle_notification(&mut self, method: &str, params: Value) -> Result<(), FollowerClosed> {
        if method == EventMethod::METHOD {
            // An unknown event is ignored, but its number counts.
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
            self.send(FollowerMessage::Settled { id: ask, by }).await
        } else if method == QuestionSettled::METHOD {
            let Ok(QuestionSettledParams { session, question, by }) = lenient::decode(params) else {
                return Ok(());
            };
            if session != self.session {
                return Ok(());
            }
            self.questions.remove(&question);
            self.send(FollowerMessage::Settled { id: question, by }).await
        } else {
            Ok(())
        }
    }

    async fn event(&mut self, event: EventInfo) -> Result<(), FollowerClosed> {
        if event == EventInfo::Deleted {
            let _ = self.send(FollowerMessage::Closed("the session was deleted".to_owned())).await;
            return Err(FollowerClosed);
        }
        let asked = matches!(event, EventInfo::Asked(_) | EventInfo::Questioned(_)).then(|| event.clone());
        let is_ours = self.own.observe(&event);
        // Asks of other turns are shown too, so their hunks must be as well.
        if matches!(event, EventInfo::ReviewChanged(_)) {
            self.send(FollowerMessage::ReviewChanged).await?;
        } else if is_ours || matches!(event, EventInfo::Warning { .. }) {
            self.send(FollowerMessage::Event(event)).await?;
        }
        match asked {
            Some(EventInfo::Asked(ask)) => self.ask(ask).await?,
            Some(EventInfo::Questioned(asked)) => self.question(asked).await?,
            _ if self.cancel.is_some() && self.own.is_running() => self.end_turn(),
            _ => {}
        }
        Ok(())
    }

    /// Shows what was open when we attached.
    async fn ask_all(&mut self, loaded: SessionLoadResult) -> Result<(), FollowerClosed> {
        for ask in loaded.asks {
            self.ask(ask).await?;
        }
        for asked in loaded.questions {
            self.question(asked).await?;
        }
        Ok(())
    }

    fn turn_owner(&self) -> TurnOwner {
        if self.own.is_running() { TurnOwner::Ours } else { TurnOwner::Others }
    }

    async fn question(&mut self, asked: QuestionAskInfo) -> Result<(), FollowerClosed> {
        let owner = self.turn_owner();
        match self.questions.entry(asked.question.clone()).or_insert_with(ReplyChannel::new).answer.take() {
            Some(answer) => {
                self.send(FollowerMessage::Request { request: UserRequest::Questions(asked, answer), owner })
                    .await
            }
            None => Ok(()),
        }
    }

    async fn ask(&mut self, ask: PermissionAskInfo) -> Result<(), FollowerClosed> {
        let owner = self.turn_owner();
        match self.asks.entry(ask.ask.clone()).or_insert_with(ReplyChannel::new).answer.take() {
            Some(answer) => {
                self.send(FollowerMessage::Request { request: UserRequest::Ask(ask, answer), owner }).await
            }
            None => Ok(()),
        }
    }

    fn handle_request(&mut self, method: &str, params: Value, responder: RpcResponder) {
        // A dropped responder answers that this client does not handle the request.
        if method == PermissionAsk::METHOD {
            let Ok(PermissionAskParams { session, ask }) = lenient::decode(params) else { return };
            if session == self.session {
                let channel = self.asks.entry(ask.ask).or_insert_with(ReplyChannel::new);
                forward_reply(channel, responder, PermissionReply::Cancelled);
            }
        } else if method == QuestionAsk::METHOD {
            let Ok(QuestionAskParams { session, questions }) = lenient::decode(params) else { return };
            if session == self.session {
                let channel = self.questions.entry(questions.question).or_insert_with(ReplyChannel::new);
                forward_reply(channel, responder, QuestionReply::Cancelled);
            }
        }
    }

    /// Loads again after a gap in the events. Shows the parts of our turn as they are now; only deltas are lost.
    async fn catch_up(&mut self) -> Result<(), FollowerClosed> {
        let params = SessionLoadParams { session: self.session.clone(), limit: None };
        let Ok(mut loaded) = self.client.request::<SessionLoad>(&params).await else {
            return self.close_with("the connection to the daemon was lost").await;
        };
        self.seq = loaded.seq;
        let LastTurnInfo { turn, prompt, end } = match loaded.last_turn.take() {
            Some(last) if self.own.is_started_by(&last.prompt) => last,
            _ => return self.close_with("too much happened at once to follow it").await,
        };
        self.own.observe(&EventInfo::TurnStarted { turn, prompt });
        for part in std::mem::take(&mut loaded.parts) {
            if part.turn == turn {
                self.send(FollowerMessage::Event(EventInfo::Part { part: Box::new(part) })).await?;
            }
        }
        match end {
            Some(end) => self.event(EventInfo::TurnEnded { turn, end }).await,
            None => self.ask_all(loaded).await,
        }
    }

    fn end_turn(&mut self) {
        let known = self.cancel.take();
        let (client, session) = (Arc::clone(&self.client), self.session.clone());
        tokio::spawn(async move {
            let _ = client.request::<TurnCancel>(&SessionParams { session }).await;
            drop(known);
        });
    }

    async fn close_with(&self, reason: &str) -> Result<(), FollowerClosed> {
        let reason = format!("{reason}; `copydesk sessions show {}` shows what was done", self.session);
        let _ = self.send(FollowerMessage::Closed(reason)).await;
        Err(FollowerClosed)
    }

    async fn send(&self, message: FollowerMessage) -> Result<(), FollowerClosed> {
        self.messages.send(message).await.map_err(|_| FollowerClosed)
    }
}

/// Sends the user's reply to the daemon; `none` if the user leaves it to another client.
fn forward_reply<T: serde::Serialize + Send + 'static>(
    channel: &mut ReplyChannel<T>,
    responder: RpcResponder,
    none: T,
) {
    let Some(answered) = channel.answered.take() else { return };
    tokio::spawn(async move {
        if let Ok(reply) = serde_json::to_value(answered.await.unwrap_or(none)) {
            responder.respond(Ok(reply));
        }
    });
}
