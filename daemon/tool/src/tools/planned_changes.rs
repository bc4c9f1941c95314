//! The changes of an edit that was worked out by a language server or a syntax tree, for [`super::apply_changes`].

use std::path::Path;

use copydesk_navigation::{CodeEditPlan, PlannedFileChange};
use copydesk_text::{Change as TextChange, FileText};
use copydesk_workspace::files::{ContentStamp, ResolvedPath};

use super::change::RequestedChange;
use super::target_file::{file_error, load_content, run_blocking};
use crate::context::ToolContext;
use crate::outcome::ToolError;

/// A file with the content that an edit is for.
struct LoadedFile {
    place: ResolvedPath,
    file: FileText,
    stamp: ContentStamp,
}

/// The changes. An error if a file is no longer what the edit is for.
pub(super) async fn requested_changes(
    context: &ToolContext,
    edit: CodeEditPlan,
) -> Result<Vec<RequestedChange>, ToolError> {
    let mut changes = Vec::new();
    for planned in edit.files {
        match planned {
            PlannedFileChange::Edit { path, before, after } => {
                let loaded = LoadedFile::load(context, &path, &before).await?;
                changes.push(run_blocking(move || loaded.edit(&before, &after)).await?);
            }
            PlannedFileChange::Create { path, text } => {
                let place = resolve(context, &path).await?;
                changes.push(RequestedChange::create(&place, text));
            }
            PlannedFileChange::Delete { path, before } => {
                let LoadedFile { place, file, stamp } = LoadedFile::load(context, &path, &before).await?;
                changes.push(RequestedChange::delete(&place, file, stamp));
            }
            PlannedFileChange::Move { from, to, before, after } => {
                let loaded = LoadedFile::load(context, &from, &before).await?;
                let to = resolve(context, &to).await?;
                let LoadedFile { place, file, stamp } = loaded;
                let change = TextChange::between(&before, &after);
                changes.extend(RequestedChange::move_file(&place, &to, file, stamp, change)?);
            }
        }
    }
    Ok(changes)
}

async fn resolve(context: &ToolContext, path: &Path) -> Result<ResolvedPath, ToolError> {
    context.resolve_path(&path.to_string_lossy()).await
}

impl LoadedFile {
    async fn load(context: &ToolContext, path: &Path, before: &str) -> Result<Self, ToolError> {
        let place = resolve(context, path).await?;
        let content = load_content(context, &place).await.map_err(|error| file_error(&error))?;
        let shown = &place.display_path;
        let stamp = content.stamp;
        let file = FileText::decode(content.bytes)
            .map_err(|why| ToolError::target(format!("`{shown}` cannot be changed: {why}.")))?;
        if file.text() != before {
            let message =
                format!("`{shown}` has changed meanwhile. Nothing was changed; make the call again.");
            return Err(ToolError::target(message));
        }
        Ok(Self { place, file, stamp })
    }

    fn edit(self, before: &str, after: &str) -> Result<RequestedChange, ToolError> {
        RequestedChange::edit(&self.place, self.file, self.stamp, TextChange::between(before, after))
    }
}
