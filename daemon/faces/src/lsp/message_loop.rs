//! Reads and writes the messages of one client.
//!
//! It replaces the framework's own loop, which stops reading while handlers wait, lets responses overtake
//! earlier messages, and ends the connection at the first message that is not JSON. Here one task reads and
//! hands on each message before the next; handlers run beside it; one task writes messages in the order they
//! were queued. A long message is parsed beside the async runtime, so that it delays only its own client.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use copydesk_rpc::frame::{self, FrameError, FrameReader};
use futures_util::{Sink, SinkExt as _, Stream, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufWriter};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;
use tower_lsp_server::jsonrpc::{Request, Response};
use tower_lsp_server::{ClientSocket, ExitedError};

use super::client_message::{ClientMessage, frame_refusal};
use super::ordered_sync::ApplyNotification;
use crate::time_limits::CONNECTION_SHUTDOWN_TIMEOUT;

#[cfg(test)]
mod tests;

/// Requests of one client that run at once. A client that sends more is read again when one is done. No handler
/// waits for its client, so this cannot deadlock.
const MAX_CONCURRENT_REQUESTS: usize = 1024;

/// Responses queued for writing. A client that does not read them is not read either.
const MAX_QUEUED_RESPONSES: usize = 256;

/// Serves until the client disconnects or sends `exit`, or the daemon ends; then writes what is queued.
pub(super) async fn serve<S>(
    (service, apply): (S, ApplyNotification),
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
    let mut reading = MessageDispatcher { service, apply, responses, out, room, tasks: TaskTracker::new() };
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
    apply: ApplyNotification,
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
        let message = match frame {
            Ok(message) if message.len() > frame::MAX_INLINE_BYTES => {
                let apply = Arc::clone(&self.apply);
                match spawn_blocking(move || ClientMessage::read(&message, &apply)).await {
                    Ok(message) => message,
                    Err(_panicked) => return false,
                }
            }
            Ok(message) => ClientMessage::read(&message, &self.apply),
            Err(error) => Err(frame_refusal(&error)),
        };
        match message {
            // The request may already be abandoned.
            Ok(ClientMessage::Response(response)) => self.responses.send(response).await.is_ok(),
            Ok(ClientMessage::Request(request)) => self.call(request).await,
            Ok(ClientMessage::Applied) => true,
            Err(refusal) => self.out.send(refusal).await.is_ok(),
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
