//! The outlines of files, by their syntax trees: which definition is around a place, and what has a name.
//!
//! The cache is bounded. An outline belongs to one text: another text of the file is parsed anew.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use copydesk_syntax::grammar::{self, Grammar};
use copydesk_syntax::outline::{OutlineSymbol, has_overloads, outline};
use copydesk_syntax::tree_cache::SyntaxTrees;
use copydesk_syntax::{name_uses, parse};
use lsp_types::SymbolKind;

use crate::symbol_name::{SymbolQuery, words_of};
use crate::time_limits::PARSE_TIMEOUT;

/// Larger files are generated.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// The cap on outlines that are kept.
const MAX_OUTLINES: usize = 256;
/// The cap on the symbols of all of them together: about 10 MB.
const MAX_SYMBOLS: usize = 100_000;

/// The cap on the texts of all of them together.
const MAX_KEPT_BYTES: usize = 16 << 20;
/// The cap on the words around a name.
const MAX_PATH_WORDS: usize = 16;

/// Whether the outline of a file can be known.
pub fn has_outline(path: &Path) -> bool {
    grammar::grammar_for(path).is_some_and(copydesk_syntax::outline::has_definitions)
}

/// The definitions in one text.
#[derive(Debug)]
pub(crate) struct FileOutline {
    pub(crate) symbols: Vec<OutlineSymbol>,
    /// The words of each symbol's name, after those around it.
    paths: Vec<Vec<String>>,
    has_overloads: bool,
}

impl FileOutline {
    fn new(symbols: Vec<OutlineSymbol>, grammar: &Grammar) -> Self {
        let mut paths: Vec<Vec<String>> = Vec::with_capacity(symbols.len());
        for symbol in &symbols {
            let above: &[String] = symbol.parent.and_then(|at| paths.get(at)).map_or(&[], Vec::as_slice);
            // Generated code may be nested without end.
            let above = above.get(above.len().saturating_sub(MAX_PATH_WORDS)..).unwrap_or_default();
            let own = Some(words_of(&symbol.name)).filter(|words| !words.is_empty());
            // An operator has no word: `==`.
            let own = own.unwrap_or_else(|| vec![symbol.name.clone()]);
            paths.push(above.iter().cloned().chain(own).collect());
        }
        Self { symbols, paths, has_overloads: has_overloads(grammar) }
    }

    /// The innermost definition around a place: no variable, no field, and not the definition whose name it is.
    pub(crate) fn around(&self, offset: usize) -> Option<usize> {
        let is_around = |symbol: &OutlineSymbol| {
            symbol.range.contains(&offset) && !symbol.name_range.contains(&offset) && is_scope(symbol.kind)
        };
        // Those behind begin later, so the last one is the innermost.
        let behind = self.symbols.partition_point(|symbol| symbol.range.start <= offset);
        let mut before = (0..behind).rev();
        before.find(|at| self.symbols.get(*at).is_some_and(is_around))
    }

    /// The definitions with a name, in text order.
    pub(crate) fn named(&self, query: &SymbolQuery) -> Vec<usize> {
        let fitting = |fits: &dyn Fn(&[String]) -> bool| -> Vec<usize> {
            self.paths.iter().enumerate().filter(|(_, path)| fits(path)).map(|(at, _)| at).collect()
        };
        let exact = fitting(&|path| query.fits(path));
        // An implementation has the name of its type.
        let is_implementation =
            |at: &usize| self.symbols.get(*at).is_some_and(|symbol| symbol.kind == SymbolKind::Object);
        let without: Vec<_> = exact.iter().copied().filter(|at| !is_implementation(at)).collect();
        let found = if without.is_empty() { exact } else { without };
        match query.ordinal {
            Some(ordinal) => found.get(ordinal - 1).copied().into_iter().collect(),
            None => found,
        }
    }

    /// The same, with the overloads of one function, or the accessors of one property, as one: the last of them, which has
    /// the body.
    pub(crate) fn named_once(&self, query: &SymbolQuery) -> Vec<usize> {
        let mut found = self.named(query);
        if query.ordinal.is_none() {
            found.retain(|at| self.next_overload(*at).is_none());
        }
        found
    }

    /// The definition with those directly above and below that it is one function with.
    pub(crate) fn overloads_of(&self, at: usize) -> Vec<usize> {
        let mut found = vec![at];
        while let Some(next) = found.last().and_then(|last| self.next_overload(*last)) {
            found.push(next);
        }
        for before in (0..at).rev() {
            if self.next_overload(before) == found.first().copied() {
                found.insert(0, before);
            }
        }
        found
    }

    /// The next definition beside this one, if both are one function.
    fn next_overload(&self, at: usize) -> Option<usize> {
        let symbol = self.symbols.get(at).filter(|_| self.has_overloads)?;
        let behind = self.symbols.get(at + 1..)?;
        let next = behind.iter().position(|other| other.range.start >= symbol.range.end)?;
        let is_function = |kind| matches!(kind, SymbolKind::Function | SymbolKind::Method);
        let is_overload = |other: &&OutlineSymbol| {
            other.parent == symbol.parent
                && other.name == symbol.name
                && is_function(symbol.kind)
                && is_function(other.kind)
        };
        behind.get(next).filter(is_overload).map(|_| at + 1 + next)
    }

    /// The name with the names around it: `Square.area`.
    pub(crate) fn path_of(&self, at: usize) -> String {
        self.paths.get(at).map(|words| words.join(".")).unwrap_or_default()
    }

    /// Every path, for suggestions.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &[String]> {
        self.paths.iter().map(Vec::as_slice)
    }
}

fn is_scope(kind: SymbolKind) -> bool {
    !matches!(
        kind,
        SymbolKind::Variable
            | SymbolKind::Constant
            | SymbolKind::Field
            | SymbolKind::Property
            | SymbolKind::EnumMember
            | SymbolKind::TypeParameter
    )
}

/// Clones share the cache.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileOutlines {
    /// Ordered by use, the latest last.
    kept: Arc<Mutex<VecDeque<KeptOutline>>>,
    trees: SyntaxTrees,
}

#[derive(Debug)]
struct KeptOutline {
    path: PathBuf,
    text: Arc<String>,
    outline: Arc<FileOutline>,
}

impl FileOutlines {
    /// `trees` may have the text parsed already.
    pub(crate) fn new(trees: SyntaxTrees) -> Self {
        Self { kept: Arc::default(), trees }
    }

    /// `None` if there is no grammar for the file, or it is too large. May take a while.
    pub(crate) fn get(&self, path: &Path, text: &Arc<String>) -> Option<Arc<FileOutline>> {
        let grammar = grammar::grammar_for(path)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = kept.iter().position(|one| one.path == path && one.text == *text) {
            let one = kept.remove(at)?;
            let outline = Arc::clone(&one.outline);
            kept.push_back(one);
            return Some(outline);
        }
        drop(kept);
        if text.len() > MAX_TEXT_BYTES {
            return None;
        }
        let tree = self.trees.parse_unkept(grammar, path, text, Instant::now() + PARSE_TIMEOUT)?;
        let outline = Arc::new(FileOutline::new(outline(grammar, &tree, text), grammar));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|one| one.path != path);
        kept.push_back(KeptOutline {
            path: path.to_owned(),
            text: Arc::clone(text),
            outline: Arc::clone(&outline),
        });
        let symbols =
            |kept: &VecDeque<KeptOutline>| kept.iter().map(|one| one.outline.symbols.len()).sum::<usize>();
        let bytes = |kept: &VecDeque<KeptOutline>| kept.iter().map(|one| one.text.len()).sum::<usize>();
        while kept.len() > 1 && bytes(&kept) > MAX_KEPT_BYTES
            || kept.len() > MAX_OUTLINES
            || kept.len() > 1 && symbols(&kept) > MAX_SYMBOLS
        {
            kept.pop_front();
        }
        Some(outline)
    }
}

/// Where a name is used in a text. `None` if there is no grammar for it.
pub(crate) fn uses_in(path: &Path, text: &str, name: &str) -> Option<Vec<Range<usize>>> {
    Some(name_uses::name_uses(&parse_file(path, text)?, text, name))
}

/// The syntax tree of a text. `None` if there is no grammar for it, or it is too large.
pub(crate) fn parse_file(path: &Path, text: &str) -> Option<tree_sitter::Tree> {
    let grammar = grammar::grammar_for(path).filter(|_| text.len() <= MAX_TEXT_BYTES)?;
    parse::parse_tree(&(grammar.language)(), text, None, Instant::now() + PARSE_TIMEOUT)
}
