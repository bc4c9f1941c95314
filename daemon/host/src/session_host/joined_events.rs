//! Joins the pieces of text that a model writes faster than anybody reads.
//!
//! The first piece is passed on at once; pieces of the same part that follow within [`DELTA_INTERVAL`] are passed on as one.
//! All other events, and the order of events, stay as they are.

use copydesk_session::SessionEvent;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use crate::time_limits::DELTA_INTERVAL;

/// A longer text is passed on without waiting.
const MAX_JOINED_BYTES: usize = 64 * 1024;

pub(super) struct JoinedEvents {
    events: mpsc::Receiver<SessionEvent>,
    /// The event that ended the last text.
    following: Option<SessionEvent>,
    /// Until then pieces are joined.
    join_until: Instant,
}

impl JoinedEvents {
    pub(super) fn new(events: mpsc::Receiver<SessionEvent>) -> Self {
        Self { events, following: None, join_until: Instant::now() }
    }

    /// `None` after the last event.
    pub(super) async fn next(&mut self) -> Option<SessionEvent> {
        let event = match self.following.take() {
            Some(event) => event,
            None => self.events.recv().await?,
        };
        let SessionEvent::PartDelta { part, mut text } = event else { return Some(event) };
        while text.len() < MAX_JOINED_BYTES {
            match timeout_at(self.join_until, self.events.recv()).await {
                Ok(Some(SessionEvent::PartDelta { part: same, text: more })) if same == part => text += &more,
                Ok(other) => {
                    self.following = other;
                    break;
                }
                Err(_) => break,
            }
        }
        self.join_until = Instant::now() + DELTA_INTERVAL;
        Some(SessionEvent::PartDelta { part, text })
    }
}

#[cfg(test)]
mod tests {
    use copydesk_session::Id;

    use super::*;

    fn delta(part: &str, text: &str) -> SessionEvent {
        SessionEvent::PartDelta { part: Id::from(part), text: text.to_owned() }
    }

    fn discarded(part: &str) -> SessionEvent {
        SessionEvent::PartDiscarded { part: Id::from(part) }
    }

    fn shown(event: Option<SessionEvent>) -> String {
        match event {
            Some(SessionEvent::PartDelta { part, text }) => format!("{part}: {text}"),
            Some(SessionEvent::PartDiscarded { part }) => format!("{part} discarded"),
            other => format!("{other:?}"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pieces_of_one_part_are_joined_and_the_order_stays() {
        let (sender, events) = mpsc::channel(64);
        let mut events = JoinedEvents::new(events);
        sender.send(delta("a", "One")).await.unwrap();
        assert_eq!(shown(events.next().await), "a: One", "the first one does not wait");
        let rest = [
            delta("a", " two"),
            delta("a", " three"),
            delta("b", "four"),
            discarded("b"),
            delta("a", "five"),
        ];
        for event in rest {
            sender.send(event).await.unwrap();
        }
        drop(sender);
        for expected in ["a:  two three", "b: four", "b discarded", "a: five", "None", "None"] {
            assert_eq!(shown(events.next().await), expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_piece_waits_no_longer_than_the_interval() {
        let (sender, events) = mpsc::channel(64);
        let mut events = JoinedEvents::new(events);
        sender.send(delta("a", "One")).await.unwrap();
        events.next().await;
        let began = Instant::now();
        sender.send(delta("a", " two")).await.unwrap();
        assert_eq!(shown(events.next().await), "a:  two");
        assert_eq!(began.elapsed(), DELTA_INTERVAL);
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_text_is_passed_on_in_bounded_pieces() {
        let (sender, events) = mpsc::channel(64);
        let mut events = JoinedEvents::new(events);
        for _ in 0..5 {
            sender.send(delta("a", &"x".repeat(MAX_JOINED_BYTES / 2))).await.unwrap();
        }
        drop(sender);
        let mut lengths = Vec::new();
        while let Some(SessionEvent::PartDelta { text, .. }) = events.next().await {
            lengths.push(text.len());
        }
        assert_eq!(lengths, [MAX_JOINED_BYTES, MAX_JOINED_BYTES, MAX_JOINED_BYTES / 2]);
    }
}
