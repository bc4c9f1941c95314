//! What is asked of whoever knows what is wrong with a text, before a call changes files and after it.

use std::sync::Arc;

use copydesk_diagnostics::{Commanding, Edited, Told};
use copydesk_servers::Subject;
use copydesk_text::FileText;
use copydesk_workspace::files::{ChangeKind, Changed, Place, READ_LIMIT};

use super::change::Change;
use crate::context::Context;
use crate::outcome::Output;

/// A larger text is not asked about: nobody has written it by hand.
const LARGEST: usize = 1024 * 1024;

/// A file was read, and may be changed next.
pub(super) fn read(context: &Context, place: &Place, bytes: &[u8], is_open: bool) {
    if context.checks.is_off() || place.is_untitled() || bytes.len() > LARGEST {
        return;
    }
    if let Ok(file) = FileText::decode(bytes.to_vec()) {
        let path = place.real().to_owned();
        context.checks.read(Subject { path, text: file.shared(), is_saved: !is_open });
    }
}

/// What is known of the files as they are.
pub(super) async fn before(context: &Context, changes: &[Change]) {
    if context.checks.is_off() {
        return;
    }
    let subject = |edited: Edited| {
        let (path, text) = (edited.path, edited.before?);
        Some(Subject { is_saved: !is_open(context, &path), path, text })
    };
    let subjects: Vec<_> = proposed(context, changes).into_iter().filter_map(subject).collect();
    context.checks.before(&subjects).await;
}

/// What would be wrong with the files if the changes were made.
pub(super) async fn shadow(context: &Context, proposed: &[Edited]) -> Option<Told> {
    if proposed.is_empty() {
        return None;
    }
    context.cancel.run_until_cancelled(context.checks.proposed(proposed)).await.flatten()
}

/// What is wrong with them now, if the call goes on for so long.
pub(super) async fn after(context: &Context, changed: Vec<Changed>) -> Option<Told> {
    let edited = |changed: Changed| Edited {
        path: changed.place.real().to_owned(),
        before: changed.before,
        after: changed.after,
        is_saved: changed.is_saved,
    };
    let changed = changed.into_iter().filter(|changed| !changed.place.is_untitled());
    let edited: Vec<_> = changed.map(edited).filter(is_small).collect();
    asked(context, &edited).await
}

/// The same of files that were changed piece by piece: what came of them is looked at.
pub(super) async fn after_review(context: &Context, before: Vec<Edited>) -> Option<Told> {
    let mut edited = Vec::new();
    for file in before {
        let place = context.files.resolve(&file.path.to_string_lossy());
        let content = context.files.look(&place, READ_LIMIT).await.ok();
        let is_saved = content.as_ref().is_none_or(|content| !content.is_open);
        let text = content.and_then(|content| FileText::decode(content.bytes).ok());
        edited.push(Edited { after: text.map(|text| text.shared()), is_saved, ..file });
    }
    edited.retain(|file| file.before != file.after && is_small(file));
    asked(context, &edited).await
}

/// How things are before a command.
pub(super) async fn before_command(context: &Context) -> Commanding {
    let beginning = context.checks.begin_command();
    context.cancel.run_until_cancelled(beginning).await.unwrap_or_default()
}

/// What is wrong with files that it has changed.
pub(super) async fn command(context: &Context, command: Commanding, output: &mut Output) {
    if context.checks.is_off() {
        return;
    }
    let told = context.cancel.run_until_cancelled(context.checks.commanded(command)).await.flatten();
    let Some(told) = told else { return };
    output.output.push_str(&format!("\n\nThe command changed files. {}", told.output));
    if let Some(metadata) = output.metadata.as_object_mut() {
        metadata.insert("diagnostics".to_owned(), told.metadata);
    }
}

/// What the changes would make of the files.
pub(super) fn proposed(context: &Context, changes: &[Change]) -> Vec<Edited> {
    if context.checks.is_off() {
        return Vec::new();
    }
    let edited = |change: &Change| {
        let (before, after) = match &change.kind {
            ChangeKind::Edit { file, change, .. } if file.size() <= LARGEST as u64 => {
                (Some(file.shared()), Some(Arc::new(change.apply(file.text()).ok()?)))
            }
            ChangeKind::Create { text, .. } => (None, Some(FileText::from(text.clone()).shared())),
            ChangeKind::Delete { file, .. } => (Some(file.shared()), None),
            ChangeKind::Edit { .. } => return None,
        };
        let path = change.place.real().to_owned();
        (!change.place.is_untitled()).then_some(Edited { path, before, after, is_saved: false })
    };
    changes.iter().filter_map(edited).filter(is_small).collect()
}

async fn asked(context: &Context, edited: &[Edited]) -> Option<Told> {
    if edited.is_empty() {
        return None;
    }
    context.cancel.run_until_cancelled(context.checks.after(edited)).await.flatten()
}

fn is_open(context: &Context, path: &std::path::Path) -> bool {
    context.files.buffers().find(path, context.files.home_client()).is_some()
}

fn is_small(edited: &Edited) -> bool {
    [&edited.before, &edited.after].into_iter().flatten().all(|text| text.len() <= LARGEST)
}
