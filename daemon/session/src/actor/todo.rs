//! Restores the to-do list from the session's calls.

use std::sync::Arc;

use copydesk_tool::{TODOWRITE, TodoList};

use crate::data::{Part, PartContent, PartState};

/// The list of the last completed `todowrite`.
pub(super) fn restore_todos(parts: &[Arc<Part>]) -> TodoList {
    let written = parts.iter().rev().find_map(|part| match &part.content {
        PartContent::Call(call) if call.name == TODOWRITE && part.state == PartState::Completed => {
            call.output.as_deref()
        }
        _ => None,
    });
    written.map(|output| TodoList::from_metadata(&output.metadata)).unwrap_or_default()
}
