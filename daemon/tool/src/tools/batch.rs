//! Several calls as one, for models that make only one at a time.
//!
//! It stands for its calls: the session makes each of them as a call of its own, with its own ask and its own place in what a
//! person sees, and [`Registry::together`](crate::Registry::together) says what came of them. Off unless `tools` in the
//! configuration says `"batch": true`, since most models call side by side anyway.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::context::Context;
use crate::outcome::{Failure, FailureKind, Output};
use crate::tool::{Inner, Tool};

#[derive(Debug)]
pub(super) struct Batch;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Parameters {
    /// The calls to make, at most 25.
    tool_calls: Vec<One>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct One {
    /// The tool's name.
    tool: String,
    /// What that tool takes.
    #[serde(default)]
    parameters: Map<String, Value>,
}

impl Tool for Batch {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "batch".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("batch.md").into()
    }

    fn inner(&self, parameters: Parameters) -> Vec<Inner> {
        let inner = |one: One| Inner { name: one.tool, arguments: Value::Object(one.parameters) };
        parameters.tool_calls.into_iter().map(inner).collect()
    }

    /// Only where there is nothing that it stands for.
    async fn run(&self, _parameters: Parameters, _context: Context) -> Result<Output, Failure> {
        Err(Failure::new(FailureKind::Arguments, "There are no calls in `tool_calls`. Give at least one."))
    }
}
