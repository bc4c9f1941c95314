//! What a search sees: editors' buffers instead of the disk's files, and the disk through an index where there is one.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_text::Document;

use crate::text_index::{TextIndex, TextIndexes};

type BufferLookup = dyn Fn(&Path) -> Option<String> + Send + Sync;

/// A snapshot of the buffers, by real path, over the disk. The default has no buffers and no index.
#[derive(Clone)]
pub struct SearchView {
    pub(super) lookup: Arc<BufferLookup>,
    pub(super) names: Arc<[PathBuf]>,
    pub(super) indexes: TextIndexes,
}

impl SearchView {
    pub fn new(buffers: HashMap<PathBuf, Document>, indexes: TextIndexes) -> Self {
        let names = buffers.keys().cloned().collect();
        Self { lookup: Arc::new(move |path| buffers.get(path).map(Document::text)), names, indexes }
    }

    /// The text of a buffer.
    pub fn text(&self, path: &Path) -> Option<String> {
        (self.lookup)(path)
    }

    /// Buffers below a folder that are not on disk yet: the walk does not find them.
    pub(super) fn unsaved(&self, folder: &Path) -> impl Iterator<Item = &PathBuf> {
        self.names.iter().filter(move |path| path.starts_with(folder) && path.symlink_metadata().is_err())
    }

    /// The index that a search of a folder may use.
    pub(super) fn index(&self, folder: &Path) -> Option<TextIndex> {
        self.indexes.covering(folder)
    }
}

impl Default for SearchView {
    fn default() -> Self {
        Self::new(HashMap::new(), TextIndexes::default())
    }
}

impl fmt::Debug for SearchView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchView").field("names", &self.names).finish_non_exhaustive()
    }
}
