//! One editor's texts, for the judge.

use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

use copydesk_servers::ObservedTexts;
use copydesk_workspace::buffers::{Buffers, ClientId};

/// The daemon does not read larger files.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct ClientTexts {
    pub(super) buffers: Buffers,
    pub(super) client: ClientId,
}

impl ObservedTexts for ClientTexts {
    fn open_text(&self, path: &Path, version: i32) -> Option<Arc<String>> {
        let real_path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let open = self.buffers.find(&real_path, Some(self.client))?.ok()?;
        let is_match = open.client == self.client && open.version == version;
        is_match.then(|| Arc::new(open.document.text()))
    }

    fn saved_text(&self, path: &Path) -> Option<Arc<String>> {
        let is_small = |metadata: &Metadata| metadata.is_file() && metadata.len() <= MAX_BYTES;
        path.metadata().ok().filter(is_small)?;
        std::fs::read_to_string(path).ok().map(Arc::new)
    }
}
