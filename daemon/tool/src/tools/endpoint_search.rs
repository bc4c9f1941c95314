//! The common part of `websearch` and `codesearch`: the ask, the request, the output.

use copydesk_metadata::{CallDetail, PermissionAskDetail, SearchAskMetadata, WebSearchMetadata};
use serde_json::{Value, json};

use crate::context::{PermissionRequest, ToolContext};
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::web::{Proxies, SearchEndpoint, search};

/// A longer query is a text, not a query.
const MAX_QUERY_BYTES: usize = 2000;

#[derive(Debug)]
pub(super) struct EndpointSearch {
    /// What is searched, for the user: `the web`.
    pub(super) what: &'static str,
    pub(super) endpoint: SearchEndpoint,
    pub(super) proxies: Proxies,
}

impl EndpointSearch {
    pub(super) async fn search(
        &self,
        key: &str,
        query: &str,
        number: (&str, Value),
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let query = query.trim();
        if query.is_empty() || query.len() > MAX_QUERY_BYTES {
            let message =
                format!("The query has {} bytes. Say in a few words what to look for.", query.len());
            return Err(ToolError::new(ToolErrorKind::Arguments, message));
        }
        let ask = PermissionRequest {
            key: key.to_owned(),
            patterns: vec![query.to_owned()],
            always: vec!["*".to_owned()],
            title: format!("Search {} for {query}", self.what),
            metadata: PermissionAskDetail::Search(SearchAskMetadata { query: query.to_owned() }).into(),
            ..PermissionRequest::default()
        };
        context.ask(ask).await?;
        let values = [("query", json!(query)), number];
        let found = tokio::select! {
            biased;
            () = context.cancel.cancelled() => return Err(ToolError::cancelled()),
            found = search(&self.endpoint, &self.proxies, &values) => found?,
        };
        let output = if found.text.trim().is_empty() {
            format!("Nothing was found for `{query}`. Try other words.")
        } else {
            found.text
        };
        let count = found.count.map(|count| count as u64);
        let search = WebSearchMetadata { query: query.to_owned(), count };
        let metadata = CallDetail::WebSearch(search).into();
        Ok(ToolOutput { title: query.to_owned(), output, metadata, ..ToolOutput::default() })
    }
}
