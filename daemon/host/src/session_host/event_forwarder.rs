//! Forwards the events of a running session to its hosted session, and counts running turns.

use std::sync::Weak;

use copydesk_session::SessionEvent;
use tokio::sync::mpsc;

use super::{HostedSession, SessionHost};

/// Runs until the session ends. Holds only weak references, so that a released session can end. The turn of a
/// deleted session is counted until its end.
pub(super) async fn forward_events(
    host: Weak<SessionHost>,
    hosted: Weak<HostedSession>,
    mut events: mpsc::Receiver<SessionEvent>,
) {
    while let Some(event) = events.recv().await {
        let hosted = hosted.upgrade();
        let change: isize = match &event {
            SessionEvent::TurnStarted { .. } => 1,
            SessionEvent::TurnEnded { .. } => -1,
            _ => 0,
        };
        if let (SessionEvent::PartChanged { part }, Some(host)) = (&event, host.upgrade()) {
            host.tiers.count(part);
        }
        if let Some(hosted) = &hosted {
            hosted.publish_session_event(event);
        }
        if let (true, Some(host)) = (change != 0, host.upgrade()) {
            host.turns.send_modify(|turns| *turns = turns.saturating_add_signed(change));
            host.reviews.persist_all();
            if let Some(hosted) = &hosted {
                host.release_if_unused(hosted);
            }
        }
    }
}
