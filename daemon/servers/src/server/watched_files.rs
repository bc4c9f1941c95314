//! Tells a server of files that changed on the disk.

use std::path::PathBuf;
use std::time::Duration;

use copydesk_workspace::disk_watcher::FileChangeType;
use serde_json::json;
use tokio::time::Instant;

use super::{LanguageServer, ServerLaunch, uri};

impl LanguageServer {
    /// Files changed on the disk. Only files that the server watches are sent.
    pub fn did_change_watched_files(&self, changed: &[(PathBuf, FileChangeType)]) {
        let watches = self.inner.lock().registrations.watch_patterns();
        // Filtered before the lock is taken: a command may change thousands of files.
        let wanted = changed.iter().filter(|(path, change)| watches.is_watched(path, *change));
        let change = |(path, change): &(PathBuf, FileChangeType)| {
            let kind = match change {
                FileChangeType::Created => 1,
                FileChangeType::Changed => 2,
                FileChangeType::Deleted => 3,
            };
            Some(json!({ "uri": uri::from_path(path)?, "type": kind }))
        };
        let changes: Vec<_> = wanted.filter_map(change).collect();
        let ServerLaunch { quirks, root, .. } = &self.inner.launch;
        let is_configuration = changed.iter().any(|(path, _)| quirks.is_configured_by(path, root));
        self.inner.change(|record| {
            if is_configuration {
                let now = Instant::now();
                let until = now + Duration::from_millis(quirks.configuration_ms.min(10_000));
                record.configuration_changed = Some((now, until));
            }
            record.others_changed = Some(Instant::now());
            // A server that registered no watchers may watch the disk itself.
            if !changes.is_empty() || watches.is_empty() {
                record.disk_changed = Some(Instant::now());
            }
            if !changes.is_empty() {
                self.peer.notify("workspace/didChangeWatchedFiles", &json!({ "changes": changes }));
            }
        });
    }

    /// Folders were created or deleted on the disk.
    pub fn note_folders_changed(&self) {
        self.inner.change(|record| record.folders_changed = Some(Instant::now()));
    }
}
