//! Writes the list of things to do.

use std::borrow::Cow;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::{Ask, Context};
use crate::outcome::{Failure, FailureKind, Output};
use crate::todo::{TODOWRITE, Todo, are_same, lines, metadata, progress};
use crate::tool::{Tool, Touches};

/// Items of a list. Nobody reads more, and every call has them all.
const MOST: usize = 100;

/// Characters of an item.
const LONGEST: usize = 500;

#[derive(Debug)]
pub(super) struct Todowrite;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Parameters {
    /// The whole list, in the order in which you will do it. Empty: there is nothing to do any more.
    todos: Vec<Todo>,
}

impl Tool for Todowrite {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        TODOWRITE.into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("todowrite.md").into()
    }

    fn touches(&self, _parameters: &Parameters, _context: &Context) -> Touches {
        list()
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let mut todos = parameters.todos;
        check(&todos)?;
        for todo in &mut todos {
            todo.content = todo.content.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        let title = progress(&todos);
        let (key, everything) = (TODOWRITE.to_owned(), vec!["*".to_owned()]);
        let ask = Ask {
            key,
            patterns: everything.clone(),
            always: everything,
            title: title.clone(),
            ..Ask::default()
        };
        context.ask(ask).await?;
        let is_new = !are_same(&context.todos.get(), &todos);
        let (output, metadata) = (lines(&todos), metadata(&todos, is_new));
        context.todos.set(todos);
        Ok(Output { title, output, metadata, ..Output::default() })
    }
}

/// No path of a file is relative, so that calls about the list wait for one another and for nobody else: the last one of a
/// step is the last word.
pub(super) fn list() -> Touches {
    Touches::Files(vec![PathBuf::from("todos")])
}

fn check(todos: &[Todo]) -> Result<(), Failure> {
    let wrong = |message: String| Err(Failure::new(FailureKind::Arguments, message));
    if todos.len() > MOST {
        return wrong(format!(
            "The list has {} items; at most {MOST} are kept. Drop what is done, and say the rest in fewer items.",
            todos.len()
        ));
    }
    for (at, todo) in todos.iter().enumerate() {
        let characters = todo.content.chars().count();
        if todo.content.trim().is_empty() {
            return wrong(format!("`todos[{at}].content` is empty. Say what is to be done."));
        }
        if characters > LONGEST {
            return wrong(format!(
                "`todos[{at}].content` has {characters} characters; at most {LONGEST} are kept. Say it in a few words."
            ));
        }
    }
    Ok(())
}
