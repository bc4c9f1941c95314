//! Several calls as one, for models that make only one at a time.
//!
//! The session runs each inner call as a call of its own, with its own ask and its own part, and
//! [`ToolRegistry::combine_outcomes`](crate::ToolRegistry::combine_outcomes) combines the results. Off unless the
//! configuration has `"batch": true` in `tools`, because most models make several calls at once anyway.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::tool::{InnerCall, Tool};

#[derive(Debug)]
pub(super) struct BatchTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BatchParameters {
    /// The calls to make, at most 25.
    tool_calls: Vec<BatchCall>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct BatchCall {
    /// The tool's name.
    tool: String,
    /// What that tool takes.
    #[serde(default)]
    parameters: Map<String, Value>,
}

impl Tool for BatchTool {
    type Parameters = BatchParameters;

    fn name(&self) -> Cow<'static, str> {
        "batch".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("batch.md").into()
    }

    fn inner_calls(&self, parameters: BatchParameters) -> Vec<InnerCall> {
        let inner = |one: BatchCall| InnerCall { name: one.tool, arguments: Value::Object(one.parameters) };
        parameters.tool_calls.into_iter().map(inner).collect()
    }

    /// Runs only if there are no inner calls.
    async fn run(
        &self,
        _parameters: BatchParameters,
        _context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        Err(ToolError::new(
            ToolErrorKind::Arguments,
            "There are no calls in `tool_calls`. Give at least one.",
        ))
    }
}
