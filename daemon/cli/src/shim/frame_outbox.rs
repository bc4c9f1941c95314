//! Messages on their way out, in order, written by a task of their own: whoever sends never waits.
//!
//! Whoever reads from the other side waits for room here first, so that a peer that does not read holds up only what is
//! meant for it, and two that wait for each other cannot happen.

use std::time::Duration;

use bytes::Bytes;
use copydesk_rpc::frame;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// So many bytes may wait before reading stops.
const ROOM: usize = 8 * 1024 * 1024;

/// A peer that does not take its last messages is left alone after this.
const PATIENCE: Duration = Duration::from_secs(1);

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

    /// A peer that is gone gets nothing; its other direction tells of that.
    pub(super) fn send(&self, message: impl Into<Bytes>) {
        let message = message.into();
        self.waiting.send_modify(|waiting| *waiting += message.len());
        let _ = self.queue.send(message);
    }

    /// Waits until little is on its way, or nobody takes it any more.
    pub(super) async fn room(&self) {
        let mut waiting = self.waiting.subscribe();
        tokio::select! {
            _ = waiting.wait_for(|waiting| *waiting < ROOM) => {}
            () = self.queue.closed() => {}
        }
    }

    /// Waits until the peer can no longer be told anything.
    pub(super) async fn closed(&self) {
        self.queue.closed().await;
    }

    /// Everything that was sent is written, if the peer takes it.
    pub(super) async fn finish(self) {
        drop(self.queue);
        let _ = tokio::time::timeout(PATIENCE, self.writer).await;
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
