//! Inline edits: begun, changed, given up. What the model writes is told by events.

use copydesk_protocol::desk::Empty;
use copydesk_protocol::inline::{
    InlineCancelParams, InlineRefineParams, InlineStartParams, InlineStartResult,
};
use copydesk_protocol::lenient::Lenient;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{Backend, failed};

impl Backend {
    pub(super) async fn inline_start(&self, params: Lenient<InlineStartParams>) -> Result<InlineStartResult> {
        let (client, held) = (self.attached()?.id, self.reviewed(&params.0.session).await?);
        let review = held.inline_start(client, params.0).await;
        self.hub().let_go(&held);
        Ok(InlineStartResult { review: review.map_err(|error| failed(&error))? })
    }

    pub(super) async fn inline_refine(&self, params: Lenient<InlineRefineParams>) -> Result<Empty> {
        let InlineRefineParams { session, review, instruction } = params.0;
        let held = self.reviewed(&session).await?;
        let refined = held.inline_refine(&review, instruction);
        self.hub().let_go(&held);
        refined.map_err(|error| failed(&error))?;
        Ok(Empty {})
    }

    pub(super) async fn inline_cancel(&self, params: Lenient<InlineCancelParams>) -> Result<Empty> {
        let InlineCancelParams { session, review } = params.0;
        let held = self.reviewed(&session).await?;
        held.inline_cancel(&review);
        self.hub().let_go(&held);
        Ok(Empty {})
    }
}
