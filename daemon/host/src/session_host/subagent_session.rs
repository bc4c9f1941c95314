//! A subagent's session at the host: attached clients see it work, and may cancel it.

use std::pin::Pin;
use std::sync::Arc;

use copydesk_session::{SessionDeps, SessionEvent};
use copydesk_workspace::process::Processes;

use super::{HostedSession, SessionHost};
use crate::subagent_host::{HostSubagentFuture, HostedSubagent, SubagentHost};

struct SubagentSession {
    hosted: Arc<HostedSession>,
    was_prompted: bool,
}

impl SubagentHost for SessionHost {
    fn host_subagent(self: Arc<Self>, deps: SessionDeps, processes: Processes) -> HostSubagentFuture {
        Box::pin(async move {
            self.store.put_session(deps.session.clone()).await?;
            let hosted = self.open_session(deps.session.id.as_str()).await?;
            match hosted.start_as_subagent(deps, processes).await {
                Ok(handle) => {
                    let session: Box<dyn HostedSubagent> =
                        Box::new(SubagentSession { hosted, was_prompted: false });
                    Ok((handle, session))
                }
                Err(error) => {
                    self.release_if_unused(&hosted);
                    Err(error.into())
                }
            }
        })
    }
}

impl HostedSubagent for SubagentSession {
    fn publish_event(&mut self, event: SessionEvent) {
        self.was_prompted |= matches!(event, SessionEvent::TurnStarted { .. });
        if let (SessionEvent::PartChanged { part }, Ok(host)) = (&event, self.hosted.host()) {
            host.tiers.count(part);
        }
        self.hosted.publish_session_event(event);
    }

    fn end(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move { self.hosted.end_subagent(self.was_prompted).await })
    }
}
