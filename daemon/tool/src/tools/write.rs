//! Writes a whole file: a new one, or one that the model has read.

use std::borrow::Cow;

use copydesk_text::{Change as TextChange, FileText};
use copydesk_workspace::files::{FileContent, FileError, ResolvedPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::apply_changes::apply_changes;
use super::change::RequestedChange;
use super::target_file::{self, count, run_blocking};
use super::unshown_text;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::tool::{Tool, TouchedFiles};

#[derive(Debug)]
pub(super) struct WriteTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WriteParameters {
    /// The file: relative to the workspace, or absolute. Missing folders are created.
    file_path: String,
    /// The whole new content.
    content: String,
}

impl Tool for WriteTool {
    type Parameters = WriteParameters;

    fn name(&self) -> Cow<'static, str> {
        "write".into()
    }

    fn permission_key(&self) -> Cow<'static, str> {
        "edit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("write.md").into()
    }

    fn touched_files(&self, parameters: &WriteParameters, context: &ToolContext) -> TouchedFiles {
        target_file::touched_file(&parameters.file_path, context)
    }

    async fn run(&self, parameters: WriteParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let place = context.resolve_path(&parameters.file_path).await?;
        let lines = count(parameters.content.lines().count(), "line");
        let content = match target_file::load_content(&context, &place).await {
            Ok(content) => Some(content),
            Err(FileError::NotFound { .. }) => None,
            Err(error) => return Err(target_file::file_error_with_hint(&context, &place, error).await),
        };
        let is_new = content.is_none();
        let at = place.clone();
        let change = match content {
            None => run_blocking(move || Ok(Some(RequestedChange::create(&at, parameters.content)))).await?,
            Some(content) => {
                let is_shown = unshown_text::check_shown(&context, &place, &content);
                run_blocking(move || rewritten(&at, content, is_shown, &parameters.content)).await?
            }
        };
        let Some(change) = change else {
            let title = format!("{} is unchanged", place.display_path);
            let output =
                format!("`{}` has exactly this content already; nothing was written.", place.display_path);
            return Ok(ToolOutput { title, output, ..ToolOutput::default() });
        };
        let (did, size) = if is_new { ("Created", lines) } else { ("Wrote", change.size()) };
        let mut title = format!("{did} {} ({size})", place.display_path);
        let made = apply_changes(&context, vec![change]).await?;
        let output = match &made.review {
            Some(reviewed) => {
                if !reviewed.is_fully_accepted {
                    title = format!("{did} {}, in part", place.display_path);
                }
                format!("{}{}", reviewed.summary, made.notes())
            }
            None => format!("{title}.{}", made.notes()),
        };
        Ok(ToolOutput { output, title, metadata: made.into_metadata(), ..ToolOutput::default() })
    }
}

/// None if the content is the same. Keeps byte order mark and line endings.
fn rewritten(
    place: &ResolvedPath,
    content: FileContent,
    is_shown: Result<(), ToolError>,
    text: &str,
) -> Result<Option<RequestedChange>, ToolError> {
    let stamp = content.stamp;
    let old = FileText::decode(content.bytes).map_err(|why| {
        ToolError::target(format!("`{}` is no text that may be written over: {why}.", place.display_path))
    })?;
    is_shown?;
    let new = old.with_rewritten_text(text);
    if new == old {
        return Ok(None);
    }
    let change = TextChange::between(old.text(), new.text());
    RequestedChange::edit(place, old, stamp, change).map(Some)
}
