//! Replaces a text in a file: where it matches exactly, or in the only place where a lenient match is certain.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::replace_text::{self, TextReplacement};
use super::target_file;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::tool::{Tool, TouchedFiles};

#[derive(Debug)]
pub(super) struct EditTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EditParameters {
    /// The file: relative to the workspace, or absolute.
    file_path: String,
    /// The text to replace, exactly as it is in the file, without line numbers. Empty to create a new file.
    old_string: String,
    /// The text to put in its place.
    new_string: String,
    /// Replace every occurrence instead of the only one. Default false.
    replace_all: Option<bool>,
}

impl Tool for EditTool {
    type Parameters = EditParameters;

    fn name(&self) -> Cow<'static, str> {
        "edit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("edit.md").into()
    }

    fn touched_files(&self, parameters: &EditParameters, context: &ToolContext) -> TouchedFiles {
        target_file::touched_file(&parameters.file_path, context)
    }

    async fn run(&self, parameters: EditParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let EditParameters { file_path, old_string, new_string, replace_all } = parameters;
        let wanted = TextReplacement { old: old_string, new: new_string, all: replace_all.unwrap_or(false) };
        replace_text::replace_in_file(&context, &file_path, vec![wanted], false).await
    }
}
