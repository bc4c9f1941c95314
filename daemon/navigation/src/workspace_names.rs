//! Names in the files of the workspace, by search and syntax trees: what defines a name, and where it is used.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use copydesk_servers::{CheckedDocument, DocumentProvider};
use copydesk_syntax::outline::OutlineSymbol;
use copydesk_workspace::search::{CaseSensitivity, GrepRequest, SearchDeadline, grep};
use lsp_types::SymbolKind;
use tokio_util::sync::CancellationToken;

use crate::answer::{CodePlace, PlaceSymbol, TextPlaces};
use crate::file_outlines::{FileOutlines, uses_in};
use crate::symbol_name::SymbolQuery;
use crate::time_limits::SEARCH_TIMEOUT;

/// The cap on the lines that a search for a name looks at.
const MAX_LINES: usize = 20_000;
/// The cap on the files that are parsed for one question.
const MAX_PARSED_FILES: usize = 500;
/// The cap on the uses of a name.
const MAX_USES: usize = 10_000;
/// The cap on the letters of a signature.
const MAX_SIGNATURE: usize = 200;
/// How many similar names an error suggests.
const MAX_SUGGESTIONS: usize = 5;
/// Less similar names are no help.
const MIN_SIMILARITY: f64 = 0.6;

/// The files of a workspace. Clones share them.
#[derive(Clone)]
pub(crate) struct WorkspaceNames {
    pub(crate) texts: Arc<dyn DocumentProvider>,
    /// Canonical.
    pub(crate) root: PathBuf,
}

/// Files that may contain a name.
#[derive(Debug, Default)]
pub(crate) struct CandidateFiles {
    pub(crate) paths: Vec<PathBuf>,
    /// Some files were not looked at.
    pub(crate) is_cut: bool,
}

impl CandidateFiles {
    pub(crate) fn into_paths(self) -> impl Iterator<Item = PathBuf> {
        self.paths.into_iter()
    }
}

#[derive(Debug, Default)]
pub(crate) struct NamedDefinitions {
    /// In the order of paths and texts.
    pub(crate) definitions: Vec<CodePlace>,
    /// Names that differ in case only, if there is no definition.
    pub(crate) suggestions: Vec<String>,
    /// Some files were not looked at.
    pub(crate) is_cut: bool,
}

/// No files.
struct NoFiles;

impl DocumentProvider for NoFiles {
    fn document(&self, _path: &Path) -> Option<CheckedDocument> {
        None
    }

    fn differs_from_disk(&self, _path: &Path) -> bool {
        false
    }
}

impl Default for WorkspaceNames {
    fn default() -> Self {
        Self { texts: Arc::new(NoFiles), root: PathBuf::new() }
    }
}

impl WorkspaceNames {
    pub(crate) fn text(&self, path: &Path) -> Option<Arc<String>> {
        self.texts.document(path).map(|document| document.text)
    }

    /// What may be shown of a file: also the source of installed libraries, which is not changed.
    pub(crate) fn shown_text(&self, path: &Path) -> Option<Arc<String>> {
        self.text(path).or_else(|| self.texts.library_text(path))
    }

    /// Whether a file is in the workspace, and its text may not be read.
    pub(crate) fn is_withheld(&self, path: &Path) -> bool {
        path.starts_with(&self.root) && path.exists() && self.text(path).is_none()
    }

    /// The path relative to the workspace.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// The files that contain a word, in any case.
    pub(crate) async fn files_with(&self, word: &str, cancel: &CancellationToken) -> CandidateFiles {
        let request = GrepRequest {
            root: self.root.clone(),
            regex: word_pattern(word),
            case: CaseSensitivity::Insensitive,
            include: Vec::new(),
            hidden: false,
            limit: MAX_LINES,
            excluded_paths: HashSet::new(),
            view: self.texts.search_view(),
        };
        let until = SearchDeadline { cancel: cancel.clone(), timeout: SEARCH_TIMEOUT };
        let Ok(found) = grep(request, until).await else {
            return CandidateFiles { paths: Vec::new(), is_cut: true };
        };
        let paths: BTreeSet<_> = found.matches.into_iter().map(|line| line.path).collect();
        let is_cut = found.has_more || found.is_timed_out || paths.len() > MAX_PARSED_FILES;
        CandidateFiles { paths: paths.into_iter().take(MAX_PARSED_FILES).collect(), is_cut }
    }

    /// The definitions with a name. Parses the candidates, which may take a while.
    pub(crate) fn definitions(
        &self,
        query: &SymbolQuery,
        candidates: &CandidateFiles,
        outlines: &FileOutlines,
    ) -> NamedDefinitions {
        let mut found = NamedDefinitions { is_cut: candidates.is_cut, ..NamedDefinitions::default() };
        let until = Instant::now() + SEARCH_TIMEOUT;
        let all = SymbolQuery { ordinal: None, ..query.clone() };
        for path in &candidates.paths {
            if Instant::now() >= until {
                found.is_cut = true;
                break;
            }
            let Some(text) = self.text(path) else { continue };
            let Some(outline) = outlines.get(path, &text) else { continue };
            let places = TextPlaces::new(path, &text);
            // An ordinal counts every one.
            let named = if query.ordinal.is_some() { outline.named(&all) } else { outline.named_once(query) };
            for at in named {
                let Some(symbol) = outline.symbols.get(at) else { continue };
                let container = outline.symbols.get(at).and_then(|symbol| symbol.parent);
                found.definitions.push(CodePlace {
                    symbol: Some(place_symbol(symbol, &text)),
                    container: container.map(|at| outline.path_of(at)),
                    ..places.place(symbol.name_range.clone())
                });
            }
            let similar = outline.paths().filter(|path| query.fits_in_any_case(path));
            found.suggestions.extend(similar.map(|path| path.join(".")));
        }
        found.suggestions.sort();
        found.suggestions.dedup();
        keep_main_definitions(&mut found.definitions);
        if let Some(ordinal) = query.ordinal {
            found.definitions = found.definitions.into_iter().skip(ordinal - 1).take(1).collect();
        }
        found
    }

    /// Where a name stands as code. Parses the candidates, which may take a while.
    pub(crate) fn uses(&self, name: &str, candidates: &CandidateFiles) -> Vec<CodePlace> {
        let mut found = Vec::new();
        let until = Instant::now() + SEARCH_TIMEOUT;
        for path in candidates.paths.iter().take_while(|_| Instant::now() < until) {
            let Some(text) = self.text(path).filter(|text| text.contains(name)) else { continue };
            let places = TextPlaces::new(path, &text);
            for range in uses_in(path, &text, name).unwrap_or_default() {
                if found.len() >= MAX_USES {
                    return found;
                }
                found.push(places.place(range));
            }
        }
        found
    }
}

/// Drops what only belongs to another definition of the list: implementations of a type, constructors of a class, prototypes of C.
fn keep_main_definitions(found: &mut Vec<CodePlace>) {
    let kind = |place: &CodePlace| place.symbol.as_ref().map(|symbol| symbol.kind);
    let is_type = |place: &CodePlace| {
        !matches!(kind(place), Some(SymbolKind::Object | SymbolKind::Constructor | SymbolKind::Method))
    };
    let is_own = |place: &CodePlace| {
        let is_constructor = place.symbol.as_ref().is_some_and(|symbol| {
            let around = place.container.as_deref().and_then(|path| path.rsplit('.').next());
            symbol.kind == SymbolKind::Constructor || around == Some(symbol.name.as_str())
        });
        kind(place) != Some(SymbolKind::Object) && !is_constructor
    };
    if found.iter().any(is_type) {
        found.retain(is_own);
    }
    let is_prototype = |place: &CodePlace| {
        let is_c = place.path.extension().is_some_and(|extension| {
            ["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"].iter().any(|name| extension == *name)
        });
        let symbol = place.symbol.as_ref().filter(|_| is_c);
        symbol.is_some_and(|symbol| {
            place.text.get(symbol.range.clone()).is_some_and(|text| text.ends_with(';'))
        })
    };
    if found.iter().any(|place| !is_prototype(place)) {
        found.retain(|place| !is_prototype(place));
    }
}

/// The expression that matches a whole word.
fn word_pattern(word: &str) -> String {
    let edge = |character: Option<char>| {
        if character.is_some_and(|character| character.is_alphanumeric() || character == '_') {
            "\\b"
        } else {
            ""
        }
    };
    format!("{}{}{}", edge(word.chars().next()), escape(word), edge(word.chars().next_back()))
}

fn escape(word: &str) -> String {
    let mut escaped = String::with_capacity(word.len());
    for character in word.chars() {
        if !character.is_alphanumeric() && character != '_' {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

pub(crate) fn place_symbol(symbol: &OutlineSymbol, text: &str) -> PlaceSymbol {
    PlaceSymbol {
        name: symbol.name.clone(),
        kind: symbol.kind,
        detail: Some(signature(symbol, text)),
        range: symbol.range.clone(),
    }
}

/// The signature of a definition, in one line.
pub(crate) fn signature(symbol: &OutlineSymbol, text: &str) -> String {
    let written = text.get(symbol.signature.clone()).unwrap_or_default();
    let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = line.trim_end_matches(['{', ':', '=', ' ']);
    if bare.chars().count() > MAX_SIGNATURE {
        return bare.chars().take(MAX_SIGNATURE).chain(std::iter::once('…')).collect();
    }
    bare.to_owned()
}

/// The names that are most like this one.
pub(crate) fn nearest(name: &str, names: Vec<String>) -> Vec<String> {
    let wanted = name.to_lowercase();
    let similarity = |name: &String| {
        let last = name.rsplit('.').next().unwrap_or(name).to_lowercase();
        strsim::jaro_winkler(&wanted, &name.to_lowercase()).max(strsim::jaro_winkler(&wanted, &last))
    };
    let mut ranked: Vec<_> = names.into_iter().map(|name| (similarity(&name), name)).collect();
    ranked.retain(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ranked.dedup_by(|a, b| a.1 == b.1);
    ranked.into_iter().map(|(_, name)| name).take(MAX_SUGGESTIONS).collect()
}

/// A sentence to append: ` Did you mean …?`
pub(crate) fn suggestion_text(names: Vec<String>) -> String {
    let names: Vec<_> = names.into_iter().take(MAX_SUGGESTIONS).map(|name| format!("`{name}`")).collect();
    if names.is_empty() { String::new() } else { format!(" Did you mean {}?", names.join(", ")) }
}
