//! Shows what is in a folder.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::folder_listing;
use super::readable_folders::ReadableFolders;
use super::target_file::path_ask;
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::tool::Tool;

const MAX_ENTRIES: usize = 100;

#[derive(Debug)]
pub(super) struct ListTool {
    pub(super) readable_folders: ReadableFolders,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListParameters {
    /// The folder: relative to the workspace, or absolute. Default: the workspace.
    path: Option<String>,
}

impl Tool for ListTool {
    type Parameters = ListParameters;

    fn name(&self) -> Cow<'static, str> {
        "list".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("list.md").into()
    }

    async fn run(&self, parameters: ListParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let place = self
            .readable_folders
            .resolve_path(&context, parameters.path.as_deref().unwrap_or_default())
            .await?;
        context.ask(path_ask("list", &context, &place)).await?;
        folder_listing::show(&context, &place, 1, MAX_ENTRIES).await
    }
}
