//! The bounded queue from the sessions to one attached client.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use copydesk_protocol::event::EventParams;
use copydesk_protocol::permission::{PermissionAskParams, PermissionSettledParams};
use copydesk_protocol::question::{QuestionAskParams, QuestionSettledParams};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How far a client may be behind. A long answer is a few thousand events; a client that is further behind
/// loads again.
const MAX_QUEUED_MESSAGES: usize = 4096;

#[derive(Debug, Clone)]
pub enum OutboxMessage {
    Event(Arc<EventParams>),
    Ask(Arc<PermissionAskParams>),
    AskSettled(PermissionSettledParams),
    Question(Arc<QuestionAskParams>),
    QuestionSettled(QuestionSettledParams),
    /// Cancelled when everything before it is sent. The client gets nothing.
    Flush(CancellationToken),
}

/// Clones share one queue. It has one reader.
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
    /// Never waits. A full queue drops its oldest event; the client sees the gap in `seq` and loads again. Other messages have
    /// no number by which it would miss them, so they go only if there is no event.
    pub fn send(&self, message: OutboxMessage) {
        let mut messages = self.queue.messages.lock().unwrap_or_else(PoisonError::into_inner);
        if messages.len() == MAX_QUEUED_MESSAGES {
            let oldest = messages.iter().position(|message| matches!(message, OutboxMessage::Event(_)));
            messages.remove(oldest.unwrap_or(0));
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

#[cfg(test)]
mod tests {
    use copydesk_protocol::event::EventInfo;

    use super::*;

    #[tokio::test]
    async fn a_full_queue_drops_its_oldest_event_and_no_other_message() {
        let outbox = ClientOutbox::default();
        let settled = PermissionSettledParams { session: "s".into(), ask: "a".into(), by: None };
        outbox.send(OutboxMessage::AskSettled(settled));
        for seq in 0..MAX_QUEUED_MESSAGES as u64 {
            let event = EventInfo::Warning { message: String::new() };
            outbox.send(OutboxMessage::Event(Arc::new(EventParams { session: "s".into(), seq, event })));
        }
        assert!(matches!(outbox.next().await, OutboxMessage::AskSettled(_)));
        assert!(matches!(outbox.next().await, OutboxMessage::Event(event) if event.seq == 1));
    }
}
