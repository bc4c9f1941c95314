//! The daemon's own language servers as formatters, for files that no editor serves.
//!
//! The daemon sends a server the text before it writes it. An editor's servers get only the texts of its buffers, and the pool starts no
//! second server for a file that an editor serves. So such a file is not formatted.

use std::path::Path;

use copydesk_servers::format::{DocumentFormatter, FormatFuture};
use copydesk_servers::pool::PoolSource;
use tokio::time::Instant;

use super::editor_source::EditorSource;

pub(super) struct OwnServerFormatter {
    pub(super) editor: EditorSource,
    pub(super) pool: PoolSource,
}

impl std::fmt::Debug for OwnServerFormatter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnServerFormatter").finish_non_exhaustive()
    }
}

impl DocumentFormatter for OwnServerFormatter {
    fn format_text<'a>(&'a self, path: &'a Path, text: &'a str, until: Instant) -> FormatFuture<'a> {
        Box::pin(async move {
            if self.editor.is_serving(path).await {
                return Ok(None);
            }
            self.pool.format_text(path, text, until).await
        })
    }
}
