//! The form that a formatter gives to what a call is about to write, before any person is asked about it: what is reported is what
//! stands there. All files of a call have one time together.

use copydesk_servers::format;
use copydesk_text::{Change as TextChange, FileText};
use copydesk_workspace::files::ChangeKind;
use tokio::time::{Instant, timeout_at};

use super::change::Change;
use crate::context::Context;
use crate::outcome::Failure;

/// The changes in their form, and what the model should know of it.
pub(super) async fn formatted(
    context: &Context,
    changes: Vec<Change>,
) -> Result<(Vec<Change>, String), Failure> {
    let Some(formatters) = &context.formatters else { return Ok((changes, String::new())) };
    let (mut formed, mut notes) = (Vec::new(), String::new());
    let until = Instant::now() + format::TIMEOUT;
    for change in changes {
        let is_late = Instant::now() >= until;
        let Some(text) = written(&change).filter(|_| !is_late) else {
            formed.push(change);
            continue;
        };
        let formatting = timeout_at(until, formatters.format(change.place.real(), &text));
        let new = context.cancel.run_until_cancelled(formatting).await.ok_or_else(Failure::cancelled)?;
        let Ok(new) = new else {
            let shown = &change.place.shown;
            notes.push_str(&format!(
                "\n(Formatters took too long: {shown} and what follows it is left as it is.)"
            ));
            formed.push(change);
            continue;
        };
        formed.push(match new {
            Ok(None) => change,
            Ok(Some(new)) => {
                notes.push_str(&format!("\n(The formatter changed the form of {}.)", change.place.shown));
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

/// What would stand in the file. A file that only moves keeps its form.
fn written(change: &Change) -> Option<String> {
    if change.from().is_some() || change.place.is_untitled() {
        return None;
    }
    match &change.kind {
        ChangeKind::Edit { file, change, .. } => change.apply(file.text()).ok(),
        ChangeKind::Create { text, .. } => Some(FileText::from(text.clone()).text().to_owned()),
        ChangeKind::Delete { .. } => None,
    }
}

fn with_text(change: Change, text: String) -> Result<Change, Failure> {
    match change.kind {
        ChangeKind::Edit { file, stamp, .. } => {
            let edits = TextChange::between(file.text(), &text);
            Change::edit(&change.place, file, stamp, edits)
        }
        ChangeKind::Create { .. } => Ok(Change::create(&change.place, text)),
        ChangeKind::Delete { .. } => Ok(change),
    }
}
