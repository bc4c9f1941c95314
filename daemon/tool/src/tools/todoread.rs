//! Reads the to-do list.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::todowrite::list;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::todo::{TODOWRITE, lines, metadata, progress};
use crate::tool::{Tool, TouchedFiles};

#[derive(Debug)]
pub(super) struct TodoReadTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TodoReadParameters {}

impl Tool for TodoReadTool {
    type Parameters = TodoReadParameters;

    fn name(&self) -> Cow<'static, str> {
        "todoread".into()
    }

    /// The key of `todowrite`: an agent that may write the list may read it.
    fn permission_key(&self) -> Cow<'static, str> {
        TODOWRITE.into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("todoread.md").into()
    }

    fn touched_files(&self, _parameters: &TodoReadParameters, _context: &ToolContext) -> TouchedFiles {
        list()
    }

    async fn run(
        &self,
        _parameters: TodoReadParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let todos = context.todos.get();
        let output = match todos.as_slice() {
            [] => "There is no list. `todowrite` begins one.".to_owned(),
            todos => lines(todos),
        };
        Ok(ToolOutput {
            title: progress(&todos),
            output,
            metadata: metadata(&todos, false),
            ..ToolOutput::default()
        })
    }
}
