//! The bounded queue of unread messages from the daemon.
//!
//! The connection carries responses too, so its reader must never wait for the reader of the inbox. A full inbox drops its
//! oldest message. Events are numbered: the reader sees the gap and loads the session again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::DaemonMessage;

/// A long turn is a few thousand events.
const CAPACITY: usize = 16 * 1024;

/// The reader's end. After it is dropped, further messages are dropped, which rejects the daemon's requests.
#[derive(Debug)]
pub(crate) struct DaemonInbox {
    queue: Arc<InboxQueue>,
}

/// The connection's end. Clones share one queue.
#[derive(Debug, Clone)]
pub(super) struct InboxSender {
    queue: Arc<InboxQueue>,
}

#[derive(Debug)]
struct InboxQueue {
    /// `None` after the reader is dropped.
    messages: Mutex<Option<VecDeque<DaemonMessage>>>,
    arrived: Notify,
    closed: CancellationToken,
}

impl InboxQueue {
    fn lock(&self) -> MutexGuard<'_, Option<VecDeque<DaemonMessage>>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn inbox() -> (InboxSender, DaemonInbox) {
    let queue = Arc::new(InboxQueue {
        messages: Mutex::new(Some(VecDeque::new())),
        arrived: Notify::new(),
        closed: CancellationToken::new(),
    });
    (InboxSender { queue: Arc::clone(&queue) }, DaemonInbox { queue })
}

impl InboxSender {
    pub(super) fn push(&self, message: DaemonMessage) {
        let mut messages = self.queue.lock();
        let Some(waiting) = messages.as_mut() else { return };
        let oldest = (waiting.len() == CAPACITY).then(|| waiting.pop_front());
        waiting.push_back(message);
        drop(messages);
        // Dropped outside the lock: dropping a request sends its answer.
        drop(oldest);
        self.queue.arrived.notify_one();
    }

    /// No more messages follow. Queued ones can still be read.
    pub(super) fn close(&self) {
        self.queue.closed.cancel();
    }

    pub(super) async fn wait_closed(&self) {
        self.queue.closed.cancelled().await;
    }
}

impl DaemonInbox {
    /// The next message; `None` when the connection has ended and everything was read.
    pub(crate) async fn recv(&mut self) -> Option<DaemonMessage> {
        loop {
            let is_closed = self.queue.closed.is_cancelled();
            let next = self.queue.lock().as_mut().and_then(VecDeque::pop_front);
            if next.is_some() || is_closed {
                return next;
            }
            tokio::select! {
                () = self.queue.arrived.notified() => {}
                () = self.queue.closed.cancelled() => {}
            }
        }
    }
}

impl Drop for DaemonInbox {
    fn drop(&mut self) {
        let unread = self.queue.lock().take();
        drop(unread);
    }
}
