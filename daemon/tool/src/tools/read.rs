//! Shows a text file with line numbers, an image or PDF, or the entries of a folder.

use std::borrow::Cow;

use copydesk_metadata::{CallDetail, MediaFileMetadata, TextPageMetadata};
use copydesk_text::{FileText, PageEndReason, PageRequest, TextPage, read_page, sniff};
use copydesk_workspace::files::{
    FileContent, FileError, READ_LIMIT, ResolvedPath, ShownText, WorkspaceFiles,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::readable_folders::ReadableFolders;
use super::target_file::{count, path_ask, run_blocking, sentence};
use super::{diagnostics, folder_listing, media, target_file};
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::registry::ToolOutputLimits;
use crate::tool::{Tool, TouchedFiles};

/// Files up to this size are shown without another thread.
const SMALL: usize = 256 * 1024;

/// Reserved for the last lines of the output, which say how to continue.
const RESERVED: ToolOutputLimits = ToolOutputLimits { lines: 4, bytes: 512 };

/// Of a file with this many lines or more, the output suggests the outline.
const LONG_FILE: usize = 500;

#[derive(Debug)]
pub(super) struct ReadTool {
    limits: ToolOutputLimits,
    readable_folders: ReadableFolders,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadParameters {
    /// The file or folder: relative to the workspace, or absolute.
    file_path: String,
    /// The first line to show, counted from 1. Default 1.
    offset: Option<usize>,
    /// How many lines to show at most. Default, and most: about 2000.
    limit: Option<usize>,
}

impl ReadTool {
    pub(super) fn new(limits: ToolOutputLimits, readable_folders: ReadableFolders) -> Self {
        Self { limits, readable_folders }
    }

    fn view(&self, parameters: &ReadParameters) -> PageRequest {
        let usual = PageRequest::default();
        PageRequest {
            offset: parameters.offset.unwrap_or(1),
            limit: parameters
                .limit
                .unwrap_or(usual.limit)
                .min(self.limits.lines.saturating_sub(RESERVED.lines)),
            bytes: usual.bytes.min(self.limits.bytes).saturating_sub(RESERVED.bytes),
            ..usual
        }
    }
}

impl Tool for ReadTool {
    type Parameters = ReadParameters;

    fn name(&self) -> Cow<'static, str> {
        "read".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("read.md").into()
    }

    fn touched_files(&self, parameters: &ReadParameters, context: &ToolContext) -> TouchedFiles {
        target_file::touched_file(&parameters.file_path, context)
    }

    async fn run(&self, parameters: ReadParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let place = self.readable_folders.resolve_path(&context, &parameters.file_path).await?;
        context.ask(path_ask("read", &context, &place)).await?;
        let view = self.view(&parameters);
        let content = match context.files.peek(&place, READ_LIMIT).await {
            Ok(content) => content,
            Err(FileError::IsAFolder { .. }) => {
                return folder_listing::show(&context, &place, view.offset, view.limit).await;
            }
            Err(error) => return Err(target_file::file_error_with_hint(&context, &place, error).await),
        };
        let is_small = content.bytes.len() <= SMALL;
        diagnostics::note_file_read(&context, &place, &content.bytes, content.is_from_buffer);
        let show = move || show(&context.files, &place, content, &view);
        // A small file is shown faster than a thread starts.
        if is_small { show() } else { run_blocking(show).await }
    }
}

fn show(
    files: &WorkspaceFiles,
    place: &ResolvedPath,
    content: FileContent,
    view: &PageRequest,
) -> Result<ToolOutput, ToolError> {
    let (shown, bytes) = (place.display_path.as_str(), content.bytes);
    let title = shown.to_owned();
    if let Some(mime) = media::kind(&bytes) {
        let media = vec![media::media(shown, mime, &bytes)?];
        // The model sees it, but cannot write it: no line is shown.
        files.mark_shown(place, content.stamp, ShownText::none(), 0);
        let output = format!("`{shown}` is shown with this ({mime}, {} bytes).", bytes.len());
        return Ok(ToolOutput {
            title,
            output,
            metadata: CallDetail::MediaFile(MediaFileMetadata { mime: mime.to_owned() }).into(),
            media,
            ..ToolOutput::default()
        });
    }
    let no_text = |why| ToolError::target(format!("`{shown}` cannot be shown as text: {why}."));
    if let Some(why) = sniff(&bytes) {
        return Err(no_text(why));
    }
    let file = FileText::decode(bytes).map_err(no_text)?;
    let page = read_page(file.text(), view)
        .map_err(|past| ToolError::target(sentence(&format!("`{shown}`: {past}"))))?;
    files.mark_shown(place, content.stamp, ShownText::lines(whole_lines(&page), page.total), page.total);
    let output = if page.total == 0 {
        format!("`{shown}` is empty.")
    } else {
        let has_outline = copydesk_navigation::has_outline(place.real_path());
        format!("{}\n{}", page.text, end(&page, &file, has_outline))
    };
    let metadata = CallDetail::TextPage(TextPageMetadata {
        first: page.first as u64,
        last: page.last as u64,
        total: page.total as u64,
        truncated: page.end_reason != PageEndReason::EndOfText,
    })
    .into();
    Ok(ToolOutput { title, output, metadata, ..ToolOutput::default() })
}

/// The parts between the lines that are cut: a line that is cut is not shown.
fn whole_lines(page: &TextPage) -> Vec<(usize, usize)> {
    let ends = page.truncated_lines.iter().copied().chain([page.last + 1]);
    let mut first = page.first;
    let parts = ends.map(|end| (std::mem::replace(&mut first, end + 1), end.saturating_sub(1)));
    parts.filter(|(first, last)| first <= last || page.total == 0).collect()
}

/// The last line: whether the file ends here, or how to continue.
fn end(page: &TextPage, file: &FileText, has_outline: bool) -> String {
    let TextPage { first, last, total, .. } = page;
    if page.end_reason != PageEndReason::EndOfText {
        let why = if page.end_reason == PageEndReason::Bytes { " More would be too long." } else { "" };
        // In a long file the outline says where to read.
        let outline = if has_outline && *first == 1 && *total >= LONG_FILE {
            " Its outline: `lsp` with documentSymbol."
        } else {
            ""
        };
        return format!(
            "(Lines {first} to {last} of {total}.{why}{outline} Go on with offset {}.)",
            last + 1
        );
    }
    let unfinished = if file.has_final_newline() { "" } else { "; the last one has no line break" };
    format!("(The file ends here: {}{unfinished}.)", count(*total, "line"))
}
