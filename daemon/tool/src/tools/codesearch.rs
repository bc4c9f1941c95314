//! Searches public code and documentation with the engine that the user configured.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::endpoint_search::EndpointSearch;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::tool::Tool;

const DEFAULT_TOKENS: u32 = 5000;
const MIN_TOKENS: u32 = 1000;
const MAX_TOKENS: u32 = 50_000;

#[derive(Debug)]
pub(super) struct CodeSearchTool(pub(super) EndpointSearch);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeSearchParameters {
    /// What you want to do, and with which library or interface.
    query: String,
    /// How many tokens to read. Default 5000, from 1000 to 50000.
    tokens_num: Option<u32>,
}

impl Tool for CodeSearchTool {
    type Parameters = CodeSearchParameters;

    fn name(&self) -> Cow<'static, str> {
        "codesearch".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("codesearch.md").into()
    }

    async fn run(
        &self,
        parameters: CodeSearchParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let number = parameters
            .tokens_num
            .filter(|number| *number > 0)
            .unwrap_or(DEFAULT_TOKENS)
            .clamp(MIN_TOKENS, MAX_TOKENS);
        self.0.search("codesearch", &parameters.query, ("tokensNum", json!(number)), &context).await
    }
}
