//! Diagnostics before and after a call changes files.

use std::sync::Arc;

use copydesk_diagnostics::{CommandSnapshot, DiagnosticsSummary, EditedDocument};
use copydesk_metadata::CallDetail;
use copydesk_servers::CheckedDocument;
use copydesk_text::FileText;
use copydesk_workspace::files::{AppliedFileChange, FileChangeKind, READ_LIMIT, ResolvedPath};

use super::change::RequestedChange;
use crate::context::ToolContext;
use crate::outcome::ToolOutput;

/// Larger texts are not checked: they are generated.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// Warms up the sources for a file that the model read and may change next.
pub(super) fn note_file_read(context: &ToolContext, place: &ResolvedPath, bytes: &[u8], is_open: bool) {
    if context.checks.is_disabled() || place.has_no_file() || bytes.len() > MAX_TEXT_BYTES {
        return;
    }
    if let Ok(file) = FileText::decode(bytes.to_vec()) {
        let path = place.real_path().to_owned();
        context.checks.warm_up(CheckedDocument { path, text: file.shared_text(), is_saved: !is_open });
    }
}

/// Records the baseline of the files.
pub(super) async fn record_baseline(context: &ToolContext, changes: &[RequestedChange]) {
    if context.checks.is_disabled() {
        return;
    }
    let subject = |edited: EditedDocument| {
        let (path, text) = (edited.path, edited.before?);
        Some(CheckedDocument { is_saved: !is_open(context, &path), path, text })
    };
    let subjects: Vec<_> = proposed_edits(context, changes).into_iter().filter_map(subject).collect();
    context.checks.record_baseline(&subjects).await;
}

/// Checks the files as the changes would leave them.
pub(super) async fn check_proposed(
    context: &ToolContext,
    proposed: &[EditedDocument],
) -> Option<DiagnosticsSummary> {
    if proposed.is_empty() {
        return None;
    }
    context.cancel.run_until_cancelled(context.checks.check_proposed_edits(proposed)).await.flatten()
}

/// Checks the changed files, unless the call is cancelled.
pub(super) async fn check_changed(
    context: &ToolContext,
    changed: Vec<AppliedFileChange>,
) -> Option<DiagnosticsSummary> {
    let edited = |changed: AppliedFileChange| EditedDocument {
        path: changed.path.real_path().to_owned(),
        before: changed.before,
        after: changed.after,
        is_saved: changed.is_saved,
    };
    let changed = changed.into_iter().filter(|changed| !changed.path.has_no_file());
    let mut edited = join_by_path(changed.map(edited));
    edited.retain(is_small);
    check_edits(context, &edited).await
}

/// One edit for each path: a file that has moved may be edited afterwards.
fn join_by_path(edited: impl Iterator<Item = EditedDocument>) -> Vec<EditedDocument> {
    let mut joined: Vec<EditedDocument> = Vec::new();
    for one in edited {
        match joined.iter_mut().find(|known| known.path == one.path) {
            Some(known) => (known.after, known.is_saved) = (one.after, one.is_saved),
            None => joined.push(one),
        }
    }
    joined
}

/// Checks files that the user reviewed hunk by hunk, as they are now.
pub(super) async fn check_reviewed(
    context: &ToolContext,
    before: Vec<EditedDocument>,
) -> Option<DiagnosticsSummary> {
    let mut edited = Vec::new();
    for file in before {
        let place = context.files.resolve(&file.path.to_string_lossy());
        let content = context.files.peek(&place, READ_LIMIT).await.ok();
        let is_saved = content.as_ref().is_none_or(|content| !content.is_from_buffer);
        let text = content.and_then(|content| FileText::decode(content.bytes).ok());
        edited.push(EditedDocument { after: text.map(|text| text.shared_text()), is_saved, ..file });
    }
    edited.retain(|file| file.before != file.after && is_small(file));
    check_edits(context, &edited).await
}

/// The snapshot before a command.
pub(super) async fn begin_command(context: &ToolContext) -> CommandSnapshot {
    let beginning = context.checks.begin_command();
    context.cancel.run_until_cancelled(beginning).await.unwrap_or_default()
}

/// Checks the files that a command changed, and adds the result to its output.
pub(super) async fn check_command(context: &ToolContext, command: CommandSnapshot, output: &mut ToolOutput) {
    if context.checks.is_disabled() {
        return;
    }
    let told = context.cancel.run_until_cancelled(context.checks.finish_command(command)).await.flatten();
    let Some(told) = told else { return };
    output.output.push_str(&format!("\n\nThe command changed files. {}", told.output));
    if let CallDetail::Command(command) = &mut *output.metadata.detail {
        command.diagnostics = Some(told.metadata);
    }
}

/// The files as the changes would leave them.
pub(super) fn proposed_edits(context: &ToolContext, changes: &[RequestedChange]) -> Vec<EditedDocument> {
    if context.checks.is_disabled() {
        return Vec::new();
    }
    let edited = |place: &ResolvedPath, before, after| {
        let path = place.real_path().to_owned();
        (!place.has_no_file()).then_some(EditedDocument { path, before, after, is_saved: false })
    };
    let result = |change: &RequestedChange| {
        let (before, after) = match &change.kind {
            FileChangeKind::Edit { file, change, .. } if file.size() <= MAX_TEXT_BYTES as u64 => {
                (Some(file.shared_text()), Some(Arc::new(change.apply(file.text()).ok()?)))
            }
            FileChangeKind::Create { text, .. } => (None, Some(FileText::from(text.clone()).shared_text())),
            FileChangeKind::Delete { file, .. } => (Some(file.shared_text()), None),
            FileChangeKind::Move { file, .. } => (None, Some(file.shared_text())),
            FileChangeKind::Edit { .. } => return None,
        };
        edited(&change.place, before, after)
    };
    let left = |change: &RequestedChange| match &change.kind {
        FileChangeKind::Move { file, .. } => edited(change.document(), Some(file.shared_text()), None),
        _ => None,
    };
    let all = changes.iter().flat_map(|change| [left(change), result(change)]).flatten();
    let mut all = join_by_path(all);
    all.retain(is_small);
    all
}

async fn check_edits(context: &ToolContext, edited: &[EditedDocument]) -> Option<DiagnosticsSummary> {
    if edited.is_empty() {
        return None;
    }
    context.cancel.run_until_cancelled(context.checks.check_edits(edited)).await.flatten()
}

fn is_open(context: &ToolContext, path: &std::path::Path) -> bool {
    context.files.buffers().find(path, context.files.home_client()).is_some()
}

fn is_small(edited: &EditedDocument) -> bool {
    [&edited.before, &edited.after].into_iter().flatten().all(|text| text.len() <= MAX_TEXT_BYTES)
}
