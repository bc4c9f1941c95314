//! Where the sessions of subagents work: a host that shows them to attached clients. The session builder knows this much of the
//! host that uses it, and no more.

use std::pin::Pin;
use std::sync::Arc;

use copydesk_session::{SessionDeps, SessionEvent, SessionHandle};
use copydesk_workspace::process::Processes;

pub(crate) trait SubagentHost: Send + Sync {
    /// Begins work on the session, which is in the store from now on. Its processes end with it.
    fn host_subagent(self: Arc<Self>, deps: SessionDeps, processes: Processes) -> HostSubagentFuture;
}

pub(crate) type HostSubagentFuture =
    Pin<Box<dyn Future<Output = anyhow::Result<(SessionHandle, Box<dyn HostedSubagent>)>> + Send>>;

/// A subagent's session at the host.
pub(crate) trait HostedSubagent: Send {
    /// Shows an event of the session to attached clients.
    fn publish_event(&mut self, event: SessionEvent);

    /// Ends the session's work.
    fn end(self: Box<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}
