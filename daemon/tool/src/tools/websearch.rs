//! Searches the web with the engine that the user configured.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::endpoint_search::EndpointSearch;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::tool::Tool;

const DEFAULT_RESULTS: u32 = 8;
const MAX_RESULTS: u32 = 50;

#[derive(Debug)]
pub(super) struct WebSearchTool(pub(super) EndpointSearch);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WebSearchParameters {
    /// What to look for.
    query: String,
    /// How many results. Default 8, at most 50.
    num_results: Option<u32>,
}

impl Tool for WebSearchTool {
    type Parameters = WebSearchParameters;

    fn name(&self) -> Cow<'static, str> {
        "websearch".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("websearch.md").into()
    }

    async fn run(
        &self,
        parameters: WebSearchParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let number =
            parameters.num_results.filter(|number| *number > 0).unwrap_or(DEFAULT_RESULTS).min(MAX_RESULTS);
        self.0.search("websearch", &parameters.query, ("numResults", json!(number)), &context).await
    }
}
