//! Shows the agent's to-do list: whole at first, then only changes.

use copydesk_protocol::metadata::{CallMetadata, TodoEntryMetadata, TodoEntryStatus};

use crate::terminal::{BOLD, DIM, one_line, styled};

/// Lines shown at once.
const MAX_LINES: usize = 30;

#[derive(Debug, Default)]
pub(super) struct TodoListView {
    /// Content and status of the items shown last.
    known: Vec<(String, TodoEntryStatus)>,
}

impl TodoListView {
    /// The lines to show for the list that a call wrote.
    pub(super) fn lines(&mut self, metadata: &CallMetadata) -> Vec<String> {
        let todos = metadata.todo_list().map(|list| list.todos.as_slice()).unwrap_or_default();
        let item = |todo: &TodoEntryMetadata| (one_line(&todo.content), todo.status);
        let list: Vec<_> = todos.iter().map(item).collect();
        let known = std::mem::replace(&mut self.known, list);
        let changed: Vec<_> = self.known.iter().filter(|item| !known.contains(item)).collect();
        let mut lines: Vec<_> =
            changed.iter().take(MAX_LINES).map(|(content, status)| line(content, *status)).collect();
        if changed.len() > MAX_LINES {
            lines.push(styled(DIM, format!("  … {} more", changed.len() - MAX_LINES)));
        }
        lines
    }
}

fn line(content: &str, status: TodoEntryStatus) -> String {
    match status {
        TodoEntryStatus::Completed => format!("  [x] {}", styled(DIM, content)),
        TodoEntryStatus::InProgress => format!("  [-] {}", styled(BOLD, content)),
        TodoEntryStatus::Cancelled => format!("  [~] {}", styled(DIM, content)),
        TodoEntryStatus::Pending => format!("  [ ] {content}"),
    }
}

#[cfg(test)]
mod tests {
    use copydesk_protocol::metadata::CallMetadata;
    use serde_json::json;

    use super::TodoListView;
    use crate::terminal::unmarked;

    #[test]
    fn only_what_has_changed_is_shown_again() {
        let mut todo = TodoListView::default();
        let mut shown = |list: &[(&str, &str)]| {
            let list: Vec<_> = list
                .iter()
                .map(|(content, status)| json!({ "content": content, "status": status }))
                .collect();
            let lines = todo.lines(&CallMetadata::from_value(json!({ "todos": list })));
            lines
                .iter()
                .map(|line| anstream::adapter::strip_str(&unmarked(line)).to_string())
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(shown(&[("a", "in_progress"), ("b\nc", "pending")]), "  [-] a\n  [ ] b c");
        assert_eq!(shown(&[("a", "completed"), ("b\nc", "pending"), ("d", "cancelled")]), "  [x] a\n  [~] d");
        assert_eq!(shown(&[("a", "completed")]), "");
        let broken = CallMetadata::from_value(json!({ "todos": [{ "content": 5 }, "x"] }));
        assert_eq!(todo.lines(&broken), [""; 0]);
        let many: Vec<_> =
            (0..40).map(|number| json!({ "content": number.to_string(), "status": "pending" })).collect();
        let lines = todo.lines(&CallMetadata::from_value(json!({ "todos": many })));
        assert_eq!((lines.len(), unmarked(&lines[30]).contains("… 10 more")), (31, true));
    }
}
