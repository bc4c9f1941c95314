//! Shows a file with line numbers, an image or PDF as it is, and of a folder what is in it.

use std::borrow::Cow;

use copydesk_text::{CutBy, FileText, Page, View, numbered, sniff};
use copydesk_workspace::files::{FileError, READ_LIMIT};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::open::Open;
use super::target::{aside, count, look_ask, sentence};
use super::{checking, folder, media, target};
use crate::context::Context;
use crate::outcome::{Failure, Output};
use crate::registry::Limits;
use crate::tool::{Tool, Touches};

/// Bytes that are laid out at once.
const SMALL: usize = 256 * 1024;

/// What the last lines of the output, which say how to go on, may take of the limits.
const ROOM: Limits = Limits { lines: 4, bytes: 512 };

#[derive(Debug)]
pub(super) struct Read {
    limits: Limits,
    open: Open,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    /// The file or folder: relative to the workspace, or absolute.
    file_path: String,
    /// The first line to show, counted from 1. Default 1.
    offset: Option<usize>,
    /// How many lines to show at most. Default, and most: about 2000.
    limit: Option<usize>,
}

impl Read {
    pub(super) fn new(limits: Limits, open: Open) -> Self {
        Self { limits, open }
    }

    fn view(&self, parameters: &Parameters) -> View {
        let usual = View::default();
        View {
            offset: parameters.offset.unwrap_or(1),
            limit: parameters.limit.unwrap_or(usual.limit).min(self.limits.lines.saturating_sub(ROOM.lines)),
            bytes: usual.bytes.min(self.limits.bytes).saturating_sub(ROOM.bytes),
            ..usual
        }
    }
}

impl Tool for Read {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "read".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("read.md").into()
    }

    fn touches(&self, parameters: &Parameters, context: &Context) -> Touches {
        target::touches(&parameters.file_path, context)
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let place = self.open.place(&context, &parameters.file_path).await?;
        context.ask(look_ask("read", &context, &place)).await?;
        let view = self.view(&parameters);
        let bytes = match context.files.read(&place, READ_LIMIT).await {
            Ok(content) => {
                checking::read(&context, &place, &content.bytes, content.is_open);
                content.bytes
            }
            Err(FileError::Folder { .. }) => {
                return folder::show(&context, &place, view.offset, view.limit).await;
            }
            Err(error) => return Err(target::failure(&context, &place, error).await),
        };
        // What is small is shown sooner than a thread is found for it.
        if bytes.len() <= SMALL {
            return show(&place.shown, bytes, &view);
        }
        aside(move || show(&place.shown, bytes, &view)).await
    }
}

fn show(shown: &str, bytes: Vec<u8>, view: &View) -> Result<Output, Failure> {
    let title = shown.to_owned();
    if let Some(mime) = media::kind(&bytes) {
        let media = vec![media::media(shown, mime, &bytes)?];
        let output = format!("`{shown}` is shown with this ({mime}, {} bytes).", bytes.len());
        return Ok(Output { title, output, metadata: json!({ "mime": mime }), media, ..Output::default() });
    }
    let no_text = |why| Failure::target(format!("`{shown}` cannot be shown as text: {why}."));
    if let Some(why) = sniff(&bytes) {
        return Err(no_text(why));
    }
    let file = FileText::decode(bytes).map_err(no_text)?;
    let page = numbered(file.text(), view)
        .map_err(|past| Failure::target(sentence(&format!("`{shown}`: {past}"))))?;
    let output = if page.total == 0 {
        format!("`{shown}` is empty.")
    } else {
        format!("{}\n{}", page.text, end(&page, &file))
    };
    let metadata = json!({ "first": page.first, "last": page.last, "total": page.total, "truncated": page.cut_by != CutBy::End });
    Ok(Output { title, output, metadata, ..Output::default() })
}

/// The last line: whether the file ends here, or how to go on.
fn end(page: &Page, file: &FileText) -> String {
    let Page { first, last, total, .. } = page;
    if page.cut_by != CutBy::End {
        let why = if page.cut_by == CutBy::Bytes { " More would be too long." } else { "" };
        return format!("(Lines {first} to {last} of {total}.{why} Go on with offset {}.)", last + 1);
    }
    let unfinished = if file.final_newline() { "" } else { "; the last one has no line break" };
    format!("(The file ends here: {}{unfinished}.)", count(*total, "line"))
}
