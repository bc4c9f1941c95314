//! The reviews of the followed session.

use std::sync::Arc;

use copydesk_protocol::review::{
    ReviewDecideParams, ReviewDecision, ReviewDecisionOutcome, ReviewDecisionResult, ReviewInfo,
    ReviewListParams,
};
use copydesk_protocol::table::{ReviewDecide, ReviewList};

use crate::daemon_client::DaemonClient;

#[derive(Clone)]
pub(crate) struct ReviewRequests {
    pub(crate) session: String,
    pub(crate) client: Arc<DaemonClient>,
}

impl ReviewRequests {
    /// The undecided reviews of an ask. Empty if the ask is not about an edit, or if the host cannot be reached.
    pub(crate) async fn reviews_for_ask(&self, ask: &str) -> Vec<ReviewInfo> {
        let params = ReviewListParams { session: self.session.clone(), ..ReviewListParams::default() };
        let listed = self.client.request::<ReviewList>(&params).await;
        let all = listed.map(|listed| listed.reviews).unwrap_or_default();
        all.into_iter().filter(|review| review.ask.as_deref() == Some(ask)).collect()
    }

    /// Returns when the host has carried the decision out, or why it did not.
    pub(crate) async fn decide(&self, decision: ReviewDecision) -> Result<(), String> {
        let params = ReviewDecideParams { session: self.session.clone(), decisions: vec![decision] };
        let decided =
            self.client.request::<ReviewDecide>(&params).await.map_err(|error| error.to_string())?;
        match decided.decided.into_iter().next() {
            Some(ReviewDecisionResult { outcome: ReviewDecisionOutcome::Done, .. }) => Ok(()),
            other => Err(other.and_then(|decided| decided.message).unwrap_or_default()),
        }
    }
}
