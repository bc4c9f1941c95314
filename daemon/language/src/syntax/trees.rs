//! The trees of texts that were looked at last, so that after an edit only what changed is parsed anew. How many are kept has an
//! end, in number, in bytes and in time, because a tree is about fifty times as large as its text.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tree_sitter::Tree;

use crate::diagnostic::Diagnostic;

const TREES: usize = 16;
/// Of the texts together.
const BYTES: usize = 512 << 10;

#[derive(Debug, Clone)]
pub(super) struct Parsed {
    pub(super) grammar: &'static str,
    pub(super) text: Arc<String>,
    pub(super) tree: Tree,
    pub(super) found: Vec<Diagnostic>,
}

/// The last one used comes last.
#[derive(Debug, Default)]
pub(super) struct Trees {
    kept: Vec<Kept>,
    /// Somebody will come to take away what is not used any more.
    pub(super) is_watched: bool,
}

#[derive(Debug)]
struct Kept {
    path: PathBuf,
    parsed: Parsed,
    used: Instant,
}

impl Trees {
    /// Whoever looks at it puts it back.
    pub(super) fn take(&mut self, path: &Path) -> Option<Parsed> {
        let at = self.kept.iter().position(|kept| kept.path == path)?;
        Some(self.kept.remove(at).parsed)
    }

    pub(super) fn put(&mut self, path: PathBuf, parsed: Parsed) {
        self.kept.retain(|kept| kept.path != path);
        self.kept.push(Kept { path, parsed, used: Instant::now() });
        let bytes = |kept: &[Kept]| kept.iter().map(|kept| kept.parsed.text.len()).sum::<usize>();
        while self.kept.len() > TREES || bytes(&self.kept) > BYTES {
            self.kept.remove(0);
        }
    }

    /// Without those that were last used before; whether there are others.
    pub(super) fn forget(&mut self, before: Instant) -> bool {
        self.kept.retain(|kept| kept.used >= before);
        !self.kept.is_empty()
    }

    #[cfg(test)]
    pub(super) fn paths(&self) -> Vec<&Path> {
        self.kept.iter().map(|kept| kept.path.as_path()).collect()
    }
}
