//! Several calls as one, for models that make only one at a time.
//!
//! It stands for its calls: the session makes each of them as a call of its own, with its own ask and its own place in what a
//! person sees, and [`ToolRegistry::combine_outcomes`](crate::Registry::together) says what came of them. Off unless `tools` in the
//! configuration says `"batch": true`, since most models call side by side anyway.

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

    /// Only where there is nothing that it stands for.
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
