//! The servers of attached editors, for questions about code. The editors are tried in the same order as for diagnostics.

use std::path::Path;
use std::sync::Arc;

use copydesk_servers::{CheckedDocument, CodeQuery, CodeServers, LeaseFuture, LeasedServers};
use tokio::time::Instant;
use url::Url;

use super::EditorSource;
use crate::editor_servers::EditorDocument;
use crate::time_limits::SHORT_TIMEOUT;

impl CodeServers for EditorSource {
    /// `served` is empty: nothing is asked before the editor.
    fn lease<'a>(
        &'a self,
        path: &'a Path,
        query: CodeQuery,
        _served: &'a [String],
        ready_by: Instant,
    ) -> LeaseFuture<'a> {
        Box::pin(async move {
            let subject = CheckedDocument { path: path.to_owned(), text: Arc::default(), is_saved: true };
            let soon = ready_by.min(Instant::now() + SHORT_TIMEOUT);
            let bystanders = self.bystanders(&[subject], soon).await;
            for (client, editor) in self.candidates(path, &bystanders) {
                let open = self.files.buffers().find(path, Some(client)).and_then(Result::ok);
                let open = open.filter(|open| open.client == client);
                let file_uri = || Url::from_file_path(path).map(String::from).ok();
                let Some(uri) = open.as_ref().map(|open| open.uri.clone()).or_else(file_uri) else {
                    continue;
                };
                let document = EditorDocument { uri: &uri, version: open.map(|open| open.version) };
                // An editor that does not know the request has no servers.
                if let Ok(leased) = editor.lease_servers(document, query, ready_by).await
                    && (!leased.leases.is_empty() || !leased.unavailable.is_empty())
                {
                    return leased;
                }
            }
            LeasedServers::default()
        })
    }

    fn loading(&self, folder: &Path) -> Option<String> {
        let home = self.files.home_client().and_then(|client| self.editors.get(client));
        let near = self.editors.near_folder(folder).into_iter().map(|(_, editor)| editor);
        home.into_iter().chain(near).find_map(|editor| editor.loading())
    }
}
