//! The to-do list that a model keeps and the user reads.
//!
//! A session has one. It is not stored separately: the metadata of the last completed `todowrite` has all of it, and a
//! session that starts again takes it from there.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use copydesk_metadata::{
    CallDetail, CallMetadata, TodoEntryMetadata, TodoEntryPriority, TodoEntryStatus, TodoListMetadata,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tool that writes the list.
pub const TODOWRITE: &str = "todowrite";

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct TodoItem {
    /// What is to be done, in a few words.
    pub(crate) content: String,
    /// How far it is.
    pub(crate) status: TodoStatus,
    /// How much depends on it. Default: medium.
    #[serde(default)]
    pub(crate) priority: TodoPriority,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TodoPriority {
    High,
    #[default]
    Medium,
    Low,
}

/// The list of one session. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct TodoList {
    list: Arc<Mutex<Vec<TodoItem>>>,
}

impl TodoList {
    /// Restores the list from a call's metadata; empty if there is none.
    pub fn from_metadata(metadata: &CallMetadata) -> Self {
        let todos = metadata.todo_list().map(|list| list.todos.as_slice()).unwrap_or_default();
        Self { list: Arc::new(Mutex::new(todos.iter().map(TodoItem::from_entry).collect())) }
    }

    /// The list for the model; none if it is empty.
    pub fn text(&self) -> Option<String> {
        let todos = self.get();
        (!todos.is_empty()).then(|| lines(&todos))
    }

    pub(crate) fn set(&self, todos: Vec<TodoItem>) {
        *self.list.lock().unwrap_or_else(PoisonError::into_inner) = todos;
    }

    pub(crate) fn get(&self) -> Vec<TodoItem> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// `is_new`: the list has other items than the one before it, not only other statuses.
pub(crate) fn metadata(todos: &[TodoItem], is_new: bool) -> CallMetadata {
    let todos = todos.iter().map(TodoItem::to_entry).collect();
    CallDetail::TodoList(TodoListMetadata { todos, is_new: Some(is_new) }).into()
}

impl TodoItem {
    fn to_entry(&self) -> TodoEntryMetadata {
        let status = match self.status {
            TodoStatus::Pending => TodoEntryStatus::Pending,
            TodoStatus::InProgress => TodoEntryStatus::InProgress,
            TodoStatus::Completed => TodoEntryStatus::Completed,
            TodoStatus::Cancelled => TodoEntryStatus::Cancelled,
        };
        let priority = match self.priority {
            TodoPriority::High => TodoEntryPriority::High,
            TodoPriority::Medium => TodoEntryPriority::Medium,
            TodoPriority::Low => TodoEntryPriority::Low,
        };
        TodoEntryMetadata { content: self.content.clone(), status, priority: Some(priority) }
    }

    fn from_entry(entry: &TodoEntryMetadata) -> Self {
        let status = match entry.status {
            TodoEntryStatus::Pending => TodoStatus::Pending,
            TodoEntryStatus::InProgress => TodoStatus::InProgress,
            TodoEntryStatus::Completed => TodoStatus::Completed,
            TodoEntryStatus::Cancelled => TodoStatus::Cancelled,
        };
        let priority = match entry.priority {
            Some(TodoEntryPriority::High) => TodoPriority::High,
            Some(TodoEntryPriority::Medium) | None => TodoPriority::Medium,
            Some(TodoEntryPriority::Low) => TodoPriority::Low,
        };
        Self { content: entry.content.clone(), status, priority }
    }
}

/// Whether two lists have the same items, whatever their statuses.
pub(crate) fn are_same(one: &[TodoItem], other: &[TodoItem]) -> bool {
    one.iter().map(|todo| &todo.content).eq(other.iter().map(|todo| &todo.content))
}

/// `2/5 done`; cancelled items do not count.
pub(crate) fn progress(todos: &[TodoItem]) -> String {
    let all = todos.iter().filter(|todo| todo.status != TodoStatus::Cancelled).count();
    let done = todos.iter().filter(|todo| todo.status == TodoStatus::Completed).count();
    if todos.is_empty() { "nothing to do".to_owned() } else { format!("{done}/{all} done") }
}

/// The list for the model.
pub(crate) fn lines(todos: &[TodoItem]) -> String {
    let mut lines = progress(todos);
    for TodoItem { content, status, priority } in todos {
        let mark = match status {
            TodoStatus::Pending => "[ ]",
            TodoStatus::InProgress => "[-] in progress:",
            TodoStatus::Completed => "[x]",
            TodoStatus::Cancelled => "[~] cancelled:",
        };
        let priority = match priority {
            TodoPriority::High => " (high)",
            TodoPriority::Medium => "",
            TodoPriority::Low => " (low)",
        };
        let _ = write!(lines, "\n{mark} {content}{priority}");
    }
    lines
}
