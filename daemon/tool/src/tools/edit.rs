//! Replaces a text in a file by another: where it stands exactly, or in the one place where that is as good as certain.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::replacing::{self, Replacement};
use super::target;
use crate::context::Context;
use crate::outcome::{Failure, Output};
use crate::tool::{Tool, Touches};

#[derive(Debug)]
pub(super) struct Edit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    /// The file: relative to the workspace, or absolute.
    file_path: String,
    /// The text to replace, exactly as it is in the file, without line numbers. Empty to create a new file.
    old_string: String,
    /// The text to put in its place.
    new_string: String,
    /// Replace every occurrence instead of the only one. Default false.
    replace_all: Option<bool>,
}

impl Tool for Edit {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "edit".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("edit.md").into()
    }

    fn touches(&self, parameters: &Parameters, context: &Context) -> Touches {
        target::touches(&parameters.file_path, context)
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let Parameters { file_path, old_string, new_string, replace_all } = parameters;
        let wanted = Replacement { old: old_string, new: new_string, all: replace_all.unwrap_or(false) };
        replacing::run(&context, &file_path, vec![wanted], false).await
    }
}
