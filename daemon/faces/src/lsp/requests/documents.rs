//! The request whether the daemon has a document's text.

use copydesk_protocol::document::{DocumentVerifyParams, DocumentVerifyResult};
use copydesk_protocol::lenient::LenientJson;
use copydesk_workspace::buffers::TextDigest;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::LspBackend;

impl LspBackend {
    pub(super) async fn document_verify(
        &self,
        params: LenientJson<DocumentVerifyParams>,
    ) -> Result<DocumentVerifyResult> {
        let DocumentVerifyParams { uri, version, bytes, sha256 } = params.0;
        let client = self.attached()?.id;
        let same = self.host().buffers.has_text(client, &uri, version, &TextDigest { bytes, sha256 });
        if !same {
            tracing::warn!(version, "an editor has another text than the daemon; it sends it again");
        }
        Ok(DocumentVerifyResult { same })
    }
}
