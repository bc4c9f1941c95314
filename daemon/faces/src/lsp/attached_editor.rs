//! A client with our extension, as the host sees it: its language servers and its place for progress.

use std::path::PathBuf;

use copydesk_host::editor_servers::{EditorDocument, EditorServers};
use copydesk_host::editors::{
    AttachedEditor, EditorDiagnosticsFuture, EditorLeaseFuture, EditorProgressFuture, ProgressUpdate,
};
use copydesk_protocol::editor::DiagnosticsParams;
use copydesk_servers::CodeQuery;
use tokio::time::Instant;

use super::lsp_client::LspClient;

pub(super) struct LspEditor {
    pub(super) client: LspClient,
    pub(super) servers: EditorServers,
}

impl AttachedEditor for LspEditor {
    fn name(&self) -> &str {
        self.client.name()
    }

    fn folders(&self) -> &[PathBuf] {
        self.client.folders()
    }

    fn diagnostics(&self, params: DiagnosticsParams) -> EditorDiagnosticsFuture<'_> {
        Box::pin(self.servers.diagnostics(params))
    }

    fn lease_servers<'a>(
        &'a self,
        document: EditorDocument<'a>,
        query: CodeQuery,
        ready_by: Instant,
    ) -> EditorLeaseFuture<'a> {
        Box::pin(self.servers.lease(document, query, ready_by))
    }

    fn loading(&self) -> Option<String> {
        self.servers.loading()
    }

    fn report_progress<'a>(&'a self, token: &'a str, work: ProgressUpdate<'a>) -> EditorProgressFuture<'a> {
        self.client.report_progress(token, work)
    }
}
