//! Formats a file, or a part of it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use copydesk_servers::{
    CodeQuery, ServerFileOperation, ServerText, ServerTextEdit, ServerWorkspaceEdit, apply_text_edits,
};
use copydesk_text::{Change, Document, Edit, LineBreaks, Position, PositionEncoding};
use tokio::time::Instant;

use super::Navigator;
use super::server_edits::server_refuses;
use crate::answer::{NavigationError, line_of};
use crate::code_edit_plan::{CodeEditPlan, TextsThen};
use crate::time_limits::ANSWER_TIMEOUT;

impl Navigator {
    /// Formats the lines, from 1, or all of them, by the file's server. An error says that no server can.
    pub async fn format_file(
        &self,
        path: &Path,
        lines: Option<(usize, usize)>,
    ) -> Result<CodeEditPlan, NavigationError> {
        if lines.is_some_and(|(first, last)| last < first) {
            return Err(NavigationError::new("`endLine` is before `line`."));
        }
        let range = lines.map(|(first, last)| {
            let line = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            Position::new(line(first.saturating_sub(1)), 0)..Position::new(line(last), 0)
        });
        let instead = "run the project's formatter with `bash`, if it has one";
        let lease = self.lease_for_edit(path, CodeQuery::Formatting, instead).await?;
        let then = TextsThen::now(&self.names);
        let shown = self.names.shown(path);
        let unread = || NavigationError::new(format!("{shown} has no text that can be read."));
        let text = self.names.text(path).ok_or_else(unread)?;
        if lease.server.server_text(&lease.path) != ServerText::Known(Arc::clone(&text)) {
            return Err(NavigationError::new(format!("{shown} has changed meanwhile. Make the call again.")));
        }
        let until = Instant::now() + ANSWER_TIMEOUT;
        let asked = range.clone().filter(|_| lease.server.answers(CodeQuery::RangeFormatting));
        let is_part = asked.is_some();
        let answer = match lease.server.formatting_edits(&lease.path, asked, until).await {
            // rust-analyzer refuses a part with a stable compiler.
            Err(_) if is_part => lease.server.formatting_edits(&lease.path, None, until).await,
            answer => answer,
        };
        let mut edits = answer.map_err(|error| server_refuses(&lease, &error))?;
        if let Some((first, last)) = lines {
            let encoding = lease.server.position_encoding();
            let whole = apply_text_edits(&text, &edits, encoding)
                .map_err(|why| NavigationError::new(format!("{}: {why}.", lease.server.name())))?;
            edits = edits_within(&text, &whole, first..last + 1, encoding);
        }
        let edit = ServerFileOperation::Edit { path: lease.path.clone(), version: None, edits };
        let edit = ServerWorkspaceEdit { operations: vec![edit], confirmations: Vec::new() };
        self.plan_server_edit(edit, &lease, then).await
    }
}

/// The part of a change that begins and ends within lines, from 1.
fn edits_within(
    text: &Arc<String>,
    new: &str,
    lines: Range<usize>,
    encoding: PositionEncoding,
) -> Vec<ServerTextEdit> {
    let document = Document::new(text, LineBreaks::Any);
    let change = Change::between(text, new);
    let is_inside = |range: &Range<usize>| {
        lines.contains(&line_of(text, range.start))
            && lines.contains(&line_of(text, range.end.saturating_sub(1).max(range.start)))
    };
    let inside = change.edits().iter().filter(|edit| is_inside(&edit.range));
    let position = |offset| document.position(offset, encoding);
    let edit = |edit: &Edit| ServerTextEdit {
        range: position(edit.range.start)..position(edit.range.end),
        text: edit.text.clone(),
    };
    inside.map(edit).collect()
}
