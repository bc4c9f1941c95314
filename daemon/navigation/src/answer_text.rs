//! Answers as a model reads them: the total first, then the places, by file, each with the text of its line. Nothing has to be read
//! again to know what stands there.

use std::fmt::Write as _;
use std::path::Path;

use lsp_types::SymbolKind;

use crate::answer::{AnswerBasis, CodePlace, NavigationAnswer, line_start};
use crate::navigator::NavigationOperation;

/// How many places one answer shows.
const PAGE: usize = 50;
/// How many lines of an outline.
const OUTLINE_PAGE: usize = 400;
/// The cap on the letters of a line.
const MAX_LINE: usize = 200;
/// The cap on the letters of a line of a body.
const MAX_BODY_LINE: usize = 2000;
/// The cap on the lines of a body.
const MAX_BODY_LINES: usize = 200;

/// How an answer is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerOptions {
    /// The first place to show, from 0.
    pub offset: usize,
    /// Whether definitions are shown with their bodies.
    pub body: bool,
}

impl NavigationAnswer {
    /// The answer for the model. Paths are relative to `root`.
    pub fn text(&self, operation: NavigationOperation, root: &Path, options: AnswerOptions) -> String {
        let mut text = String::new();
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        if let Some(description) = &self.description {
            let _ = write!(text, "{description}\n\n({})", self.basis_text());
            return text;
        }
        let is_outline = operation == NavigationOperation::DocumentSymbols;
        let page = if is_outline { OUTLINE_PAGE } else { PAGE };
        let _ = writeln!(text, "{}", self.summary(operation, options.offset, page));
        let shown = self.places.iter().skip(options.offset).take(page);
        let writer = PlaceWriter { root, body: options.body };
        match operation {
            NavigationOperation::DocumentSymbols => {
                shown.for_each(|place| writer.outline_line(place, &mut text));
            }
            NavigationOperation::References => writer.by_file(shown, &mut text),
            NavigationOperation::IncomingCalls if self.basis == AnswerBasis::Syntax => {
                writer.by_file(shown, &mut text);
            }
            _ => shown.for_each(|place| writer.definition(place, &mut text)),
        }
        text.trim_end().to_owned()
    }

    fn basis_text(&self) -> String {
        match &self.basis {
            AnswerBasis::Server(name) => format!("by {name}"),
            AnswerBasis::Syntax => "by syntax, likely".to_owned(),
        }
    }

    fn summary(&self, operation: NavigationOperation, offset: usize, page: usize) -> String {
        let (one, many) = noun(operation);
        let count = self.places.len();
        let basis = match (&self.basis, operation) {
            (AnswerBasis::Syntax, NavigationOperation::DocumentSymbols) => "by syntax".to_owned(),
            _ => self.basis_text(),
        };
        if count == 0 {
            return format!("No {many} ({basis}).");
        }
        let mut files: Vec<_> = self.places.iter().map(|place| &place.path).collect();
        files.sort();
        files.dedup();
        let noun = if count == 1 { one } else { many };
        let files = if files.len() > 1 { format!(" in {} files", files.len()) } else { String::new() };
        let last = offset.saturating_add(page).min(count);
        let part = match (offset, last) {
            (0, last) if last == count => String::new(),
            (offset, _) if offset >= count => "; none are left at this offset".to_owned(),
            (offset, last) if last == count => format!("; {}-{last} shown", offset + 1),
            (offset, last) => format!("; {}-{last} shown, the next with offset {last}", offset + 1),
        };
        format!("{count} {noun}{files} ({basis}){part}:")
    }
}

fn noun(operation: NavigationOperation) -> (&'static str, &'static str) {
    match operation {
        NavigationOperation::Definition => ("definition", "definitions"),
        NavigationOperation::Declaration => ("declaration", "declarations"),
        NavigationOperation::TypeDefinition => ("type", "types"),
        NavigationOperation::Implementation => ("implementation", "implementations"),
        NavigationOperation::References => ("reference", "references"),
        NavigationOperation::Hover => ("description", "descriptions"),
        NavigationOperation::DocumentSymbols
        | NavigationOperation::WorkspaceSymbols
        | NavigationOperation::PrepareCallHierarchy => ("symbol", "symbols"),
        NavigationOperation::IncomingCalls => ("caller", "callers"),
        NavigationOperation::OutgoingCalls => ("callee", "callees"),
        NavigationOperation::Supertypes => ("supertype", "supertypes"),
        NavigationOperation::Subtypes => ("subtype", "subtypes"),
    }
}

struct PlaceWriter<'a> {
    root: &'a Path,
    body: bool,
}

impl PlaceWriter<'_> {
    fn path(&self, place: &CodePlace) -> String {
        place.path.strip_prefix(self.root).unwrap_or(&place.path).display().to_string()
    }

    /// Groups places by file, and by the definition around them.
    fn by_file<'p>(&self, places: impl Iterator<Item = &'p CodePlace>, text: &mut String) {
        let (mut path, mut container, mut line) = (None, None, None);
        for place in places {
            if path != Some(&place.path) {
                let _ = writeln!(text, "\n{}", self.path(place));
                (path, container, line) = (Some(&place.path), None, None);
            }
            if container != Some(&place.container) {
                if let Some(name) = &place.container {
                    let _ = writeln!(text, "  in {name}:");
                } else if container.is_some() {
                    let _ = writeln!(text, "  outside of any definition:");
                }
                container = Some(&place.container);
            }
            // Two in a line are shown once.
            if line != Some(place.line) {
                let _ = writeln!(text, "    {}: {}", place.line, short(place.line_text().trim()));
            }
            line = Some(place.line);
        }
    }

    fn outline_line(&self, place: &CodePlace, text: &mut String) {
        let Some(symbol) = &place.symbol else { return };
        let indent = place.depth * 2;
        let detail = symbol.detail.as_deref().filter(|detail| !detail.is_empty()).unwrap_or(&symbol.name);
        let rest = place.text.get(place.range.start..symbol.range.end);
        let last = place.line + rest.map_or(0, |rest| rest.matches('\n').count());
        let lines = if last > place.line { format!("{}-{last}", place.line) } else { place.line.to_string() };
        let _ = writeln!(text, "{:indent$}{lines}: {}", "", short(detail));
    }

    /// A definition with what stands above it, and its body if asked for.
    fn definition(&self, place: &CodePlace, text: &mut String) {
        let indent = place.depth * 2;
        let container = place.container.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
        let remark = place.remark.as_ref().map(|remark| format!(" ({remark})")).unwrap_or_default();
        let kind =
            place.symbol.as_ref().map(|symbol| format!(" {}", kind_name(symbol.kind))).unwrap_or_default();
        let _ = writeln!(text, "{:indent$}{}:{}{kind}{container}{remark}", "", self.path(place), place.line);
        match &place.symbol {
            Some(symbol) if self.body => {
                // From the beginning of its line, so that its lines stay below each other.
                let start = line_start(&place.text, symbol.range.start);
                let body = place.text.get(start..symbol.range.end).unwrap_or_default();
                let indent = body.len() - body.trim_start_matches([' ', '\t']).len();
                for line in body.lines().take(MAX_BODY_LINES) {
                    let bare = line.get(..indent).filter(|blank| blank.trim().is_empty());
                    let line = bare.and_then(|_| line.get(indent..)).unwrap_or(line);
                    let _ = writeln!(text, "    {}", cut(line, MAX_BODY_LINE));
                }
                let more = body.lines().count().saturating_sub(MAX_BODY_LINES);
                if more > 0 {
                    let _ = writeln!(text, "    … {more} more lines");
                }
            }
            // A module's detail is its path.
            Some(symbol)
                if matches!(symbol.kind, SymbolKind::Module | SymbolKind::File) && place.range.is_empty() =>
            {
                let _ = writeln!(text, "{:indent$}    all of the file", "");
            }
            Some(symbol) => {
                let documentation =
                    documentation(place, symbol.range.start).or_else(|| docstring(place, symbol.range.end));
                let signature =
                    symbol.detail.as_deref().filter(|detail| !detail.is_empty()).unwrap_or(&symbol.name);
                let _ = writeln!(text, "{:indent$}    {}", "", short(signature));
                if let Some(documentation) =
                    documentation.filter(|_| place.depth == 0 && place.remark.is_none())
                {
                    let _ = writeln!(text, "{:indent$}    {}", "", short(&documentation));
                }
            }
            None => {
                let line = place.line_text().trim();
                if !line.is_empty() {
                    let _ = writeln!(text, "{:indent$}    {}", "", short(line));
                }
            }
        }
    }
}

/// The first paragraph of the comment above a definition, in one line.
fn documentation(place: &CodePlace, start: usize) -> Option<String> {
    let above = place.text.get(start..place.range.start)?;
    let mut words = Vec::new();
    for line in above.lines() {
        let line = line.trim().trim_end_matches("*/").trim_end();
        let comment =
            ["///", "//!", "//", "/**", "/*", "#", "--", "*"].iter().find_map(|mark| line.strip_prefix(mark));
        let Some(comment) = comment.filter(|_| !line.starts_with("#[")) else {
            if words.is_empty() && !line.is_empty() {
                continue;
            }
            break;
        };
        let comment = comment.trim();
        if comment.is_empty() && !words.is_empty() {
            break;
        }
        words.extend(comment.split_whitespace());
    }
    (!words.is_empty()).then(|| words.join(" "))
}

/// The first paragraph of the string at the beginning of a Python body, in one line.
fn docstring(place: &CodePlace, end: usize) -> Option<String> {
    let behind = place.text.get(place.range.end..end)?;
    let (_, body) = behind.split_once(":\n").or_else(|| behind.split_once(":\r\n"))?;
    let body = body.trim_start().trim_start_matches(['r', 'u']);
    let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| body.starts_with(quotes))?;
    let text = body.get(quotes.len()..)?.split(quotes).next()?;
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let words = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

fn short(line: &str) -> String {
    cut(line, MAX_LINE)
}

fn cut(line: &str, most: usize) -> String {
    if line.chars().nth(most).is_none() {
        return line.to_owned();
    }
    line.chars().take(most).chain(std::iter::once('…')).collect()
}

fn kind_name(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Class => "class",
        SymbolKind::Method => "method",
        SymbolKind::Property => "property",
        SymbolKind::Field => "field",
        SymbolKind::Constructor => "constructor",
        SymbolKind::Enum => "enum",
        SymbolKind::Interface => "interface",
        SymbolKind::Function => "function",
        SymbolKind::Variable => "variable",
        SymbolKind::Constant => "constant",
        SymbolKind::EnumMember => "enum member",
        SymbolKind::Struct => "struct",
        SymbolKind::Module | SymbolKind::Namespace | SymbolKind::Package => "module",
        SymbolKind::TypeParameter => "type",
        SymbolKind::Object => "implementation",
        _ => "symbol",
    }
}
