//! Reads what the daemon sends about a session, and passes on what belongs to the turn of our prompt.
//!
//! Other clients may prompt the same session. We know our own prompt by its id.

use std::collections::HashMap;
use std::sync::Arc;

use copydesk_protocol::event::{EventInfo, EventParams};
use copydesk_protocol::lenient;
use copydesk_protocol::method::{NotificationMethod as _, RequestMethod as _};
use copydesk_protocol::permission::{
    PermissionAskInfo, PermissionAskParams, PermissionReply, PermissionSettledParams,
};
use copydesk_protocol::question::{QuestionAskInfo, QuestionAskParams, QuestionReply, QuestionSettledParams};
use copydesk_protocol::session::{SessionLoadParams, SessionLoadResult, SessionParams};
use copydesk_protocol::table::{
    Event as EventMethod, PermissionAsk, PermissionSettled, QuestionAsk, QuestionSettled, SessionLoad,
    TurnCancel,
};
use copydesk_protocol::turn::LastTurnInfo;
use copydesk_rpc::peer::RpcResponder;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::followed_session::{FollowerMessage, TurnOwner};
use super::own_turn::OwnTurn;
use super::user_request::UserRequest;
use crate::daemon_client::{DaemonClient, DaemonInbox, DaemonMessage};

/// Reads the daemon's messages, and passes those of our turn to the follower.
pub(super) struct DaemonEventReader {
    client: Arc<DaemonClient>,
    session: String,
    /// The last event that was read.
    seq: u64,
    own: OwnTurn,
    /// The daemon sends each ask twice: as an event, which is shown to the user, and as a request, which gets the reply. A
    /// channel leads from the one to the other; either may arrive first.
    asks: HashMap<String, ReplyChannel<PermissionReply>>,
    questions: HashMap<String, ReplyChannel<QuestionReply>>,
    messages: mpsc::Sender<FollowerMessage>,
    /// The user cancelled the turn, and the daemon does not know yet. Dropped when it does.
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
    /// `seq` is that of the loaded session, and `prompt` the id of our prompt.
    pub(super) fn new(
        client: Arc<DaemonClient>,
        session: String,
        seq: u64,
        prompt: String,
        messages: mpsc::Sender<FollowerMessage>,
    ) -> Self {
        Self {
            client,
            session,
            seq,
            own: OwnTurn::new(prompt),
            asks: HashMap::new(),
            questions: HashMap::new(),
            messages,
            cancel: None,
        }
    }

    pub(super) async fn read(
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
                        self.handle_request(&method, params, responder).await
                    }
                    None => self.close_with("the connection to the daemon was lost").await,
                },
                Some(confirm) = cancel.recv() => {
                    self.cancel = Some(confirm);
                    if self.own.is_latest() {
                        self.cancel_turn();
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
            _ if self.cancel.is_some() && self.own.is_latest() => self.cancel_turn(),
            _ => {}
        }
        Ok(())
    }

    /// Shows the asks and questions that were open when the session was loaded.
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
        if self.own.is_latest() { TurnOwner::Ours } else { TurnOwner::Others }
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

    async fn handle_request(
        &mut self,
        method: &str,
        params: Value,
        responder: RpcResponder,
    ) -> Result<(), FollowerClosed> {
        // A dropped responder answers that this client does not handle the request.
        if method == PermissionAsk::METHOD {
            let Ok(PermissionAskParams { session, ask }) = lenient::decode(params) else { return Ok(()) };
            if session == self.session {
                let is_refused = ask.problem.is_some();
                if is_refused {
                    // The last reply did not count. No event follows.
                    self.asks.remove(&ask.ask);
                }
                let channel = self.asks.entry(ask.ask.clone()).or_insert_with(ReplyChannel::new);
                forward_reply(channel, responder, PermissionReply::Cancelled);
                if is_refused {
                    return self.ask(ask).await;
                }
            }
        } else if method == QuestionAsk::METHOD {
            let Ok(QuestionAskParams { session, questions }) = lenient::decode(params) else { return Ok(()) };
            if session == self.session {
                let channel = self.questions.entry(questions.question).or_insert_with(ReplyChannel::new);
                forward_reply(channel, responder, QuestionReply::Cancelled);
            }
        }
        Ok(())
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

    fn cancel_turn(&mut self) {
        let confirm = self.cancel.take();
        let (client, session) = (Arc::clone(&self.client), self.session.clone());
        tokio::spawn(async move {
            let _ = client.request::<TurnCancel>(&SessionParams { session }).await;
            drop(confirm);
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
