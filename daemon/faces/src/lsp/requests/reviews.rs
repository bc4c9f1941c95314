//! What is undecided, and what people decide.

use copydesk_protocol::lenient::Lenient;
use copydesk_protocol::review::{
    ReviewCommentParams, ReviewCommentResult, ReviewDecideParams, ReviewDecideResult, ReviewListParams,
    ReviewListResult, SessionSetReviewParams,
};
use copydesk_protocol::session::SessionResult;
use std::sync::Arc;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{Backend, failed};
use copydesk_host::hub::{self, Held};

impl Backend {
    pub(super) async fn review_list(&self, params: Lenient<ReviewListParams>) -> Result<ReviewListResult> {
        let (client, held) = (self.attached()?.id, self.reviewed(&params.0.session).await?);
        let listed = held.list_reviews(client, params.0).await;
        self.hub().let_go(&held);
        listed.map_err(|error| failed(&error))
    }

    pub(super) async fn review_decide(
        &self,
        params: Lenient<ReviewDecideParams>,
    ) -> Result<ReviewDecideResult> {
        let (client, held) = (self.attached()?.id, self.reviewed(&params.0.session).await?);
        let decided = held.decide(client, params.0).await;
        self.hub().let_go(&held);
        Ok(ReviewDecideResult { decided: decided.map_err(|error| failed(&error))? })
    }

    pub(super) async fn review_comment(
        &self,
        params: Lenient<ReviewCommentParams>,
    ) -> Result<ReviewCommentResult> {
        let (client, held) = (self.attached()?.id, self.reviewed(&params.0.session).await?);
        let comments = held.comment(client, params.0).await;
        self.hub().let_go(&held);
        Ok(ReviewCommentResult { comments: comments.map_err(|error| failed(&error))? })
    }

    pub(super) async fn session_set_review(
        &self,
        params: Lenient<SessionSetReviewParams>,
    ) -> Result<SessionResult> {
        let held = self.reviewed(&params.0.session).await?;
        let session = held.set_review(params.0.review).await;
        self.hub().let_go(&held);
        Ok(SessionResult { session: hub::session(&session.map_err(|error| failed(&error))?) })
    }

    pub(super) async fn reviewed(&self, session: &str) -> Result<Arc<Held>> {
        self.hub().hold(session).await.map_err(|error| failed(&error))
    }
}
