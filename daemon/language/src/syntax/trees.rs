//! The trees of texts that were looked at last, so that after an edit only what changed is parsed anew. How many are kept has an
//! end, in number and in bytes, because a tree is many times as large as its text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tree_sitter::Tree;

use crate::diagnostic::Diagnostic;

const TREES: usize = 16;
/// Of the texts together.
const BYTES: usize = 2 << 20;

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
    kept: Vec<(PathBuf, Parsed)>,
}

impl Trees {
    /// Whoever looks at it puts it back.
    pub(super) fn take(&mut self, path: &Path) -> Option<Parsed> {
        let at = self.kept.iter().position(|(kept, _)| kept == path)?;
        Some(self.kept.remove(at).1)
    }

    pub(super) fn put(&mut self, path: PathBuf, parsed: Parsed) {
        self.kept.retain(|(kept, _)| *kept != path);
        self.kept.push((path, parsed));
        let bytes =
            |kept: &[(PathBuf, Parsed)]| kept.iter().map(|(_, parsed)| parsed.text.len()).sum::<usize>();
        while self.kept.len() > TREES || bytes(&self.kept) > BYTES {
            self.kept.remove(0);
        }
    }

    #[cfg(test)]
    pub(super) fn paths(&self) -> Vec<&Path> {
        self.kept.iter().map(|(path, _)| path.as_path()).collect()
    }
}
