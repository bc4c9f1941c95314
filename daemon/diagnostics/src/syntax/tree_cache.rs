//! Caches syntax trees, so that after an edit only the changed part is parsed. It keeps the last two texts of each
//! file, because an edit checks the text before and the one after in turn. The cache is bounded in number, bytes and
//! time, because a tree is about fifty times as large as its text. The tree of the text before shares most of its
//! nodes, and costs little more.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tree_sitter::Tree;

use copydesk_servers::diagnostic::Diagnostic;

const MAX_FILES: usize = 16;
/// The cap on the texts of each file.
const MAX_TEXTS: usize = 2;
/// The cap on all latest texts together.
const MAX_TEXT_BYTES: usize = 512 << 10;

#[derive(Debug, Clone)]
pub(super) struct ParsedDocument {
    pub(super) grammar: &'static str,
    pub(super) text: Arc<String>,
    pub(super) tree: Tree,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Ordered by use, the latest last.
#[derive(Debug, Default)]
pub(super) struct SyntaxTreeCache {
    files: Vec<CachedFileTrees>,
    /// A task evicts unused trees.
    pub(super) is_eviction_running: bool,
}

#[derive(Debug)]
struct CachedFileTrees {
    path: PathBuf,
    /// Ordered by use, the latest last.
    parsed: Vec<ParsedDocument>,
    used: Instant,
}

impl CachedFileTrees {
    fn bytes(&self) -> usize {
        self.parsed.iter().map(|parsed| parsed.text.len()).max().unwrap_or_default()
    }
}

impl SyntaxTreeCache {
    /// The tree of this text, else the latest one to start from.
    pub(super) fn get(&self, path: &Path, text: &Arc<String>) -> Option<&ParsedDocument> {
        let files = &self.files.iter().find(|files| files.path == path)?.parsed;
        files.iter().find(|parsed| parsed.text == *text).or(files.last())
    }

    pub(super) fn put(&mut self, path: PathBuf, parsed: ParsedDocument) {
        let at = self.files.iter().position(|files| files.path == path);
        let mut all = at.map(|at| self.files.remove(at).parsed).unwrap_or_default();
        all.retain(|other| other.text != parsed.text);
        all.push(parsed);
        all.drain(..all.len().saturating_sub(MAX_TEXTS));
        self.files.push(CachedFileTrees { path, parsed: all, used: Instant::now() });
        while self.files.len() > MAX_FILES
            || self.files.iter().map(CachedFileTrees::bytes).sum::<usize>() > MAX_TEXT_BYTES
        {
            self.files.remove(0);
        }
    }

    /// Evicts trees that were last used before this time. Returns whether any are left.
    pub(super) fn evict_older(&mut self, before: Instant) -> bool {
        self.files.retain(|files| files.used >= before);
        !self.files.is_empty()
    }

    #[cfg(test)]
    pub(super) fn paths(&self) -> Vec<&Path> {
        self.files.iter().map(|files| files.path.as_path()).collect()
    }
}
