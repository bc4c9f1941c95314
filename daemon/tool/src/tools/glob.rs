//! Finds files by name.

use std::borrow::Cow;
use std::time::Duration;

use copydesk_metadata::{CallDetail, FileListMetadata};
use copydesk_workspace::search::{self, SearchDeadline};
use schemars::JsonSchema;
use serde::Deserialize;

use super::folder_listing::child_path_from_real;
use super::readable_folders::ReadableFolders;
use super::target_file::{search_ask, search_error, timeout_note};
use crate::context::ToolContext;
use crate::outcome::{ToolError, ToolOutput};
use crate::tool::Tool;

const MAX_PATHS: usize = 100;

#[derive(Debug)]
pub(super) struct GlobTool {
    pub(super) timeout: Duration,
    pub(super) readable_folders: ReadableFolders,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GlobParameters {
    /// What the paths must match, from the folder that is looked in: `*.rs` in any folder, `src/**/*.{ts,tsx}`.
    pattern: String,
    /// The folder to look in: relative to the workspace, or absolute. Default: the workspace.
    path: Option<String>,
}

impl Tool for GlobTool {
    type Parameters = GlobParameters;

    fn name(&self) -> Cow<'static, str> {
        "glob".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("glob.md").into()
    }

    async fn run(&self, parameters: GlobParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let place = self
            .readable_folders
            .resolve_path(&context, parameters.path.as_deref().unwrap_or_default())
            .await?;
        let given = &parameters.pattern;
        context.ask(search_ask("glob", given)).await?;
        // Models write the whole path.
        let folder = format!("{}/", place.absolute_path.display());
        let pattern = given.strip_prefix(&folder).unwrap_or(given);
        let until = SearchDeadline { cancel: context.cancel.clone(), timeout: self.timeout };
        let found =
            search::glob(place.real_path(), pattern, MAX_PATHS, context.files.search_view(), until).await;
        let found = match found {
            Ok(found) => found,
            Err(error) => return Err(search_error(&context, &place, error).await),
        };
        let paths: Vec<_> = found.paths.iter().map(|path| child_path_from_real(&place, path)).collect();
        let mut output = if paths.is_empty() {
            format!(
                "No file in `{}` matches `{given}`. Files that git ignores are passed over.",
                place.display_path
            )
        } else if found.has_more {
            format!(
                "{}\n\n(These are the first {MAX_PATHS}; there are more. Give a narrower pattern or a folder.)",
                paths.join("\n")
            )
        } else {
            paths.join("\n")
        };
        if found.is_timed_out {
            output.push_str(&timeout_note(self.timeout, "`path`"));
        }
        let truncated = found.has_more || found.is_timed_out;
        let list = FileListMetadata { count: paths.len() as u64, truncated };
        let metadata = CallDetail::FileList(list).into();
        Ok(ToolOutput { title: given.clone(), output, metadata, ..ToolOutput::default() })
    }
}
