//! The list of things to do, as the session's own calls left it.

use std::sync::Arc;

use copydesk_tool::{TODOWRITE, Todos};

use crate::data::{Content, Part, State};

/// What the last call that wrote it has.
pub(super) fn kept(parts: &[Arc<Part>]) -> Todos {
    let written = parts.iter().rev().find_map(|part| match &part.content {
        Content::Call(call) if call.name == TODOWRITE && part.state == State::Completed => {
            call.output.as_deref()
        }
        _ => None,
    });
    written.map(|output| Todos::from_metadata(&output.metadata)).unwrap_or_default()
}
