//! The list of things to do that a model keeps while it works, and a person reads.
//!
//! A session has one. It has no store of its own: the last `todowrite` that was completed has all of it in its metadata,
//! and is kept like every call; a session that begins to work again takes it from there.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The tool that writes the list.
pub const TODOWRITE: &str = "todowrite";

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Todo {
    /// What is to be done, in a few words.
    pub(crate) content: String,
    /// How far it is.
    pub(crate) status: Status,
    /// How much depends on it. Default: medium.
    #[serde(default)]
    pub(crate) priority: Priority,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Priority {
    High,
    #[default]
    Medium,
    Low,
}

/// The list of one session. Clones are the same list.
#[derive(Debug, Clone, Default)]
pub struct Todos {
    list: Arc<Mutex<Vec<Todo>>>,
}

impl Todos {
    /// As the metadata of a call has it; what cannot be read is no list.
    pub fn from_metadata(metadata: &Value) -> Self {
        let list = metadata.get("todos").and_then(|todos| Vec::deserialize(todos).ok());
        Self { list: Arc::new(Mutex::new(list.unwrap_or_default())) }
    }

    pub(crate) fn set(&self, todos: Vec<Todo>) {
        *self.list.lock().unwrap_or_else(PoisonError::into_inner) = todos;
    }

    pub(crate) fn get(&self) -> Vec<Todo> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// `isNew`: it has other items than the list before; else only how far they are has changed.
pub(crate) fn metadata(todos: &[Todo], is_new: bool) -> Value {
    json!({ "todos": todos, "isNew": is_new })
}

/// Whether two lists have the same items, whatever was done of them.
pub(crate) fn are_same(one: &[Todo], other: &[Todo]) -> bool {
    one.iter().map(|todo| &todo.content).eq(other.iter().map(|todo| &todo.content))
}

/// `2/5`; what was given up is nothing to do.
pub(crate) fn progress(todos: &[Todo]) -> String {
    let all = todos.iter().filter(|todo| todo.status != Status::Cancelled).count();
    let done = todos.iter().filter(|todo| todo.status == Status::Completed).count();
    if todos.is_empty() { "nothing to do".to_owned() } else { format!("{done}/{all} done") }
}

/// As the model reads it.
pub(crate) fn lines(todos: &[Todo]) -> String {
    let mut lines = progress(todos);
    for Todo { content, status, priority } in todos {
        let mark = match status {
            Status::Pending => "[ ]",
            Status::InProgress => "[-] in progress:",
            Status::Completed => "[x]",
            Status::Cancelled => "[~] cancelled:",
        };
        let priority = match priority {
            Priority::High => " (high)",
            Priority::Medium => "",
            Priority::Low => " (low)",
        };
        let _ = write!(lines, "\n{mark} {content}{priority}");
    }
    lines
}
