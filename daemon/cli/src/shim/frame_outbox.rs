//! A queue of outgoing messages, written in order by a task of its own: senders never wait.
//!
//! The shim reads a peer only while the other peer's queue has room ([`FrameOutbox::room`]). So a peer that
//! does not read delays only its own messages, and two peers cannot deadlock.

use bytes::Bytes;
use copydesk_rpc::frame;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use crate::time_limits::FINISH_TIMEOUT;

/// Queued bytes at which reading stops.
const MAX_QUEUED_BYTES: usize = 8 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct FrameOutbox {
    queue: mpsc::UnboundedSender<Bytes>,
    waiting: watch::Sender<usize>,
    writer: JoinHandle<()>,
}

impl FrameOutbox {
    pub(super) fn new(out: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (queue, messages) = mpsc::unbounded_channel();
        let waiting = watch::Sender::new(0);
        Self { queue, writer: tokio::spawn(write(out, messages, waiting.clone())), waiting }
    }

    /// Drops messages to a peer that is gone; its other direction reports that.
    pub(super) fn send(&self, message: impl Into<Bytes>) {
        let message = message.into();
        self.waiting.send_modify(|waiting| *waiting += message.len());
        let _ = self.queue.send(message);
    }

    /// Waits until the queue has room, or the peer is gone.
    pub(super) async fn room(&self) {
        let mut waiting = self.waiting.subscribe();
        tokio::select! {
            _ = waiting.wait_for(|waiting| *waiting < MAX_QUEUED_BYTES) => {}
            () = self.queue.closed() => {}
        }
    }

    /// Waits until the peer is gone.
    pub(super) async fn closed(&self) {
        self.queue.closed().await;
    }

    /// Writes what is queued, if the peer reads it.
    pub(super) async fn finish(self) {
        drop(self.queue);
        let _ = tokio::time::timeout(FINISH_TIMEOUT, self.writer).await;
    }
}

async fn write(
    mut out: impl AsyncWrite + Unpin,
    mut messages: mpsc::UnboundedReceiver<Bytes>,
    waiting: watch::Sender<usize>,
) {
    while let Some(message) = messages.recv().await {
        let mut written = frame::write(&mut out, &message).await;
        if written.is_ok() && messages.is_empty() {
            written = out.flush().await;
        }
        if written.is_err() {
            return;
        }
        waiting.send_modify(|waiting| *waiting = waiting.saturating_sub(message.len()));
    }
}
