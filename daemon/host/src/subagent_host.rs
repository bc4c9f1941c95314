//! Hosts the sessions of subagents, so that attached clients see them. This trait is all that the session
//! builder knows of the host that uses it.

use std::pin::Pin;
use std::sync::Arc;

use copydesk_session::{SessionDeps, SessionEvent, SessionHandle};
use copydesk_workspace::process::Processes;

pub(crate) trait SubagentHost: Send + Sync {
    /// Starts the session and stores it. Its processes end with it.
    fn host_subagent(self: Arc<Self>, deps: SessionDeps, processes: Processes) -> HostSubagentFuture;
}

pub(crate) type HostSubagentFuture =
    Pin<Box<dyn Future<Output = anyhow::Result<(SessionHandle, Box<dyn HostedSubagent>)>> + Send>>;

pub(crate) trait HostedSubagent: Send {
    /// Publishes an event of the session to attached clients.
    fn publish_event(&mut self, event: SessionEvent);

    /// Ends the session's work.
    fn end(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}
