//! The folders outside the workspace that the daemon itself shows the model: outputs of its calls, and skills with their
//! files. Reading there needs no reply of the user; writing and running still ask.

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

    /// Resolves the path that a tool reads.
    pub(super) async fn resolve_path(
        &self,
        context: &ToolContext,
        path: &str,
    ) -> Result<ResolvedPath, ToolError> {
        context.resolve_path_to_read(path, &self.0).await
    }
}
