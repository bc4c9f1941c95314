//! Formats what a call is about to write, before the user is asked: so the user approves the text that will stand there. All
//! files of a call share one timeout.

use copydesk_text::{Change as TextChange, FileText};
use copydesk_workspace::files::FileChangeKind;
use tokio::time::{Instant, timeout_at};

use super::change::RequestedChange;
use crate::context::ToolContext;
use crate::outcome::ToolError;
use copydesk_servers::time_limits::FORMAT_TIMEOUT;

/// The formatted changes, and the note for the model.
pub(super) async fn format_changes(
    context: &ToolContext,
    changes: Vec<RequestedChange>,
) -> Result<(Vec<RequestedChange>, String), ToolError> {
    let Some(formatters) = &context.formatters else { return Ok((changes, String::new())) };
    let (mut formed, mut notes) = (Vec::new(), String::new());
    let until = Instant::now() + FORMAT_TIMEOUT;
    for change in changes {
        let is_late = Instant::now() >= until;
        let Some(text) = written(&change).filter(|_| !is_late) else {
            formed.push(change);
            continue;
        };
        let formatting = timeout_at(until, formatters.format(change.place.real_path(), &text));
        let new = context.cancel.run_until_cancelled(formatting).await.ok_or_else(ToolError::cancelled)?;
        let Ok(new) = new else {
            let shown = &change.place.display_path;
            notes.push_str(&format!(
                "\n(Formatters took too long: {shown} and what follows it is left as it is.)"
            ));
            formed.push(change);
            continue;
        };
        formed.push(match new {
            Ok(None) => change,
            Ok(Some(new)) => {
                notes.push_str(&format!(
                    "\n(The formatter changed the form of {}.)",
                    change.place.display_path
                ));
                with_text(change, new)?
            }
            Err(why) => {
                notes.push_str(&format!("\n({why}.)"));
                change
            }
        });
    }
    Ok((formed, notes))
}

/// The text that the file would have. A file that only moves is not formatted.
fn written(change: &RequestedChange) -> Option<String> {
    if change.from().is_some() || change.place.has_no_file() {
        return None;
    }
    match &change.kind {
        FileChangeKind::Edit { file, change, .. } => change.apply(file.text()).ok(),
        FileChangeKind::Create { text, .. } => Some(FileText::from(text.clone()).text().to_owned()),
        FileChangeKind::Delete { .. } | FileChangeKind::Move { .. } => None,
    }
}

fn with_text(change: RequestedChange, text: String) -> Result<RequestedChange, ToolError> {
    match change.kind {
        FileChangeKind::Edit { file, stamp, .. } => {
            let edits = TextChange::between(file.text(), &text);
            RequestedChange::edit(&change.place, file, stamp, edits)
        }
        FileChangeKind::Create { .. } => Ok(RequestedChange::create(&change.place, text)),
        FileChangeKind::Delete { .. } | FileChangeKind::Move { .. } => Ok(change),
    }
}
