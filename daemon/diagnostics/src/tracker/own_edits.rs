//! The hash of the last text that the session made of each file. Bounded: a forgotten text counts as another
//! program's.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAX_FILES: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct OwnEdits {
    /// `None` for a deleted file.
    texts: HashMap<PathBuf, Option<u64>>,
}

impl OwnEdits {
    pub(super) fn record(&mut self, path: &Path, text: Option<&Arc<String>>) {
        if self.texts.len() >= MAX_FILES {
            self.texts.clear();
        }
        self.texts.insert(path.to_owned(), text_hash(text));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub(super) fn contains_key(&self, path: &Path) -> bool {
        self.texts.contains_key(path)
    }

    /// Whether the session made this text of the file.
    pub(super) fn is_own_text(&self, path: &Path, text: Option<&Arc<String>>) -> bool {
        self.texts.get(path).is_some_and(|hash| *hash == text_hash(text))
    }
}

fn text_hash(text: Option<&Arc<String>>) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    text?.hash(&mut hasher);
    Some(hasher.finish())
}
