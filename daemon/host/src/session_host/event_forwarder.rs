//! Forwards the events of a running session to its hosted session, and counts the turns that run.

use std::sync::Weak;

use copydesk_session::SessionEvent;
use tokio::sync::mpsc;

use super::{HostedSession, SessionHost};

/// Brings what happens in a session to whoever is attached. Holds nothing: a session that was let go ends, and this with it.
/// The turn of one that was deleted is counted to its end.
pub(super) async fn forward_events(
    hub: Weak<SessionHost>,
    held: Weak<HostedSession>,
    mut events: mpsc::Receiver<SessionEvent>,
) {
    while let Some(event) = events.recv().await {
        let held = held.upgrade();
        let change: isize = match &event {
            SessionEvent::TurnStarted { .. } => 1,
            SessionEvent::TurnEnded { .. } => -1,
            _ => 0,
        };
        if let (SessionEvent::PartChanged { part }, Some(hub)) = (&event, hub.upgrade()) {
            hub.tiers.count(part);
        }
        if let Some(held) = &held {
            held.publish_session_event(event);
        }
        if let (true, Some(hub)) = (change != 0, hub.upgrade()) {
            hub.turns.send_modify(|turns| *turns = turns.saturating_add_signed(change));
            hub.reviews.persist_all();
            if let Some(held) = &held {
                hub.release_if_unused(held);
            }
        }
    }
}
