//! A place at the desk for a session that works for another: whoever attaches to it sees it work, and may end it.

use std::sync::Arc;

use copydesk_session::{SessionDeps, SessionEvent, SessionHandle};
use copydesk_workspace::process::Processes;

use super::{HostedSession, SessionHost, SessionHostError};

pub(crate) struct SubagentSession {
    held: Arc<HostedSession>,
    was_prompted: bool,
}

impl SessionHost {
    /// Begins work on the session, which is in the store from now on. Its processes end with it.
    pub(crate) async fn host_subagent(
        self: &Arc<Self>,
        setting: SessionDeps,
        processes: Processes,
    ) -> Result<(SessionHandle, SubagentSession), SessionHostError> {
        self.store.put_session(setting.session.clone()).await?;
        let held = self.open_session(setting.session.id.as_str()).await?;
        match held.start_as_subagent(setting, processes).await {
            Ok(live) => Ok((live, SubagentSession { held, was_prompted: false })),
            Err(error) => {
                self.release_if_unused(&held);
                Err(error)
            }
        }
    }
}

impl SubagentSession {
    pub(crate) fn publish_event(&mut self, event: SessionEvent) {
        self.was_prompted |= matches!(event, SessionEvent::TurnStarted { .. });
        if let (SessionEvent::PartChanged { part }, Ok(hub)) = (&event, self.held.host()) {
            hub.tiers.count(part);
        }
        self.held.publish_session_event(event);
    }

    /// Ends the session's work.
    pub(crate) async fn end(self) {
        self.held.end_subagent(self.was_prompted).await;
    }
}
