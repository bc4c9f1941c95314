//! What a question is answered with.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_text::Position;
use lsp_types::SymbolKind;

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePlace {
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The text that the range is in; empty if it may not be read.
    pub text: Arc<String>,
    /// In bytes.
    pub range: Range<usize>,
    /// What stands there, if it is a definition.
    pub symbol: Option<PlaceSymbol>,
    /// The definition around it: `Square.area`.
    pub container: Option<String>,
    /// How deep it is in an outline or in a tree of calls.
    pub depth: usize,
    /// More about it, in a few words: where a caller calls.
    pub remark: Option<String>,
}

/// The definition at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceSymbol {
    pub name: String,
    pub kind: SymbolKind,
    /// Its signature, or what the server says about it.
    pub detail: Option<String>,
    /// All of it, in bytes.
    pub range: Range<usize>,
}

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerBasis {
    /// A server, by its name.
    Server(String),
    /// Syntax trees: the name is right, but another thing may have the same one.
    Syntax,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NavigationAnswer {
    /// In the order of paths and texts, unless they form a tree.
    pub places: Vec<CodePlace>,
    /// A description, as Markdown.
    pub description: Option<String>,
    pub basis: AnswerBasis,
    /// Whole sentences: what was taken for the place, what is not known.
    pub notes: Vec<String>,
}

/// Why there is no answer. A whole sentence, with what can be done instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NavigationError(pub String);

impl NavigationError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Makes the places of one text. A file may have thousands, so its lines are counted once.
#[derive(Debug)]
pub(crate) struct TextPlaces<'a> {
    path: &'a Path,
    text: &'a Arc<String>,
    line_starts: Vec<usize>,
}

impl<'a> TextPlaces<'a> {
    pub(crate) fn new(path: &'a Path, text: &'a Arc<String>) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes());
        let line_starts = std::iter::once(0).chain(breaks.map(|at| at + 1)).collect();
        Self { path, text, line_starts }
    }

    pub(crate) fn place(&self, range: Range<usize>) -> CodePlace {
        let line = self.line_of(range.start);
        let start = self.line_starts.get(line - 1).copied().unwrap_or_default();
        let column = self.text.get(start..range.start).map_or(1, |before| before.chars().count() + 1);
        let (path, text) = (self.path.to_owned(), Arc::clone(self.text));
        CodePlace { path, line, column, text, range, symbol: None, container: None, depth: 0, remark: None }
    }

    /// From 1.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset)
    }
}

impl CodePlace {
    /// A place in a file that may not be read, such as one of a dependency.
    pub(crate) fn unread(path: PathBuf, at: Position) -> Self {
        let (line, column) = (at.line as usize + 1, at.character as usize + 1);
        let text = Arc::default();
        Self { path, line, column, text, range: 0..0, symbol: None, container: None, depth: 0, remark: None }
    }

    /// The line that it begins in.
    pub fn line_text(&self) -> &str {
        let start = line_start(&self.text, self.range.start);
        self.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default()
    }
}

/// From 1.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text.get(..offset).map_or(1, |before| memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1)
}

pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    text.get(..offset).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}
