//! An editor's servers for questions about code.

use std::sync::Arc;

use copydesk_protocol::editor::AnswerState;
use copydesk_protocol::server::EditorServersParams;
use copydesk_servers::{CodeQuery, LanguageServer, LanguageServerState, LeasedServers, ServerLease};
use copydesk_workspace::buffers::EditorError;
use tokio::time::{Instant, timeout_at};

use super::EditorServers;
use super::document_hold::DocumentHold;
use crate::time_limits::RESPONSE_LATENCY;
use crate::uri::path_of;

/// A document of an editor.
#[derive(Debug, Clone, Copy)]
pub struct EditorDocument<'a> {
    pub uri: &'a str,
    /// The version that the servers must have; none if it is not open.
    pub version: Option<i32>,
}

impl EditorServers {
    /// The servers of a document that answer this. The editor keeps the document loaded while a lease lives.
    pub async fn lease(
        &self,
        document: EditorDocument<'_>,
        query: CodeQuery,
        ready_by: Instant,
    ) -> Result<LeasedServers, EditorError> {
        let hold = Arc::new(DocumentHold::new(Arc::clone(&self.link), document.uri));
        let wait = ready_by.saturating_duration_since(Instant::now());
        let wait = u32::try_from(wait.as_millis()).ok();
        let asked = self.link.servers(EditorServersParams { uri: document.uri.to_owned(), wait });
        // An editor that is stopped, or waits for a key, does not answer.
        let late = ready_by + RESPONSE_LATENCY;
        let serving = timeout_at(late, asked).await.map_err(|_| EditorError::TimedOut)??;
        let mut leased = LeasedServers::default();
        if !matches!(serving.state, AnswerState::Answered | AnswerState::Starting) {
            return Ok(leased);
        }
        let uri = serving.uri.as_deref().unwrap_or(document.uri);
        let Some(path) = path_of(uri) else { return Ok(leased) };
        if serving.servers.is_empty() {
            let why = "it is starting".to_owned();
            leased.unavailable.push(("The editor's language server".to_owned(), why));
        }
        let version = serving.version.max(document.version).filter(|_| serving.version.is_some());
        for server in serving.servers.iter().filter_map(|server| self.get(*server)) {
            let name = server.name().to_owned();
            if matches!(server.state(), LanguageServerState::Ended { .. }) {
                continue;
            } else if !server.answers(query) {
                leased.unavailable.push((name, "it cannot do this".to_owned()));
                continue;
            }
            let not_ready = not_ready(&server, uri, version, ready_by).await;
            let release = Box::new(Arc::clone(&hold));
            leased.leases.push(ServerLease::new(server, path.clone(), not_ready, release));
        }
        Ok(leased)
    }
}

/// Waits until the server has read the project and has the document. Returns why it has not.
async fn not_ready(
    server: &LanguageServer,
    uri: &str,
    version: Option<i32>,
    ready_by: Instant,
) -> Option<String> {
    let mut states = server.subscribe_state();
    let ready = states.wait_for(|state| !matches!(state, LanguageServerState::Indexing { .. }));
    let _ = timeout_at(ready_by, ready).await;
    if let LanguageServerState::Indexing { message, .. } = server.state() {
        let message = message.map(|message| format!(": {message}")).unwrap_or_default();
        return Some(format!("it is still reading the project{message}"));
    }
    if !server.wait_for_document(uri, version, ready_by).await {
        return Some("the editor has not told it of this text in time".to_owned());
    }
    server.has_unseen_text(uri).then(|| "the editor has unsaved text that the daemon does not see".to_owned())
}
