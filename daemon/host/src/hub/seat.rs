//! A place at the desk for a session that works for another: whoever attaches to it sees it work, and may end it.

use std::sync::Arc;

use copydesk_session::{Event, Live, Setting};
use copydesk_workspace::process::Processes;

use super::{Held, Hub, HubError};

pub(crate) struct Seat {
    held: Arc<Held>,
    was_prompted: bool,
}

impl Hub {
    /// Begins work on the session, which is in the store from now on. Its processes end with it.
    pub(crate) async fn seat(
        self: &Arc<Self>,
        setting: Setting,
        processes: Processes,
    ) -> Result<(Live, Seat), HubError> {
        self.store.put_session(setting.session.clone()).await?;
        let held = self.hold(setting.session.id.as_str()).await?;
        match held.lend(setting, processes).await {
            Ok(live) => Ok((live, Seat { held, was_prompted: false })),
            Err(error) => {
                self.let_go(&held);
                Err(error)
            }
        }
    }
}

impl Seat {
    pub(crate) fn hear(&mut self, event: Event) {
        self.was_prompted |= matches!(event, Event::TurnStarted { .. });
        if let (Event::Part { part }, Ok(hub)) = (&event, self.held.hub()) {
            hub.tiers.count(part);
        }
        self.held.hear(event);
    }

    /// Ends the session's work.
    pub(crate) async fn leave(self) {
        self.held.take_back_lent(self.was_prompted).await;
    }
}
