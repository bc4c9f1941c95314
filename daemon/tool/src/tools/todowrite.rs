//! Writes the to-do list.

use std::borrow::Cow;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::{PermissionRequest, ToolContext};
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::todo::{TODOWRITE, TodoItem, are_same, lines, metadata, progress};
use crate::tool::{Tool, TouchedFiles};

/// The cap is low: every call has all items.
const MAX_ITEMS: usize = 100;

const MAX_ITEM_CHARS: usize = 500;

#[derive(Debug)]
pub(super) struct TodoWriteTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TodoWriteParameters {
    /// The whole list, in the order in which you will do it. Empty: there is nothing to do any more.
    todos: Vec<TodoItem>,
}

impl Tool for TodoWriteTool {
    type Parameters = TodoWriteParameters;

    fn name(&self) -> Cow<'static, str> {
        TODOWRITE.into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("todowrite.md").into()
    }

    fn touched_files(&self, _parameters: &TodoWriteParameters, _context: &ToolContext) -> TouchedFiles {
        list()
    }

    async fn run(
        &self,
        parameters: TodoWriteParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let mut todos = parameters.todos;
        check(&todos)?;
        for todo in &mut todos {
            todo.content = todo.content.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        let title = progress(&todos);
        let (key, everything) = (TODOWRITE.to_owned(), vec!["*".to_owned()]);
        let ask = PermissionRequest {
            key,
            patterns: everything.clone(),
            always: everything,
            title: title.clone(),
            ..PermissionRequest::default()
        };
        context.ask(ask).await?;
        let is_new = !are_same(&context.todos.get(), &todos);
        let (output, metadata) = (lines(&todos), metadata(&todos, is_new));
        context.todos.set(todos);
        Ok(ToolOutput { title, output, metadata, ..ToolOutput::default() })
    }
}

/// A relative path, which no file has: so calls about the list wait only for each other, and the last one of a step wins.
pub(super) fn list() -> TouchedFiles {
    TouchedFiles::Files(vec![PathBuf::from("todos")])
}

fn check(todos: &[TodoItem]) -> Result<(), ToolError> {
    let wrong = |message: String| Err(ToolError::new(ToolErrorKind::Arguments, message));
    if todos.len() > MAX_ITEMS {
        return wrong(format!(
            "The list has {} items; at most {MAX_ITEMS} are kept. Drop what is done, and say the rest in fewer items.",
            todos.len()
        ));
    }
    for (at, todo) in todos.iter().enumerate() {
        let characters = todo.content.chars().count();
        if todo.content.trim().is_empty() {
            return wrong(format!("`todos[{at}].content` is empty. Say what is to be done."));
        }
        if characters > MAX_ITEM_CHARS {
            return wrong(format!(
                "`todos[{at}].content` has {characters} characters; at most {MAX_ITEM_CHARS} are kept. Say it in a few words."
            ));
        }
    }
    Ok(())
}
