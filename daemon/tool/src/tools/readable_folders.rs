//! The folders outside of the workspace that the desk itself has put before the model: the outputs of its calls, and its skills
//! with what they bring along. They may be read without asking; whoever writes or runs anything there asks as everywhere.

use std::path::PathBuf;
use std::sync::Arc;

use copydesk_workspace::files::ResolvedPath;

use super::ToolOptions;
use crate::context::ToolContext;
use crate::outcome::ToolError;

#[derive(Debug, Clone)]
pub(super) struct ReadableFolders(Arc<[PathBuf]>);

impl ReadableFolders {
    pub(super) fn new(options: &ToolOptions) -> Self {
        let skills = options.skills.iter().map(|skill| skill.folder.clone());
        Self([options.spill.folder().to_owned()].into_iter().chain(skills).collect())
    }

    /// What a tool is to look at.
    pub(super) async fn resolve_path(
        &self,
        context: &ToolContext,
        path: &str,
    ) -> Result<ResolvedPath, ToolError> {
        context.resolve_path_to_read(path, &self.0).await
    }
}
