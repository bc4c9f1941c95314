//! Several replacements in one file, as one change: all of them or none.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::replace_text::{self, TextReplacement};
use super::target_file;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolErrorKind, ToolOutput};
use crate::tool::{Tool, TouchedFiles};

/// The cap on replacements of one call.
const MAX_EDITS: usize = 250;

#[derive(Debug)]
pub(super) struct MultiEditTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MultiEditParameters {
    /// The file: relative to the workspace, or absolute.
    file_path: String,
    /// The replacements, in the order in which they are made: each in the text as those before it leave it.
    edits: Vec<MultiEditReplacement>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct MultiEditReplacement {
    /// The text to replace, exactly as it is in the file by then, without line numbers. Empty in the first one to create
    /// a new file.
    old_string: String,
    /// The text to put in its place.
    new_string: String,
    /// Replace every occurrence instead of the only one. Default false.
    replace_all: Option<bool>,
}

impl Tool for MultiEditTool {
    type Parameters = MultiEditParameters;

    fn name(&self) -> Cow<'static, str> {
        "multiedit".into()
    }

    fn permission_key(&self) -> Cow<'static, str> {
        "edit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("multiedit.md").into()
    }

    fn touched_files(&self, parameters: &MultiEditParameters, context: &ToolContext) -> TouchedFiles {
        target_file::touched_file(&parameters.file_path, context)
    }

    async fn run(
        &self,
        parameters: MultiEditParameters,
        context: ToolContext,
    ) -> Result<ToolOutput, ToolError> {
        let MultiEditParameters { file_path, edits } = parameters;
        let wrong = |message: String| Err(ToolError::new(ToolErrorKind::Arguments, message));
        match edits.len() {
            0 => return wrong("There are no edits to make: give at least one in `edits`.".to_owned()),
            1..=MAX_EDITS => {}
            many => {
                return wrong(format!(
                    "{many} edits are too many for one call, which makes up to {MAX_EDITS}; nothing was changed. Make several \
                     calls, or write the file."
                ));
            }
        }
        let wanted = edits.into_iter().map(|edit| TextReplacement {
            old: edit.old_string,
            new: edit.new_string,
            all: edit.replace_all.unwrap_or(false),
        });
        replace_text::replace_in_file(&context, &file_path, wanted.collect(), true).await
    }
}
