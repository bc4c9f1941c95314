//! Caches syntax trees, so that after an edit only the changed part is parsed, and so that who asks for a text next finds it parsed. It
//! keeps the last two texts of each file, because an edit checks the text before and the one after in turn. The cache is bounded in
//! number, bytes and time, because a tree is about fifty times as large as its text. The tree of the text before shares most of
//! its nodes, and costs little more.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tree_sitter::Tree;

use crate::grammar::Grammar;
use crate::parse::{edit_tree, parse_tree};

const MAX_FILES: usize = 16;
/// The cap on the texts of each file.
const MAX_TEXTS: usize = 2;
/// The cap on all latest texts together.
const MAX_TEXT_BYTES: usize = 512 << 10;
/// How the parser reads a faulty text depends a little on the tree it started from. So that a text always has the same tree, one with
/// errors is parsed again from scratch, unless it is so large that this takes noticeable time.
const MAX_REPARSED_BYTES: usize = 64 << 10;

/// Clones share the trees.
#[derive(Debug, Clone, Default)]
pub struct SyntaxTrees {
    /// Ordered by use, the latest last.
    files: Arc<Mutex<Vec<CachedFileTrees>>>,
}

#[derive(Debug)]
struct CachedFileTrees {
    path: PathBuf,
    /// Ordered by use, the latest last.
    parsed: Vec<ParsedText>,
    used: Instant,
}

#[derive(Debug, Clone)]
struct ParsedText {
    grammar: &'static str,
    text: Arc<String>,
    tree: Tree,
}

impl CachedFileTrees {
    fn bytes(&self) -> usize {
        self.parsed.iter().map(|parsed| parsed.text.len()).max().unwrap_or_default()
    }
}

impl SyntaxTrees {
    /// The tree of a text, which is kept. `None` if the time ran out.
    pub fn parse(&self, grammar: &Grammar, path: &Path, text: &Arc<String>, until: Instant) -> Option<Tree> {
        let tree = self.parse_unkept(grammar, path, text, until)?;
        let parsed = ParsedText { grammar: grammar.name, text: Arc::clone(text), tree: tree.clone() };
        let mut files = self.lock();
        let at = files.iter().position(|file| file.path == path);
        let mut all = at.map(|at| files.remove(at).parsed).unwrap_or_default();
        all.retain(|other| other.text != parsed.text);
        all.push(parsed);
        all.drain(..all.len().saturating_sub(MAX_TEXTS));
        files.push(CachedFileTrees { path: path.to_owned(), parsed: all, used: Instant::now() });
        while files.len() > MAX_FILES
            || files.iter().map(CachedFileTrees::bytes).sum::<usize>() > MAX_TEXT_BYTES
        {
            files.remove(0);
        }
        Some(tree)
    }

    /// The same, but the tree is not kept.
    pub fn parse_unkept(
        &self,
        grammar: &Grammar,
        path: &Path,
        text: &Arc<String>,
        until: Instant,
    ) -> Option<Tree> {
        let earlier = self.nearest(path, text).filter(|earlier| earlier.grammar == grammar.name);
        if let Some(same) = earlier.as_ref().filter(|earlier| earlier.text == *text) {
            return Some(same.tree.clone());
        }
        let language = (grammar.language)();
        let old = earlier.and_then(|earlier| edit_tree(&earlier.tree, &earlier.text, text));
        let tree = parse_tree(&language, text, old.as_ref(), until)?;
        if old.is_some() && tree.root_node().has_error() && text.len() <= MAX_REPARSED_BYTES {
            return parse_tree(&language, text, None, until);
        }
        Some(tree)
    }

    /// Evicts trees that were last kept before this time. Returns whether any are left.
    pub fn evict_older(&self, before: Instant) -> bool {
        let mut files = self.lock();
        files.retain(|file| file.used >= before);
        !files.is_empty()
    }

    /// The tree of this text, else the latest one to start from.
    fn nearest(&self, path: &Path, text: &Arc<String>) -> Option<ParsedText> {
        let files = self.lock();
        let parsed = &files.iter().find(|file| file.path == path)?.parsed;
        parsed.iter().find(|parsed| parsed.text == *text).or(parsed.last()).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<CachedFileTrees>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::grammar::grammar_for;

    #[test]
    fn the_cache_is_bounded_in_files_texts_bytes_and_time() {
        let trees = SyntaxTrees::default();
        let parse = |path: &str, text: &str| {
            let until = Instant::now() + Duration::from_secs(60);
            let (path, text) = (Path::new(path), Arc::new(text.to_owned()));
            trees.parse(grammar_for(path).unwrap(), path, &text, until).unwrap();
        };
        let paths = || trees.lock().iter().map(|file| file.path.display().to_string()).collect::<Vec<_>>();
        for number in 0..26 {
            parse(&format!("/w/{number}.json"), "[1]");
        }
        assert_eq!((paths().len(), paths().last().unwrap().as_str()), (16, "/w/25.json"));
        let is_kept = |text: &str| {
            let text = Arc::new(text.to_owned());
            trees.nearest(Path::new("/w/25.json"), &text).is_some_and(|parsed| parsed.text == text)
        };
        parse("/w/25.json", "[2]");
        parse("/w/25.json", "[3]");
        assert_eq!(["[1]", "[2]", "[3]"].map(is_kept), [false, true, true]);
        parse("/w/large.json", &format!("[\"{}\"]", "x".repeat(MAX_TEXT_BYTES - 4)));
        assert_eq!(paths(), ["/w/large.json"]);
        let since = Instant::now();
        assert!(trees.evict_older(since - Duration::from_secs(60)));
        assert!(!trees.evict_older(since));
    }

    #[test]
    fn a_tree_that_is_only_asked_for_is_not_kept() {
        let (trees, path) = (SyntaxTrees::default(), Path::new("/w/a.json"));
        let text = Arc::new("[1]".to_owned());
        let until = Instant::now() + Duration::from_secs(60);
        assert!(trees.parse_unkept(grammar_for(path).unwrap(), path, &text, until).is_some());
        assert!(trees.lock().is_empty());
    }
}
