//! The reviews of the session that is followed: in this process or in the daemon, to whoever decides the same.

use std::sync::Arc;

use copydesk_protocol::review::{
    ReviewDecideParams, ReviewDecision, ReviewDecisionOutcome, ReviewDecisionResult, ReviewInfo,
    ReviewListParams,
};
use copydesk_protocol::table::{ReviewDecide, ReviewList};
use copydesk_session::{Id, SessionHandle};
use copydesk_workspace::files::WorkspaceFiles;

use crate::daemon_client::DaemonClient;
use copydesk_host::reviews;

#[derive(Clone)]
pub(super) enum ReviewBackend {
    Local { session: Id, live: SessionHandle, files: WorkspaceFiles },
    Daemon { session: String, client: Arc<DaemonClient> },
}

impl ReviewBackend {
    /// What is left to decide of what an ask is about. Nothing where that is no edit, or where the desk cannot be asked.
    pub(super) async fn reviews_for_ask(&self, ask: &str) -> Vec<ReviewInfo> {
        let all = match self {
            Self::Local { session, files, .. } => reviews::list(files, session.as_str(), None, 0).await,
            Self::Daemon { session, client } => {
                let params = ReviewListParams { session: session.clone(), ..ReviewListParams::default() };
                let listed = client.request::<ReviewList>(&params).await;
                listed.map(|listed| listed.reviews).unwrap_or_default()
            }
        };
        all.into_iter().filter(|review| review.ask.as_deref() == Some(ask)).collect()
    }

    /// Carried out when this is done; else why not.
    pub(super) async fn decide(&self, decision: ReviewDecision) -> Result<(), String> {
        let decided = match self {
            Self::Local { session, live, files } => {
                let decided = reviews::decide(files, session.as_str(), vec![decision]).await;
                for ask in files.reviews().settled_asks(session.as_str()) {
                    live.settle_reviewed_ask(&Id::from(ask.as_str())).await;
                }
                decided
            }
            Self::Daemon { session, client } => {
                let params = ReviewDecideParams { session: session.clone(), decisions: vec![decision] };
                client.request::<ReviewDecide>(&params).await.map_err(|error| error.to_string())?.decided
            }
        };
        match decided.into_iter().next() {
            Some(ReviewDecisionResult { outcome: ReviewDecisionOutcome::Done, .. }) => Ok(()),
            other => Err(other.and_then(|decided| decided.message).unwrap_or_default()),
        }
    }
}
