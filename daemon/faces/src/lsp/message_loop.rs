//! Reads and writes the messages of one client.
//!
//! It replaces the framework's own loop, which stops reading while handlers wait, lets responses overtake
//! earlier messages, and ends the connection at the first message that is not JSON. Here one task reads and
//! hands on each message before the next; handlers run beside it; one task writes messages in the order they
//! were queued.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use copydesk_protocol::error::ErrorCode;
use copydesk_rpc::frame::{self, FrameError, FrameReader, head::RpcMessageHead};
use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufWriter};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_lsp_server::{ClientSocket, ExitedError};

use crate::time_limits::CONNECTION_SHUTDOWN_TIMEOUT;

/// Requests of one client that run at once. A client that sends more is read again when one is done. No handler
/// waits for its client, so this cannot deadlock.
const MAX_CONCURRENT_REQUESTS: usize = 1024;

/// Responses queued for writing. A client that does not read them is not read either.
const MAX_QUEUED_RESPONSES: usize = 256;

/// Serves until the client disconnects or sends `exit`, or the daemon ends; then writes what is queued.
pub(super) async fn serve<S>(
    service: S,
    socket: ClientSocket,
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin + Send + 'static,
    ending: CancellationToken,
) where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + 'static,
{
    let (requests, responses) = socket.split();
    let (out, queued) = mpsc::channel(MAX_QUEUED_RESPONSES);
    let closing = CancellationToken::new();
    let mut writing = tokio::spawn(write(writer, queued, requests, closing.clone()));
    let room = Arc::new(Semaphore::new(MAX_CONCURRENT_REQUESTS));
    let mut reading = MessageDispatcher { service, responses, out, room, tasks: TaskTracker::new() };
    let mut reader = FrameReader::new(reader);
    loop {
        let frame = tokio::select! {
            biased;
            () = ending.cancelled() => break,
            frame = reader.next() => frame,
        };
        let Ok(Some(frame)) = frame else { break };
        if !reading.handle_frame(frame).await {
            break;
        }
    }
    let tasks = reading.tasks.clone();
    drop(reading);
    tasks.close();
    // A client that asked the daemon to stop gets its response.
    let _ = timeout(CONNECTION_SHUTDOWN_TIMEOUT, tasks.wait()).await;
    closing.cancel();
    if timeout(CONNECTION_SHUTDOWN_TIMEOUT, &mut writing).await.is_err() {
        // A client that does not read could block forever.
        writing.abort();
    }
}

struct MessageDispatcher<S, A> {
    service: S,
    /// Takes the client's responses to our requests.
    responses: A,
    out: mpsc::Sender<Value>,
    room: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl<S, A: Sink<Response> + Unpin> MessageDispatcher<S, A>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + 'static,
{
    /// False when nothing more is to be read.
    async fn handle_frame(&mut self, frame: Result<Bytes, FrameError>) -> bool {
        let message = match read(frame) {
            Ok(message) => message,
            Err(refusal) => return self.out.send(refusal).await.is_ok(),
        };
        match message {
            // The request may already be abandoned.
            ClientMessage::Response(response) => self.responses.send(response).await.is_ok(),
            ClientMessage::Request(request) => self.call(request).await,
        }
    }

    async fn call(&mut self, request: Request) -> bool {
        if poll_fn(|context| self.service.poll_ready(context)).await.is_err() {
            return false;
        }
        let is_last = request.method() == "exit";
        // `initialize` and `shutdown` change what may come next; notifications finish when called.
        let in_turn = request.id().is_none() || matches!(request.method(), "initialize" | "shutdown");
        let handled = self.service.call(request);
        if in_turn {
            if let Ok(Some(response)) = handled.await {
                let _ = self.out.send(json!(response)).await;
            }
            return !is_last;
        }
        let Ok(permit) = Arc::clone(&self.room).acquire_owned().await else { return false };
        let out = self.out.clone();
        self.tasks.spawn(async move {
            if let Ok(Some(response)) = handled.await {
                let _ = out.send(json!(response)).await;
            }
            drop(permit);
        });
        true
    }
}

enum ClientMessage {
    Request(Request),
    Response(Response),
}

/// Parses a client's message, or returns the error response to send.
fn read(frame: Result<Bytes, FrameError>) -> Result<ClientMessage, Value> {
    let bytes = frame.map_err(|error| {
        let id = match &error {
            FrameError::TooLong { head, .. } => {
                RpcMessageHead::guess(head).id.and_then(|id| serde_json::from_str(id).ok())
            }
            FrameError::Garbage { .. } | FrameError::Truncated => None,
        };
        refusal(id.unwrap_or(Value::Null), ErrorCode::ParseError, &error.to_string())
    })?;
    let mut value: Value = serde_json::from_slice(&bytes)
        .map_err(|error| refusal(Value::Null, ErrorCode::ParseError, &error.to_string()))?;
    if let Some(message) = value.as_object_mut() {
        // Some clients omit the version; no other is possible.
        message.insert("jsonrpc".to_owned(), json!("2.0"));
    }
    let id = value.get("id").cloned().unwrap_or(Value::Null);
    let wrong = |error: serde_json::Error| refusal(id, ErrorCode::InvalidRequest, &error.to_string());
    if value.get("method").is_some() {
        serde_json::from_value(value).map(ClientMessage::Request).map_err(wrong)
    } else {
        serde_json::from_value(value).map(ClientMessage::Response).map_err(wrong)
    }
}

fn refusal(id: Value, code: ErrorCode, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.code(), "message": message } })
}

/// Writes the messages of handlers and of the daemon itself, until all senders are gone.
async fn write(
    writer: impl AsyncWrite + Unpin,
    mut queued: mpsc::Receiver<Value>,
    mut requests: impl Stream<Item = Request> + Unpin,
    closing: CancellationToken,
) -> io::Result<()> {
    let mut writer = BufWriter::new(writer);
    loop {
        let message = tokio::select! {
            biased;
            message = queued.recv() => match message {
                Some(message) => message,
                None => break,
            },
            Some(request) = requests.next() => json!(request),
            // The connection ends: responses of handlers that still run are dropped.
            () = closing.cancelled() => break,
        };
        frame::write(&mut writer, message.to_string().as_bytes()).await?;
        if queued.is_empty() {
            writer.flush().await?;
        }
    }
    writer.flush().await?;
    writer.shutdown().await
}
