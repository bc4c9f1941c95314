//! JSON-RPC with one peer, over any two streams. Both sides send requests, responses and notifications.
//!
//! Messages go out in the order of the calls. No call waits: a message that cannot be written yet is queued.
//! The [`RpcHandler`] gets incoming messages in arrival order, one at a time. It answers a request at once
//! ([`RpcHandler::request`]), or keeps its [`RpcResponder`] and answers later, in any order
//! ([`RpcHandler::request_async`]).
//!
//! Invariant: the queue is bounded. Dropping a message would leave the two sides in disagreement, so a peer
//! that lets the queue fill up is disconnected instead.
//! Invariant: no input makes the daemon panic or wait forever. A malformed message is reported and skipped, a
//! response to no pending request is dropped, and the end of the streams answers every pending request.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufWriter};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use crate::frame::head::{RpcMessageHead, RpcMessageKind};
use crate::frame::{self, FrameError, FrameReader, MAX_INLINE_BYTES};

use pending_requests::PendingRpcRequests;
pub use pending_requests::{RpcResponseFuture, UnansweredRequest};
pub use responder::RpcResponder;

mod pending_requests;
mod responder;
#[cfg(test)]
mod tests;

const VERSION: &str = "2.0";
const MAX_QUEUED_MESSAGES: usize = 4096;
const MAX_QUEUED_BYTES: usize = 64 * 1024 * 1024;
const MAX_ID_BYTES: usize = 256;
const MAX_ERROR_CHARS: usize = 2000;

/// Receives what the peer sends. Each call must return at once.
pub trait RpcHandler: Send + Sync + 'static {
    fn request(&self, method: &str, params: &RawValue) -> Result<serde_json::Value, RpcError>;
    /// A request that may be answered later. Where this is not overridden, [`Self::request`] answers at once.
    fn request_async(&self, method: &str, params: &RawValue, responder: RpcResponder) {
        responder.respond(self.request(method, params));
    }
    fn notification(&self, method: &str, params: &RawValue);
    /// The peer sent something that is not a valid message.
    fn malformed(&self, seen: &str);
    /// No more messages will come. `why` completes "it has ended: …".
    fn closed(&self, why: &str);
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RpcError {
    pub code: i64,
    pub message: String,
}

impl RpcError {
    pub const INVALID_REQUEST: i64 = -32600;
    pub const METHOD_NOT_FOUND: i64 = -32601;

    pub fn method_not_found(method: &str) -> Self {
        let shown: String = method.chars().take(100).collect();
        Self { code: Self::METHOD_NOT_FOUND, message: format!("unknown method `{shown}`") }
    }

    /// Whether the same request may succeed on retry: it was cancelled, the content was modified, or the
    /// server itself gave it up.
    pub fn is_retryable(&self) -> bool {
        matches!(self.code, -32802..=-32800)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PeerError {
    #[error("it answers with an error: {0}")]
    Rpc(RpcError),
    #[error("it has ended: {0}")]
    Ended(String),
}

/// One side of a connection. Dropping it closes the connection.
#[derive(Debug)]
pub struct RpcPeer {
    shared: Arc<RpcPeerInner>,
}

#[derive(Debug)]
struct RpcPeerInner {
    out: mpsc::Sender<Bytes>,
    queued: AtomicUsize,
    pending: PendingRpcRequests,
    closing: CancellationToken,
}

impl Drop for RpcPeer {
    fn drop(&mut self) {
        self.close("we closed the connection");
    }
}

impl RpcPeer {
    pub fn start(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        handler: Arc<impl RpcHandler>,
    ) -> Self {
        let (out, queue) = mpsc::channel(MAX_QUEUED_MESSAGES);
        let (pending, closing) = (PendingRpcRequests::default(), CancellationToken::new());
        let stop = closing.clone();
        let shared = Arc::new(RpcPeerInner { out, queued: AtomicUsize::new(0), pending, closing });
        let writing = write(Arc::clone(&shared), queue, writer);
        tokio::spawn(async move { stop.run_until_cancelled(writing).await });
        let ended = Arc::clone(&shared);
        tokio::spawn(async move {
            read(Arc::clone(&ended), reader, Arc::clone(&handler)).await;
            ended.close("it closed its output");
            handler.closed(&ended.pending.close_reason());
        });
        Self { shared }
    }

    /// Sends at once; await the future for the response. Dropping it earlier cancels the request.
    pub fn request(&self, method: &'static str, params: &impl Serialize) -> RpcResponseFuture {
        let (id, answer) = self.shared.pending.register(&self.shared, method);
        self.shared.say(&OutgoingRpcMessage::new(Some(id), method, params));
        answer
    }

    pub fn notify(&self, method: &str, params: &impl Serialize) {
        self.shared.say(&OutgoingRpcMessage::new(None, method, params));
    }

    /// The oldest of the unanswered requests that were sent after the last response of any kind.
    pub fn oldest_unanswered(&self) -> Option<UnansweredRequest> {
        self.shared.pending.oldest_unanswered()
    }

    /// Closes the connection. Every pending request fails with `why`.
    pub fn close(&self, why: &str) {
        self.shared.close(why);
    }
}

#[derive(Serialize)]
struct OutgoingRpcMessage<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: &'a P,
}

impl<'a, P> OutgoingRpcMessage<'a, P> {
    fn new(id: Option<u64>, method: &'a str, params: &'a P) -> Self {
        Self { jsonrpc: VERSION, id, method, params }
    }
}

impl RpcPeerInner {
    fn say(&self, message: &impl Serialize) {
        match serde_json::to_vec(message) {
            Ok(bytes) => self.send(bytes.into()),
            // Unreachable for our types: none has keys that JSON cannot express.
            Err(error) => self.close(&format!("a message to it could not be written: {error}")),
        }
    }

    fn send(&self, message: Bytes) {
        let length = message.len();
        let queued = self.queued.fetch_add(length, Ordering::Relaxed);
        // A single message may exceed the cap; messages behind it may not.
        let is_full = queued > 0 && queued.saturating_add(length) > MAX_QUEUED_BYTES;
        if is_full || matches!(self.out.try_send(message), Err(mpsc::error::TrySendError::Full(_))) {
            self.close("it does not read its input");
        }
    }

    fn close(&self, why: &str) {
        self.pending.close(why);
        self.closing.cancel();
    }

    /// A message that was too long is answered, if its beginning says what it was.
    fn refuse_frame(&self, error: &FrameError) {
        let FrameError::TooLong { head, .. } = error else { return };
        let refusal = Err(RpcError { code: RpcError::INVALID_REQUEST, message: error.to_string() });
        match RpcMessageHead::guess(head).kind() {
            RpcMessageKind::Request { id, .. } if id.len() <= MAX_ID_BYTES => {
                let Ok(id) = RawValue::from_string(id.to_owned()) else { return };
                self.answer(&id, refusal);
            }
            RpcMessageKind::Response { id: Some(id) } => {
                let Some(id) = number(id) else { return };
                self.pending.resolve(id, refusal.map(|_: serde_json::Value| RawValue::NULL));
            }
            _ => {}
        }
    }

    fn answer(&self, id: &RawValue, result: Result<serde_json::Value, RpcError>) {
        #[derive(Serialize)]
        struct RpcErrorObject {
            code: i64,
            message: String,
        }
        #[derive(Serialize)]
        #[serde(untagged)]
        enum RpcResponse<'a> {
            Result { jsonrpc: &'static str, id: &'a RawValue, result: serde_json::Value },
            Error { jsonrpc: &'static str, id: &'a RawValue, error: RpcErrorObject },
        }
        let jsonrpc = VERSION;
        self.say(&match result {
            Ok(result) => RpcResponse::Result { jsonrpc, id, result },
            Err(RpcError { code, message }) => {
                RpcResponse::Error { jsonrpc, id, error: RpcErrorObject { code, message } }
            }
        });
    }
}

async fn write(shared: Arc<RpcPeerInner>, mut queue: mpsc::Receiver<Bytes>, writer: impl AsyncWrite + Unpin) {
    let mut writer = BufWriter::new(writer);
    while let Some(message) = queue.recv().await {
        let mut written = frame::write(&mut writer, &message).await;
        if queue.is_empty() && written.is_ok() {
            written = writer.flush().await;
        }
        shared.queued.fetch_sub(message.len(), Ordering::Relaxed);
        if let Err(error) = written {
            return shared.close(&format!("it closed its input: {error}"));
        }
    }
}

/// Reads until the connection closes. A message that is being handled then is handled to its end, so that none comes
/// after [`RpcHandler::closed`].
async fn read(shared: Arc<RpcPeerInner>, reader: impl AsyncRead + Unpin, handler: Arc<impl RpcHandler>) {
    let mut reader = FrameReader::new(reader);
    while let Some(frame) = shared.closing.run_until_cancelled(reader.next()).await {
        match frame {
            Ok(Some(Ok(message))) if message.len() > MAX_INLINE_BYTES => {
                let (shared, handler) = (Arc::clone(&shared), Arc::clone(&handler));
                // Fails only if a handler panics, which its own thread has reported.
                let _ = spawn_blocking(move || take(&shared, &message, &*handler)).await;
            }
            Ok(Some(Ok(message))) => take(&shared, &message, &*handler),
            Ok(Some(Err(error))) => {
                shared.refuse_frame(&error);
                handler.malformed(&error.to_string());
            }
            Ok(None) => return,
            Err(error) => return shared.close(&format!("its output cannot be read: {error}")),
        }
        // A peer that never stops sending must not monopolise this thread.
        tokio::task::consume_budget().await;
    }
}

#[derive(Deserialize)]
struct IncomingRpcMessage<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn take(shared: &Arc<RpcPeerInner>, message: &[u8], handler: &impl RpcHandler) {
    let lossy;
    let incoming: Result<IncomingRpcMessage<'_>, _> = match serde_json::from_slice(message) {
        Err(_) if std::str::from_utf8(message).is_err() => {
            // A server that prints a file's raw bytes still means the rest of the message.
            lossy = String::from_utf8_lossy(message);
            serde_json::from_str(&lossy)
        }
        other => other,
    };
    let IncomingRpcMessage { id, method, params, result, error } = match incoming {
        Ok(incoming) => incoming,
        Err(error) => return handler.malformed(&format!("an invalid message: {error}")),
    };
    let params = params.unwrap_or(RawValue::NULL);
    match (id, method) {
        (Some(id), Some(_)) if id.get().len() > MAX_ID_BYTES => {
            handler.malformed("a request whose id is too long");
        }
        (Some(id), Some(method)) => {
            let responder =
                RpcResponder { shared: Arc::clone(shared), id: id.to_owned(), has_responded: false };
            handler.request_async(&method, params, responder);
        }
        (None, Some(method)) => handler.notification(&method, params),
        (Some(id), None) => match number(id.get()) {
            Some(id) => {
                let settled = error.map_or(Ok(result.unwrap_or(RawValue::NULL)), |error| Err(failure(error)));
                shared.pending.resolve(id, settled);
            }
            None => handler.malformed("a response with an unknown id"),
        },
        (None, None) => handler.malformed("a message that is neither request nor notification nor response"),
    }
}

/// Our ids are numbers; some servers return them as strings.
fn number(id: &str) -> Option<u64> {
    id.trim_matches('"').parse().ok()
}

fn failure(error: &RawValue) -> RpcError {
    let error: serde_json::Value = serde_json::from_str(error.get()).unwrap_or_default();
    let message = error.get("message").and_then(serde_json::Value::as_str).unwrap_or("no reason given");
    RpcError {
        code: error.get("code").and_then(serde_json::Value::as_i64).unwrap_or_default(),
        message: message.chars().take(MAX_ERROR_CHARS).collect(),
    }
}
