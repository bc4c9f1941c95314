//! The way from a session to one attached client: a queue with an end.

use std::sync::Arc;

use copydesk_protocol::ask::{PermissionAskParams, PermissionSettledParams};
use copydesk_protocol::event::EventParams;
use tokio::sync::mpsc;

/// As many as a client may be behind. A long answer is a few thousand events; whoever is further behind loads again.
const ROOM: usize = 4096;

/// Something for a client.
#[derive(Debug, Clone)]
pub(crate) enum Message {
    Event(Arc<EventParams>),
    Ask(Arc<PermissionAskParams>),
    Settled(PermissionSettledParams),
}

#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    /// The client's name, for the others.
    pub(crate) name: String,
    queue: mpsc::Sender<Message>,
}

impl Outbox {
    pub(crate) fn new(name: String) -> (Self, mpsc::Receiver<Message>) {
        let (queue, messages) = mpsc::channel(ROOM);
        (Self { name, queue }, messages)
    }

    /// Never waits. What a client does not keep up with is left out; it will see the gap.
    pub(crate) fn send(&self, message: Message) {
        let _ = self.queue.try_send(message);
    }
}
