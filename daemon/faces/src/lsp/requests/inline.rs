//! Inline edits: start, refine, cancel. The model's text arrives as events.

use copydesk_protocol::daemon::Empty;
use copydesk_protocol::inline::{
    InlineCancelParams, InlineRefineParams, InlineStartParams, InlineStartResult,
};
use copydesk_protocol::lenient::LenientJson;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{LspBackend, rpc_error_from};

impl LspBackend {
    pub(super) async fn inline_start(
        &self,
        params: LenientJson<InlineStartParams>,
    ) -> Result<InlineStartResult> {
        let (client, hosted) = (self.attached()?.id, self.open_session(&params.0.session).await?);
        let review = hosted.inline_start(client, params.0).await;
        self.host().release_if_unused(&hosted);
        Ok(InlineStartResult { review: review.map_err(|error| rpc_error_from(&error))? })
    }

    pub(super) async fn inline_refine(&self, params: LenientJson<InlineRefineParams>) -> Result<Empty> {
        let InlineRefineParams { session, review, instruction } = params.0;
        let hosted = self.open_session(&session).await?;
        let refined = hosted.inline_refine(&review, instruction);
        self.host().release_if_unused(&hosted);
        refined.map_err(|error| rpc_error_from(&error))?;
        Ok(Empty {})
    }

    pub(super) async fn inline_cancel(&self, params: LenientJson<InlineCancelParams>) -> Result<Empty> {
        let InlineCancelParams { session, review } = params.0;
        let hosted = self.open_session(&session).await?;
        hosted.inline_cancel(&review);
        self.host().release_if_unused(&hosted);
        Ok(Empty {})
    }
}
