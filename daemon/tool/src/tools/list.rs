//! Shows what is in a folder.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::folder;
use super::open::Open;
use super::target::look_ask;
use crate::context::Context;
use crate::outcome::{Failure, Output};
use crate::tool::Tool;

const LIMIT: usize = 100;

#[derive(Debug)]
pub(super) struct List {
    pub(super) open: Open,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parameters {
    /// The folder: relative to the workspace, or absolute. Default: the workspace.
    path: Option<String>,
}

impl Tool for List {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "list".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("list.md").into()
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let place = self.open.place(&context, parameters.path.as_deref().unwrap_or_default()).await?;
        context.ask(look_ask("list", &context, &place)).await?;
        folder::show(&context, &place, 1, LIMIT).await
    }
}
