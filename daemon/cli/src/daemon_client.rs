//! A client of our own, for the command line: it asks the desk, and is told and asked by it.
//!
//! Everything ends when the connection does: requests that wait fail, and the inbox closes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use copydesk_protocol::error::ErrorCode;
use copydesk_protocol::handshake::{ClientHello, DaemonHello};
use copydesk_protocol::{PROTOCOL, lenient, method};
use copydesk_rpc::frame::{self, FrameReader};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use copydesk_rpc::transport::{SocketConnection, SocketReader, SocketWriter};

#[cfg(test)]
mod tests;

/// So many requests may wait for an answer.
const MOST_PENDING: usize = 256;

/// So many messages may wait to be sent.
const MOST_QUEUED: usize = 256;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DaemonClientError {
    #[error("the connection to the daemon has ended")]
    Ended,
    #[error("too many requests wait for an answer")]
    TooMany,
    #[error("this is too long for the daemon: {length} bytes, and the most is {}", frame::MAX_MESSAGE_BYTES)]
    TooLong { length: usize },
    #[error("{message}")]
    Refused { code: Option<ErrorCode>, message: String },
    #[error("the daemon's answer to {method} cannot be read: {error}")]
    Odd { method: &'static str, error: serde_json::Error },
}

/// What the desk says by itself.
#[derive(Debug)]
pub(crate) enum DaemonMessage {
    Notification { method: String, params: Value },
    Request { method: String, params: Value, reply: ResponseSender },
}

/// Answers one request of the desk. Dropped, it says that nobody can.
#[derive(Debug)]
pub(crate) struct ResponseSender {
    id: Value,
    out: mpsc::Sender<Bytes>,
    sent: bool,
}

pub(crate) type DaemonInbox = mpsc::UnboundedReceiver<DaemonMessage>;

type ResponseResult = Result<Value, DaemonClientError>;

/// Asks the desk. The connection ends when this is dropped.
#[derive(Debug)]
pub(crate) struct DaemonClient {
    out: mpsc::Sender<Bytes>,
    pending: Arc<Mutex<PendingResponses>>,
    reader: tokio::task::JoinHandle<()>,
    /// What the desk said of itself, where it is one of ours.
    daemon_hello: Option<DaemonHello>,
}

/// How a client presents itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientKind {
    /// As one that speaks our protocol: refused by a desk that speaks another.
    Copydesk,
    /// As any LSP client: good enough to stop a desk of whatever version.
    Plain,
}

#[derive(Debug, Default)]
struct PendingResponses {
    last: u64,
    /// `None` when the connection has ended.
    waiting: Option<HashMap<u64, oneshot::Sender<ResponseResult>>>,
}

impl DaemonClient {
    pub(crate) async fn initialize(
        connection: SocketConnection,
        greeting: ClientKind,
    ) -> Result<(Self, DaemonInbox), DaemonClientError> {
        let (reader, writer) = connection.split();
        let (out, queue) = mpsc::channel(MOST_QUEUED);
        let (incoming, inbox) = mpsc::unbounded_channel();
        let pending = Arc::new(Mutex::new(PendingResponses { last: 0, waiting: Some(HashMap::new()) }));
        tokio::spawn(write(writer, queue));
        let reader = tokio::spawn(read(FrameReader::new(reader), pending.clone(), incoming, out.clone()));
        let mut client = Self { out, pending, reader, daemon_hello: None };
        let (name, version) = ("copydesk", env!("CARGO_PKG_VERSION"));
        let hello = ClientHello { protocol: PROTOCOL, client: name.to_owned(), version: version.to_owned() };
        let options = (greeting == ClientKind::Copydesk).then(|| json!({ "copydesk": hello }));
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": { "name": name, "version": version },
            "rootUri": null,
            "capabilities": {},
            "initializationOptions": options,
        });
        let mut answer = client.ask("initialize", params).await?;
        let hello = answer.pointer_mut("/capabilities/experimental/copydesk").map(Value::take);
        client.daemon_hello = hello.and_then(|hello| lenient::decode(hello).ok());
        client.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} })).await?;
        Ok((client, inbox))
    }

    pub(crate) fn daemon_hello(&self) -> Option<&DaemonHello> {
        self.daemon_hello.as_ref()
    }

    pub(crate) async fn request<R: method::RequestMethod>(
        &self,
        params: &R::Params,
    ) -> Result<R::Result, DaemonClientError> {
        let odd = |error| DaemonClientError::Odd { method: R::METHOD, error };
        let params = serde_json::to_value(params).map_err(odd)?;
        lenient::decode(self.ask(R::METHOD, params).await?).map_err(odd)
    }

    /// Waits until the desk ends the connection.
    pub(crate) async fn wait_closed(&mut self) {
        let _ = (&mut self.reader).await;
    }

    async fn ask(&self, method: &str, params: Value) -> ResponseResult {
        let (sender, answer) = oneshot::channel();
        let id = {
            let mut pending = lock(&self.pending);
            pending.last += 1;
            let id = pending.last;
            let waiting = pending.waiting.as_mut().ok_or(DaemonClientError::Ended)?;
            if waiting.len() >= MOST_PENDING {
                return Err(DaemonClientError::TooMany);
            }
            waiting.insert(id, sender);
            id
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        answer.await.unwrap_or(Err(DaemonClientError::Ended))
    }

    async fn send(&self, message: &Value) -> Result<(), DaemonClientError> {
        let message = message.to_string();
        if message.len() > frame::MAX_MESSAGE_BYTES {
            return Err(DaemonClientError::TooLong { length: message.len() });
        }
        self.out.send(message.into()).await.map_err(|_| DaemonClientError::Ended)
    }
}

impl Drop for DaemonClient {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl ResponseSender {
    /// The connection may be gone meanwhile; then nobody waits.
    pub(crate) fn answer(mut self, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": self.id, "result": result }));
    }

    fn send(&mut self, message: &Value) {
        self.sent = true;
        // A desk that does not read what it asked for has no need of it.
        let _ = self.out.try_send(message.to_string().into());
    }
}

impl Drop for ResponseSender {
    fn drop(&mut self) {
        if !self.sent {
            let code = ErrorCode::MethodNotFound.code();
            let error = json!({ "code": code, "message": "this client does not answer that" });
            self.send(&json!({ "jsonrpc": "2.0", "id": self.id, "error": error }));
        }
    }
}

async fn write(mut writer: SocketWriter, mut queue: mpsc::Receiver<Bytes>) {
    while let Some(message) = queue.recv().await {
        if frame::write(&mut writer, &message).await.is_err() {
            break;
        }
    }
}

async fn read(
    mut reader: FrameReader<SocketReader>,
    pending: Arc<Mutex<PendingResponses>>,
    incoming: mpsc::UnboundedSender<DaemonMessage>,
    out: mpsc::Sender<Bytes>,
) {
    while let Ok(Some(message)) = reader.next().await {
        // What cannot be read answers nobody; the daemon's log tells more.
        let Ok(Ok(mut message)) = message.map(|message| serde_json::from_slice::<Value>(&message)) else {
            continue;
        };
        let mut take = |name: &str| message.get_mut(name).map(Value::take).unwrap_or_default();
        let (id, method, params) = (take("id"), take("method"), take("params"));
        let (result, error) = (take("result"), take("error"));
        match (method, id) {
            (Value::String(method), Value::Null) => {
                let _ = incoming.send(DaemonMessage::Notification { method, params });
            }
            (Value::String(method), id) => {
                let reply = ResponseSender { id, out: out.clone(), sent: false };
                // Nobody there drops it, and with it the reply, which says so.
                let _ = incoming.send(DaemonMessage::Request { method, params, reply });
            }
            (_, id) => {
                let waiting = id.as_u64().and_then(|id| lock(&pending).waiting.as_mut()?.remove(&id));
                let _ = waiting.map(|waiting| waiting.send(answer(result, &error)));
            }
        }
    }
    lock(&pending).waiting = None;
}

fn answer(result: Value, error: &Value) -> ResponseResult {
    if error.is_null() {
        return Ok(result);
    }
    let message = error.get("message").and_then(Value::as_str).unwrap_or("(without words)").to_owned();
    let code = error.get("code").and_then(Value::as_i64).and_then(ErrorCode::from_code);
    Err(DaemonClientError::Refused { code, message })
}

fn lock(pending: &Mutex<PendingResponses>) -> std::sync::MutexGuard<'_, PendingResponses> {
    pending.lock().unwrap_or_else(PoisonError::into_inner)
}
