//! Finds the place that a question is about. Models miscount columns and lines, so a name counts for more than a number.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_syntax::name_uses::is_word_character;

use crate::answer::{NavigationError, line_of};
use crate::file_outlines::FileOutlines;
use crate::symbol_name::SymbolQuery;
use crate::workspace_names::{self, CandidateFiles, WorkspaceNames};

/// How many lines above and below the given one are searched for a name.
const NEAR_LINES: usize = 4;
/// How many candidates an error lists.
const MAX_CANDIDATES: usize = 10;

/// A place, as a model or a user names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceRequest {
    pub path: Option<PathBuf>,
    /// From 1.
    pub line: Option<usize>,
    /// From 1, in characters.
    pub column: Option<usize>,
    /// A name, `Type.method`, or a piece of the line.
    pub symbol: Option<String>,
}

/// The name that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundPlace {
    pub(crate) path: PathBuf,
    pub(crate) text: Arc<String>,
    /// Of the name, in bytes.
    pub(crate) range: Range<usize>,
    /// What was taken instead of what was asked for.
    pub(crate) notes: Vec<String>,
    /// Something else could have been meant. A question may be answered about it; nothing is changed.
    pub(crate) is_guess: bool,
}

impl FoundPlace {
    pub(crate) fn name(&self) -> &str {
        self.text.get(self.range.clone()).unwrap_or_default()
    }

    /// Refuses to change what may not be meant.
    pub(crate) fn require_exact(&self) -> Result<(), NavigationError> {
        if !self.is_guess {
            return Ok(());
        }
        let notes = self.notes.join(" ");
        Err(NavigationError::new(format!(
            "{notes} Nothing was changed; name the place by its line and its name."
        )))
    }
}

/// Finds the place. `candidates` are the files that may define the symbol, if no file is named. May take a while.
pub(crate) fn find(
    request: &PlaceRequest,
    names: &WorkspaceNames,
    outlines: &FileOutlines,
    candidates: &CandidateFiles,
) -> Result<FoundPlace, NavigationError> {
    let symbol = request.symbol.as_deref().map(str::trim).filter(|symbol| !symbol.is_empty());
    let Some(path) = &request.path else {
        let symbol = symbol.ok_or_else(|| {
            NavigationError::new("Say what to look for: a symbol, or filePath with line and character.")
        })?;
        return in_workspace(symbol, names, outlines, candidates);
    };
    let text = names.shown_text(path).ok_or_else(|| {
        NavigationError::new(format!("{} has no text that can be read.", names.shown(path)))
    })?;
    let file = FileSearch { path, text, names, outlines };
    match (request.line, symbol) {
        (Some(line), symbol) => file.at_line(line, request.column, symbol),
        (None, Some(symbol)) => file.by_symbol(symbol),
        (None, None) => Err(NavigationError::new(
            "Say which symbol of the file: its name in `symbol`, or `line` and `character`.",
        )),
    }
}

struct FileSearch<'a> {
    path: &'a Path,
    text: Arc<String>,
    names: &'a WorkspaceNames,
    outlines: &'a FileOutlines,
}

impl FileSearch<'_> {
    /// Of a qualified name, `M.setup`, the last word is meant.
    fn found(&self, range: Range<usize>, notes: Vec<String>) -> FoundPlace {
        let range = all_words(&self.text, &range).pop().unwrap_or(range);
        let (path, text) = (self.path.to_owned(), Arc::clone(&self.text));
        FoundPlace { path, text, range, notes, is_guess: false }
    }

    fn guessed(&self, range: Range<usize>, note: Option<String>) -> FoundPlace {
        let is_guess = note.is_some();
        FoundPlace { is_guess, ..self.found(range, note.into_iter().collect()) }
    }

    fn at_line(
        &self,
        line: usize,
        column: Option<usize>,
        symbol: Option<&str>,
    ) -> Result<FoundPlace, NavigationError> {
        let lines = line_ranges(&self.text);
        let count = lines.len();
        let Some(range) = line.checked_sub(1).and_then(|at| lines.get(at)).cloned() else {
            let shown = self.names.shown(self.path);
            return Err(NavigationError::new(format!("{shown} has no line {line}; it has {count}.")));
        };
        let Some(symbol) = symbol else { return self.at_column(line, range, column) };
        let query = SymbolQuery::parse(symbol);
        let word = query.as_ref().map_or(symbol, |query| query.last());
        // The given line, then those around it, the nearest first.
        let nearby = std::iter::once(line - 1).chain(
            (1..=NEAR_LINES).flat_map(|by| [(line - 1).checked_sub(by), Some(line - 1 + by)]).flatten(),
        );
        for at in nearby {
            let Some(range) = lines.get(at).cloned() else { continue };
            let hits = words_in(&self.text, &range, word);
            let ordinal = query.as_ref().and_then(|query| query.ordinal);
            let wanted =
                column.filter(|_| at == line - 1).map(|column| offset_of(&self.text, &range, column));
            let hit = match (ordinal, wanted) {
                (Some(ordinal), _) => hits.get(ordinal - 1),
                (None, Some(offset)) => hits.iter().min_by_key(|hit| distance(hit, offset)),
                (None, None) => hits.first(),
            };
            if let Some(hit) = hit {
                let note =
                    (at != line - 1).then(|| format!("Line {line} has no `{word}`; line {} does.", at + 1));
                return Ok(self.guessed(hit.clone(), note));
            }
        }
        self.by_symbol(symbol)
    }

    fn at_column(
        &self,
        line: usize,
        range: Range<usize>,
        column: Option<usize>,
    ) -> Result<FoundPlace, NavigationError> {
        let words = all_words(&self.text, &range);
        let shown = self.names.shown(self.path);
        let offset = match column {
            Some(column) => offset_of(&self.text, &range, column),
            None => {
                let outline = self.outlines.get(self.path, &self.text);
                let defined = outline.as_ref().and_then(|outline| {
                    outline.symbols.iter().find(|symbol| range.contains(&symbol.name_range.start))
                });
                match (defined, words.as_slice()) {
                    (Some(symbol), _) => symbol.name_range.end.saturating_sub(1),
                    (None, [only]) => only.start,
                    (None, _) => {
                        let names: Vec<_> =
                            words.iter().filter_map(|word| self.text.get(word.clone())).collect();
                        let names = names.join(", ");
                        return Err(NavigationError::new(format!(
                            "Say which name in line {line} of {shown}, in `symbol` or by `character`: {names}."
                        )));
                    }
                }
            }
        };
        let nearest = words.iter().min_by_key(|word| distance(word, offset));
        let Some(word) = nearest else {
            return Err(NavigationError::new(format!("Line {line} of {shown} has no name in it.")));
        };
        // The end of a name counts as on it.
        let note = (distance(word, offset) > 0).then(|| {
            let name = self.text.get(word.clone()).unwrap_or_default();
            let column = column.unwrap_or_default();
            format!("There is no name at {line}:{column}; `{name}` in the same line was taken.")
        });
        Ok(self.guessed(word.clone(), note))
    }

    fn by_symbol(&self, symbol: &str) -> Result<FoundPlace, NavigationError> {
        let shown = self.names.shown(self.path);
        let outline = self.outlines.get(self.path, &self.text);
        let query = SymbolQuery::parse(symbol);
        if let (Some(outline), Some(query)) = (&outline, &query) {
            match outline.named_once(query).as_slice() {
                [] => {}
                [one] => {
                    let symbol = outline.symbols.get(*one);
                    return symbol
                        .map(|symbol| self.found(symbol.name_range.clone(), Vec::new()))
                        .ok_or_else(|| NavigationError::new("The outline of the file changed meanwhile."));
                }
                several => {
                    let lines = several.iter().filter_map(|at| {
                        let symbol = outline.symbols.get(*at)?;
                        let line = line_of(&self.text, symbol.name_range.start);
                        Some(format!("  {shown}:{line} {}", workspace_names::signature(symbol, &self.text)))
                    });
                    return Err(ambiguous(symbol, lines.collect(), several.len()));
                }
            }
        }
        if let Some(found) = self.by_text(symbol) {
            return Ok(found);
        }
        let suggestions = outline.map(|outline| {
            let names: Vec<String> = outline.paths().map(|path| path.join(".")).collect();
            workspace_names::nearest(symbol, names)
        });
        let suggestions = workspace_names::suggestion_text(suggestions.unwrap_or_default());
        Err(NavigationError::new(format!("{shown} has no `{symbol}`.{suggestions}")))
    }

    /// A name that is used and not defined here, or a piece of a line that is there once.
    fn by_text(&self, symbol: &str) -> Option<FoundPlace> {
        let query = SymbolQuery::parse(symbol)?;
        let pieces = self.text.match_indices(symbol).map(|(at, piece)| at..at + piece.len());
        let mut pieces = pieces.filter(|piece| has_word_edges(&self.text, piece));
        if let (Some(piece), None) = (pieces.next(), pieces.next()) {
            let word = words_in(&self.text, &piece, query.last()).into_iter().next()?;
            return Some(self.found(word, Vec::new()));
        }
        // A path that is not there is not guessed by its last word.
        if query.words.len() > 1 {
            return None;
        }
        let all = words_in(&self.text, &(0..self.text.len()), query.last());
        let hit = all.get(query.ordinal.unwrap_or(1) - 1)?;
        let line = line_of(&self.text, hit.start);
        let note =
            format!("`{symbol}` is not defined in this file; its first use, in line {line}, was taken.");
        // A name that stands there once, or is counted, is meant.
        let is_guess = all.len() > 1 && query.ordinal.is_none();
        Some(FoundPlace { is_guess, ..self.found(hit.clone(), vec![note]) })
    }
}

fn in_workspace(
    symbol: &str,
    names: &WorkspaceNames,
    outlines: &FileOutlines,
    candidates: &CandidateFiles,
) -> Result<FoundPlace, NavigationError> {
    let query = SymbolQuery::parse(symbol)
        .ok_or_else(|| NavigationError::new(format!("`{symbol}` is no name of a symbol.")))?;
    let found = names.definitions(&query, candidates, outlines);
    let is_cut = found.is_cut;
    match found.definitions.as_slice() {
        [one] => {
            let note = "Not all files were searched, so there may be another one of that name.";
            let range = all_words(&one.text, &one.range).pop().unwrap_or(one.range.clone());
            let notes = is_cut.then(|| note.to_owned()).into_iter().collect();
            let (path, text) = (one.path.clone(), Arc::clone(&one.text));
            Ok(FoundPlace { path, text, range, notes, is_guess: false })
        }
        [] if is_cut => Err(NavigationError::new(format!(
            "Not all files of the workspace could be searched for `{symbol}`. Name its file in filePath."
        ))),
        [] => {
            let suggestions = workspace_names::suggestion_text(found.suggestions);
            Err(NavigationError::new(format!("No file of the workspace defines `{symbol}`.{suggestions}")))
        }
        several => {
            let lines = several.iter().map(|place| {
                let detail =
                    place.symbol.as_ref().and_then(|symbol| symbol.detail.clone()).unwrap_or_default();
                format!("  {}:{} {detail}", names.shown(&place.path), place.line)
            });
            Err(ambiguous(symbol, lines.collect(), several.len()))
        }
    }
}

// `offline/advice.rs` looks for "is defined" and ". Name one by ".
fn ambiguous(symbol: &str, lines: Vec<String>, count: usize) -> NavigationError {
    let shown = lines.into_iter().take(MAX_CANDIDATES).collect::<Vec<_>>().join("\n");
    let more = count.checked_sub(MAX_CANDIDATES).filter(|more| *more > 0);
    let more = more.map(|more| format!("\n  and {more} more")).unwrap_or_default();
    NavigationError::new(format!(
        "`{symbol}` is defined {count} times. Name one by filePath and line, or by more of its path (`Type.method`):\n{shown}{more}"
    ))
}

/// The bytes of each line, without its end.
fn line_ranges(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        lines.push(start..start + bare.len());
        start += line.len();
    }
    lines
}

/// The byte at a column, counted from 1 in characters.
fn offset_of(text: &str, line: &Range<usize>, column: usize) -> usize {
    let bytes = text.get(line.clone()).unwrap_or_default();
    let before: usize = bytes.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
    line.start + before
}

/// How many bytes a place is away from a word. Both ends count as on it.
fn distance(word: &Range<usize>, offset: usize) -> usize {
    word.start.saturating_sub(offset).max(offset.saturating_sub(word.end))
}

/// The words that begin with a letter, within a range.
fn all_words(text: &str, range: &Range<usize>) -> Vec<Range<usize>> {
    let piece = text.get(range.clone()).unwrap_or_default();
    let mut words = Vec::new();
    let mut start = None;
    for (at, character) in piece.char_indices().chain(std::iter::once((piece.len(), ' '))) {
        match (is_word_character(character), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let is_number =
                    piece.get(from..).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
                if !is_number {
                    words.push(range.start + from..range.start + at);
                }
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Whether a piece of a text does not begin or end inside a word.
fn has_word_edges(text: &str, piece: &Range<usize>) -> bool {
    let inside = text.get(piece.clone()).unwrap_or_default();
    let before = text.get(..piece.start).and_then(|text| text.chars().next_back());
    let after = text.get(piece.end..).and_then(|text| text.chars().next());
    let is_split = |one: Option<char>, other: Option<char>| {
        one.is_some_and(is_word_character) && other.is_some_and(is_word_character)
    };
    !is_split(before, inside.chars().next()) && !is_split(inside.chars().next_back(), after)
}

/// Where a whole word stands within a range.
fn words_in(text: &str, range: &Range<usize>, word: &str) -> Vec<Range<usize>> {
    let is_word = |found: &Range<usize>| text.get(found.clone()) == Some(word);
    all_words(text, range).into_iter().filter(is_word).collect()
}
