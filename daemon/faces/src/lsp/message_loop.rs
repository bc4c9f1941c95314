//! From bytes to messages and back, for one client.
//!
//! The framework's own loop is not used: it holds back what it reads while handlers wait, lets answers overtake what was
//! said before them, and ends the connection at the first message that is no JSON. Here one task reads, and hands each
//! message on before it looks at the next; handlers run beside it; one task writes, in the order in which things were said.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::time::Duration;

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

/// Requests of one client at work at one time; whoever sends more is read on when one is done. No handler waits for its
/// client, so none of them can be what the client waits for.
const MAX_CONCURRENT_REQUESTS: usize = 1024;

/// What handlers at work and a client that reads slowly get at the end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Answers that wait to be written. A client that does not read them is read no further.
const ROOM: usize = 256;

/// Serves until the client goes, says `exit`, or the desk ends; what has been said by then is written.
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
    let (requests, answered) = socket.split();
    let (out, said) = mpsc::channel(ROOM);
    let closing = CancellationToken::new();
    let mut writing = tokio::spawn(write(writer, said, requests, closing.clone()));
    let room = Arc::new(Semaphore::new(MAX_CONCURRENT_REQUESTS));
    let mut reading = MessageDispatcher { service, answered, out, room, tasks: TaskTracker::new() };
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
    // Whoever asked the desk to end is told that it does.
    let _ = timeout(SHUTDOWN_TIMEOUT, tasks.wait()).await;
    closing.cancel();
    if timeout(SHUTDOWN_TIMEOUT, &mut writing).await.is_err() {
        // Whoever does not read may stay for ever.
        writing.abort();
    }
}

struct MessageDispatcher<S, A> {
    service: S,
    /// Where the client's answers go.
    answered: A,
    out: mpsc::Sender<Value>,
    room: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl<S, A: Sink<Response> + Unpin> MessageDispatcher<S, A>
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + 'static,
{
    /// False where nothing more is to be read.
    async fn handle_frame(&mut self, frame: Result<Bytes, FrameError>) -> bool {
        let message = match read(frame) {
            Ok(message) => message,
            Err(refusal) => return self.out.send(refusal).await.is_ok(),
        };
        match message {
            // To something that nobody waits for any more.
            ClientMessage::Response(response) => self.answered.send(response).await.is_ok(),
            ClientMessage::Request(request) => self.call(request).await,
        }
    }

    async fn call(&mut self, request: Request) -> bool {
        if poll_fn(|context| self.service.poll_ready(context)).await.is_err() {
            return false;
        }
        let is_last = request.method() == "exit";
        // These change what may come next; notifications are done as soon as they are begun.
        let in_turn = request.id().is_none() || matches!(request.method(), "initialize" | "shutdown");
        let handled = self.service.call(request);
        if in_turn {
            if let Ok(Some(response)) = handled.await {
                let _ = self.out.send(json!(response)).await;
            }
            return !is_last;
        }
        let Ok(place) = Arc::clone(&self.room).acquire_owned().await else { return false };
        let out = self.out.clone();
        self.tasks.spawn(async move {
            if let Ok(Some(response)) = handled.await {
                let _ = out.send(json!(response)).await;
            }
            drop(place);
        });
        true
    }
}

enum ClientMessage {
    Request(Request),
    Response(Response),
}

/// What a client sent, or what it is told about it.
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
        // There is no other version that could be meant.
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

/// Writes what is said, by handlers and by the desk itself, until nobody can say anything more.
async fn write(
    writer: impl AsyncWrite + Unpin,
    mut said: mpsc::Receiver<Value>,
    mut requests: impl Stream<Item = Request> + Unpin,
    closing: CancellationToken,
) -> io::Result<()> {
    let mut writer = BufWriter::new(writer);
    loop {
        let message = tokio::select! {
            biased;
            message = said.recv() => match message {
                Some(message) => message,
                None => break,
            },
            Some(request) = requests.next() => json!(request),
            // Handlers still at work have nobody left to answer.
            () = closing.cancelled() => break,
        };
        frame::write(&mut writer, message.to_string().as_bytes()).await?;
        if said.is_empty() {
            writer.flush().await?;
        }
    }
    writer.flush().await?;
    writer.shutdown().await
}
