//! Reads the list of things to do.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::todowrite::list;
use crate::context::Context;
use crate::outcome::{Failure, Output};
use crate::todo::{TODOWRITE, lines, metadata, progress};
use crate::tool::{Tool, Touches};

#[derive(Debug)]
pub(super) struct Todoread;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Parameters {}

impl Tool for Todoread {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "todoread".into()
    }

    /// Who may keep the list may read it.
    fn key(&self) -> Cow<'static, str> {
        TODOWRITE.into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("todoread.md").into()
    }

    fn touches(&self, _parameters: &Parameters, _context: &Context) -> Touches {
        list()
    }

    async fn run(&self, _parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let todos = context.todos.get();
        let output = match todos.as_slice() {
            [] => "There is no list. `todowrite` begins one.".to_owned(),
            todos => lines(todos),
        };
        Ok(Output { title: progress(&todos), output, metadata: metadata(&todos, false), ..Output::default() })
    }
}
