//! Writes a whole file: a new one, or one that the model has read.

use std::borrow::Cow;

use copydesk_text::{Change as TextChange, FileText};
use copydesk_workspace::files::{Content, FileError, Place};
use schemars::JsonSchema;
use serde::Deserialize;

use super::change::Change;
use super::make::make;
use super::target::{self, aside, count, file_failure};
use crate::context::Context;
use crate::outcome::{Failure, Output};
use crate::tool::{Tool, Touches};

#[derive(Debug)]
pub(super) struct Write;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    /// The file: relative to the workspace, or absolute. Missing folders are created.
    file_path: String,
    /// The whole new content.
    content: String,
}

impl Tool for Write {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "write".into()
    }

    fn key(&self) -> Cow<'static, str> {
        "edit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("write.md").into()
    }

    fn touches(&self, parameters: &Parameters, context: &Context) -> Touches {
        target::touches(&parameters.file_path, context)
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let place = context.place(&parameters.file_path).await?;
        let lines = count(parameters.content.lines().count(), "line");
        let content = match target::look(&context, &place).await {
            Ok(content) => Some(content),
            Err(FileError::NotFound { .. }) => None,
            Err(error) => return Err(target::failure(&context, &place, error).await),
        };
        let is_new = content.is_none();
        let at = place.clone();
        let change = match content {
            None => aside(move || Ok(Some(Change::create(&at, parameters.content)))).await?,
            Some(content) => {
                known(&context, &place, &content)?;
                aside(move || rewritten(&at, content, &parameters.content)).await?
            }
        };
        let Some(change) = change else {
            let title = format!("{} is unchanged", place.shown);
            let output = format!("`{}` has exactly this content already; nothing was written.", place.shown);
            return Ok(Output { title, output, ..Output::default() });
        };
        let (did, size) = if is_new { ("Created", lines) } else { ("Wrote", change.size()) };
        let mut title = format!("{did} {} ({size})", place.shown);
        let made = make(&context, vec![change]).await?;
        let output = match &made.reviewed {
            Some(reviewed) => {
                if !reviewed.is_whole {
                    title = format!("{did} {}, in part", place.shown);
                }
                format!("{}{}", reviewed.told, made.notes())
            }
            None => format!("{title}.{}", made.notes()),
        };
        Ok(Output { output, title, metadata: made.metadata, ..Output::default() })
    }
}

/// Only what the model has seen, and as it has seen it, may be replaced as a whole.
fn known(context: &Context, place: &Place, content: &Content) -> Result<(), Failure> {
    match context.files.seen(place) {
        Some(seen) if seen == content.stamp => Ok(()),
        Some(_) => Err(file_failure(&FileError::Changed { shown: place.shown.clone() })),
        None => Err(Failure::target(format!(
            "`{}` exists, and you have not read it in this session; nothing was written. Read it first, or change only a part \
             of it with `edit`.",
            place.shown
        ))),
    }
}

/// Nothing where the content is the same. Byte order mark and line endings stay as they are.
fn rewritten(place: &Place, content: Content, text: &str) -> Result<Option<Change>, Failure> {
    let stamp = content.stamp;
    let old = FileText::decode(content.bytes).map_err(|why| {
        Failure::target(format!("`{}` is no text that may be written over: {why}.", place.shown))
    })?;
    let new = old.rewritten(text);
    if new == old {
        return Ok(None);
    }
    let change = TextChange::between(old.text(), new.text());
    Change::edit(place, old, stamp, change).map(Some)
}
