//! The way from a session to one attached client: a queue with an end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use copydesk_protocol::event::EventParams;
use copydesk_protocol::permission::{PermissionAskParams, PermissionSettledParams};
use copydesk_protocol::question::{QuestionAskParams, QuestionSettledParams};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// As many as a client may be behind. A long answer is a few thousand events; whoever is further behind loads again.
const ROOM: usize = 4096;

/// Something for a client.
#[derive(Debug, Clone)]
pub enum OutboxMessage {
    Event(Arc<EventParams>),
    Ask(Arc<PermissionAskParams>),
    AskSettled(PermissionSettledParams),
    Question(Arc<QuestionAskParams>),
    QuestionSettled(QuestionSettledParams),
    /// For whoever wants to know that the client was told all before this. Nothing for the client.
    Flush(CancellationToken),
}

/// A clone is the same way. It has one reader.
#[derive(Debug, Clone, Default)]
pub struct ClientOutbox {
    queue: Arc<OutboxQueue>,
}

#[derive(Debug, Default)]
struct OutboxQueue {
    messages: Mutex<VecDeque<OutboxMessage>>,
    arrived: Notify,
}

impl ClientOutbox {
    /// Never waits. What a client does not keep up with is left out, the oldest first: whatever is left out, something
    /// newer follows, so that the client sees the gap.
    pub fn send(&self, message: OutboxMessage) {
        let mut messages = self.queue.messages.lock().unwrap_or_else(PoisonError::into_inner);
        if messages.len() == ROOM {
            messages.pop_front();
        }
        messages.push_back(message);
        drop(messages);
        self.queue.arrived.notify_one();
    }

    pub async fn next(&self) -> OutboxMessage {
        loop {
            let next = self.queue.messages.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            match next {
                Some(message) => return message,
                None => self.queue.arrived.notified().await,
            }
        }
    }
}
