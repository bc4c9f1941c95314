//! The request for what the client's own language servers say.

use std::path::Path;

use copydesk_host::session_host::SessionHostError;
use copydesk_host::uri::path_of;
use copydesk_protocol::editor::{DiagnosticsParams, DiagnosticsResult, FileDiagnostics};
use copydesk_protocol::lenient::LenientJson;
use copydesk_protocol::position::WirePosition;
use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};
use copydesk_workspace::files::READ_LIMIT;
use tower_lsp_server::jsonrpc::Result;

use super::super::backend::{LspBackend, rpc_error_from};

impl LspBackend {
    pub(super) async fn diagnostics(
        &self,
        params: LenientJson<DiagnosticsParams>,
    ) -> Result<DiagnosticsResult> {
        let answer = self.attached()?.servers.diagnostics(params.0).await;
        let mut result =
            answer.map_err(|error| rpc_error_from(&SessionHostError::Failed(error.to_string())))?;
        let encoding = self.host().buffers.encoding(self.attached()?.id).unwrap_or(PositionEncoding::Utf16);
        if encoding != PositionEncoding::Utf16 {
            result.files.iter_mut().for_each(|file| self.convert(file, encoding));
        }
        Ok(result)
    }

    /// Converts positions from UTF-16, which the daemon uses, to what the client uses.
    fn convert(&self, file: &mut FileDiagnostics, encoding: PositionEncoding) {
        let Some(path) = path_of(&file.uri) else { return };
        let path = path.canonicalize().unwrap_or(path);
        let open =
            self.attached().ok().and_then(|attached| self.host().buffers.find(&path, Some(attached.id)));
        let document = match open {
            Some(Ok(open)) => open.document,
            _ => Document::new(&saved_text(&path).unwrap_or_default(), LineBreaks::Any),
        };
        let convert = |at: &mut WirePosition| {
            let offset = document.offset(Position::new(at.line, at.character), PositionEncoding::Utf16);
            let position = document.position(offset, encoding);
            *at = WirePosition { line: position.line, character: position.character };
        };
        for item in &mut file.items {
            convert(&mut item.range.start);
            convert(&mut item.range.end);
        }
    }
}

/// A link to a device has no end, and a pipe may have no writer.
fn saved_text(path: &Path) -> Option<String> {
    path.metadata().ok().filter(|meta| meta.is_file() && meta.len() <= READ_LIMIT)?;
    std::fs::read_to_string(path).ok()
}
