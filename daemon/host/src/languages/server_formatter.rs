//! Language servers as formatters: our own, for files that no editor serves.
//!
//! A server is lent the text before it is written. An editor's servers are not: they are told of what stands in its buffers, and of
//! nothing else. So what an editor serves is left as it is, since no second server is started for it.

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
