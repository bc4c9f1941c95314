//! Editor buffers that replace the disk's files in a search.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_text::Document;

type OverlayLookup = dyn Fn(&Path) -> Option<String> + Send + Sync;

/// A snapshot of the buffers, by real path.
#[derive(Clone)]
pub struct BufferOverlay {
    pub(super) lookup: Arc<OverlayLookup>,
    pub(super) names: Arc<[PathBuf]>,
}

impl BufferOverlay {
    pub fn new(texts: HashMap<PathBuf, Document>) -> Self {
        let names = texts.keys().cloned().collect();
        Self { lookup: Arc::new(move |path| texts.get(path).map(Document::text)), names }
    }

    pub fn text(&self, path: &Path) -> Option<String> {
        (self.lookup)(path)
    }

    /// Files below a folder that are not on disk yet: the walk does not find them.
    pub(super) fn unsaved(&self, folder: &Path) -> impl Iterator<Item = &PathBuf> {
        self.names.iter().filter(move |path| path.starts_with(folder) && path.symlink_metadata().is_err())
    }
}

impl Default for BufferOverlay {
    fn default() -> Self {
        Self::new(HashMap::new())
    }
}

impl fmt::Debug for BufferOverlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferOverlay").field("names", &self.names).finish_non_exhaustive()
    }
}
