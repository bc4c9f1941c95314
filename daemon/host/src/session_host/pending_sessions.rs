//! The sessions of a folder that run or need the user: what a new window tells its user.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use copydesk_protocol::review::{ReviewListParams, ReviewTimingInfo};
use copydesk_protocol::session::PendingSessionInfo;
use copydesk_session::Session;
use copydesk_workspace::buffers::ClientId;

use super::{HostedSession, SessionHost, SessionHostError, convert};
use crate::reviews::to_u32;

/// The cap on sessions that are looked at.
const MAX_PENDING: usize = 20;

impl SessionHost {
    /// The sessions of a folder that run, wait for the user, or have undecided hunks; last used first.
    pub async fn pending_sessions(
        self: &Arc<Self>,
        client: ClientId,
        folder: &Path,
    ) -> Result<Vec<PendingSessionInfo>, SessionHostError> {
        let reviewed = self.reviewed_sessions().await;
        let may_need_user = |session: &Session| {
            let is_at_work = || {
                let hosted = self.hosted_session(session.id.as_str());
                hosted.is_some_and(|hosted| hosted.is_running() || hosted.waiting_count() > 0)
            };
            session.folder == folder && (reviewed.contains(session.id.as_str()) || is_at_work())
        };
        let all = self.store.sessions(usize::MAX).await?;
        let mut pending = Vec::new();
        for session in all.iter().filter(|session| may_need_user(session)).take(MAX_PENDING) {
            let hosted = self.open_session(session.id.as_str()).await?;
            let info = hosted.pending_info(client).await;
            self.release_if_unused(&hosted);
            pending.extend(info.filter(|info| info.running || info.waiting > 0 || info.undecided > 0));
        }
        Ok(pending)
    }

    /// The sessions that have reviews, in memory or stored.
    async fn reviewed_sessions(&self) -> HashSet<String> {
        let mut sessions: HashSet<_> = self.reviews.sessions_with_reviews().into_iter().collect();
        if let Some(journal) = &self.journal {
            // Without the journal only the sessions of this daemon are known.
            sessions.extend(journal.reviewed_sessions().await.unwrap_or_default());
        }
        sessions
    }
}

impl HostedSession {
    /// `None` if its reviews cannot be read.
    async fn pending_info(&self, client: ClientId) -> Option<PendingSessionInfo> {
        let params = ReviewListParams { session: self.id().to_string(), ..ReviewListParams::default() };
        let listed = self.list_reviews(client, params).await.ok()?;
        let applied = listed.reviews.iter().filter(|review| review.when == ReviewTimingInfo::After);
        let undecided = applied.map(|review| review.total + u32::from(review.file.is_some())).sum();
        Some(PendingSessionInfo {
            session: convert::session_info(&self.session()),
            running: self.is_running(),
            waiting: to_u32(self.waiting_count()),
            undecided,
        })
    }
}
