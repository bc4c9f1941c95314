//! The trees of texts that were looked at last, so that after an edit only what changed is parsed anew: of each file the last two, because
//! whoever edits asks about the text before and the one after in turn. How many are kept has an end, in number, in bytes and in time,
//! because a tree is about fifty times as large as its text; that of the text before is mostly the same, and costs little more.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use tree_sitter::Tree;

use copydesk_servers::diagnostic::Diagnostic;

const FILES: usize = 16;
/// Of one file.
const TEXTS: usize = 2;
/// Of the last texts together.
const BYTES: usize = 512 << 10;

#[derive(Debug, Clone)]
pub(super) struct ParsedDocument {
    pub(super) grammar: &'static str,
    pub(super) text: Arc<String>,
    pub(super) tree: Tree,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// The last one used comes last.
#[derive(Debug, Default)]
pub(super) struct SyntaxTreeCache {
    kept: Vec<CachedFileTrees>,
    /// Somebody will come to take away what is not used any more.
    pub(super) is_eviction_running: bool,
}

#[derive(Debug)]
struct CachedFileTrees {
    path: PathBuf,
    /// The last one used comes last.
    parsed: Vec<ParsedDocument>,
    used: Instant,
}

impl CachedFileTrees {
    fn bytes(&self) -> usize {
        self.parsed.iter().map(|parsed| parsed.text.len()).max().unwrap_or_default()
    }
}

impl SyntaxTreeCache {
    /// That of this text, or the one to begin with.
    pub(super) fn get(&self, path: &Path, text: &Arc<String>) -> Option<&ParsedDocument> {
        let kept = &self.kept.iter().find(|kept| kept.path == path)?.parsed;
        kept.iter().find(|parsed| parsed.text == *text).or(kept.last())
    }

    pub(super) fn put(&mut self, path: PathBuf, parsed: ParsedDocument) {
        let at = self.kept.iter().position(|kept| kept.path == path);
        let mut all = at.map(|at| self.kept.remove(at).parsed).unwrap_or_default();
        all.retain(|other| other.text != parsed.text);
        all.push(parsed);
        all.drain(..all.len().saturating_sub(TEXTS));
        self.kept.push(CachedFileTrees { path, parsed: all, used: Instant::now() });
        while self.kept.len() > FILES || self.kept.iter().map(CachedFileTrees::bytes).sum::<usize>() > BYTES {
            self.kept.remove(0);
        }
    }

    /// Without those that were last used before; whether there are others.
    pub(super) fn evict_older(&mut self, before: Instant) -> bool {
        self.kept.retain(|kept| kept.used >= before);
        !self.kept.is_empty()
    }

    #[cfg(test)]
    pub(super) fn paths(&self) -> Vec<&Path> {
        self.kept.iter().map(|kept| kept.path.as_path()).collect()
    }
}
