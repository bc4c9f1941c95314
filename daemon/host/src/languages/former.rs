//! Language servers as formatters: our own, for files that no editor serves.
//!
//! A server is lent the text before it is written. An editor's servers are not: they are told of what stands in its buffers, and of
//! nothing else. So what an editor serves is left as it is, since no second server is started for it.

use std::path::Path;

use copydesk_servers::format::{Former, Forming};
use copydesk_servers::pool::Besides;
use tokio::time::Instant;

use super::editor::EditorSource;

pub(super) struct OwnServers {
    pub(super) editor: EditorSource,
    pub(super) pool: Besides,
}

impl std::fmt::Debug for OwnServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnServers").finish_non_exhaustive()
    }
}

impl Former for OwnServers {
    fn form<'a>(&'a self, path: &'a Path, text: &'a str, until: Instant) -> Forming<'a> {
        Box::pin(async move {
            if self.editor.is_serving(path).await {
                return Ok(None);
            }
            self.pool.form(path, text, until).await
        })
    }
}
