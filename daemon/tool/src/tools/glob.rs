//! Finds files by name.

use std::borrow::Cow;
use std::time::Duration;

use copydesk_workspace::search::{self, Until};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::folder::below_real;
use super::open::Open;
use super::target::{late, search_ask, search_failure};
use crate::context::Context;
use crate::outcome::{Failure, Output};
use crate::tool::Tool;

const LIMIT: usize = 100;

#[derive(Debug)]
pub(super) struct Glob {
    pub(super) patience: Duration,
    pub(super) open: Open,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    /// What the paths must match, from the folder that is looked in: `*.rs` in any folder, `src/**/*.{ts,tsx}`.
    pattern: String,
    /// The folder to look in: relative to the workspace, or absolute. Default: the workspace.
    path: Option<String>,
}

impl Tool for Glob {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "glob".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("glob.md").into()
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let place = self.open.place(&context, parameters.path.as_deref().unwrap_or_default()).await?;
        let given = &parameters.pattern;
        context.ask(search_ask("glob", given)).await?;
        // Models spell out the whole path.
        let folder = format!("{}/", place.path.display());
        let pattern = given.strip_prefix(&folder).unwrap_or(given);
        let until = Until { cancel: context.cancel.clone(), patience: self.patience };
        let found = search::glob(place.real(), pattern, LIMIT, context.files.overlay(), until).await;
        let found = match found {
            Ok(found) => found,
            Err(error) => return Err(search_failure(&context, &place, error).await),
        };
        let paths: Vec<_> = found.paths.iter().map(|path| below_real(&place, path)).collect();
        let mut output = if paths.is_empty() {
            format!("No file in `{}` matches `{given}`. Files that git ignores are passed over.", place.shown)
        } else if found.more {
            format!(
                "{}\n\n(These are the first {LIMIT}; there are more. Give a narrower pattern or a folder.)",
                paths.join("\n")
            )
        } else {
            paths.join("\n")
        };
        if found.is_late {
            output.push_str(&late(self.patience, "`path`"));
        }
        let metadata = json!({ "count": paths.len(), "truncated": found.more || found.is_late });
        Ok(Output { title: given.clone(), output, metadata, ..Output::default() })
    }
}
