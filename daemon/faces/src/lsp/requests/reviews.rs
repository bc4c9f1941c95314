//! Reviews: undecided hunks and the user's decisions.

use std::sync::Arc;

use copydesk_host::session_host::HostedSession;
use copydesk_protocol::lenient::LenientJson;
use copydesk_protocol::permission::SessionSetPresetParams;
use copydesk_protocol::review::{
    ReviewCommentParams, ReviewCommentResult, ReviewDecideParams, ReviewDecideResult, ReviewListParams,
    ReviewListResult, SessionSetReviewParams,
};
use copydesk_protocol::session::SessionResult;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{LspBackend, rpc_error_from};

impl LspBackend {
    pub(super) async fn review_list(
        &self,
        params: LenientJson<ReviewListParams>,
    ) -> Result<ReviewListResult> {
        let (client, hosted) = (self.attached()?.id, self.open_session(&params.0.session).await?);
        let listed = hosted.list_reviews(client, params.0).await;
        self.host().release_if_unused(&hosted);
        listed.map_err(|error| rpc_error_from(&error))
    }

    pub(super) async fn review_decide(
        &self,
        params: LenientJson<ReviewDecideParams>,
    ) -> Result<ReviewDecideResult> {
        let (client, hosted) = (self.attached()?.id, self.open_session(&params.0.session).await?);
        let decided = hosted.decide(client, params.0).await;
        self.host().release_if_unused(&hosted);
        Ok(ReviewDecideResult { decided: decided.map_err(|error| rpc_error_from(&error))? })
    }

    pub(super) async fn review_comment(
        &self,
        params: LenientJson<ReviewCommentParams>,
    ) -> Result<ReviewCommentResult> {
        let (client, hosted) = (self.attached()?.id, self.open_session(&params.0.session).await?);
        let comments = hosted.comment(client, params.0).await;
        self.host().release_if_unused(&hosted);
        Ok(ReviewCommentResult { comments: comments.map_err(|error| rpc_error_from(&error))? })
    }

    pub(super) async fn session_set_review(
        &self,
        params: LenientJson<SessionSetReviewParams>,
    ) -> Result<SessionResult> {
        let hosted = self.open_session(&params.0.session).await?;
        let changed = hosted.set_review(params.0.review).await;
        self.host().release_if_unused(&hosted);
        changed.map_err(|error| rpc_error_from(&error))?;
        Ok(SessionResult { session: hosted.info() })
    }

    pub(super) async fn session_set_preset(
        &self,
        params: LenientJson<SessionSetPresetParams>,
    ) -> Result<SessionResult> {
        let hosted = self.open_session(&params.0.session).await?;
        let changed = hosted.set_preset(params.0.preset).await;
        self.host().release_if_unused(&hosted);
        changed.map_err(|error| rpc_error_from(&error))?;
        Ok(SessionResult { session: hosted.info() })
    }

    pub(super) async fn open_session(&self, session: &str) -> Result<Arc<HostedSession>> {
        self.host().open_session(session).await.map_err(|error| rpc_error_from(&error))
    }
}
