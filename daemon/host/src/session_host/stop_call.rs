//! Stops one call of a running turn, such as a command; the turn continues.

use copydesk_session::Id;

use super::HostedSession;

impl HostedSession {
    /// Does nothing if the call has ended.
    pub async fn stop_call(&self, part: &str) {
        if let Some(handle) = self.session_handle().await {
            handle.stop_call(&Id::from(part)).await;
        }
    }
}
