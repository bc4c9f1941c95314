//! Moves positions outside of a text to the nearest inside, as LSP says: past the end of a line is its end, past the
//! last line is the end of the text.

use copydesk_text::{Document, LineBreaks, Position, PositionEncoding};

use crate::diagnostic::{Diagnostic, DiagnosticSpan};

/// Converts positions from a server's encoding to UTF-16, and moves those outside of the text to the nearest inside.
pub(super) fn convert_positions(text: &str, from: PositionEncoding, diagnostics: &mut [Diagnostic]) {
    if from == PositionEncoding::Utf16 {
        return LineLengths::new(text).clamp(diagnostics);
    }
    let document = Document::new(text, LineBreaks::Any);
    let convert = |position| document.position(document.offset(position, from), PositionEncoding::Utf16);
    for diagnostic in diagnostics {
        let DiagnosticSpan { start, end } = diagnostic.span;
        diagnostic.span = DiagnosticSpan { start: convert(start), end: convert(end.max(start)) };
    }
}

/// The lengths of the lines of a text, in UTF-16 code units.
pub(super) struct LineLengths(Vec<u32>);

impl LineLengths {
    pub(super) fn new(text: &str) -> Self {
        let mut lengths = Vec::new();
        let mut rest = text;
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest.as_bytes()) {
            let (line, after) = rest.split_at_checked(end).unwrap_or_default();
            lengths.push(units(line));
            let break_length = if after.starts_with("\r\n") { 2 } else { 1 };
            rest = after.get(break_length..).unwrap_or_default();
        }
        lengths.push(units(rest));
        Self(lengths)
    }

    pub(super) fn clamp(&self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            let DiagnosticSpan { start, end } = diagnostic.span;
            diagnostic.span =
                DiagnosticSpan { start: self.nearest(start), end: self.nearest(end.max(start)) };
        }
    }

    fn nearest(&self, position: Position) -> Position {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        match self.0.get(line) {
            Some(length) => Position::new(position.line, position.character.min(*length)),
            None => {
                let last = u32::try_from(self.0.len().saturating_sub(1)).unwrap_or(u32::MAX);
                Position::new(last, self.0.last().copied().unwrap_or_default())
            }
        }
    }
}

fn units(line: &str) -> u32 {
    let length = if line.is_ascii() { line.len() } else { line.encode_utf16().count() };
    u32::try_from(length).unwrap_or(u32::MAX)
}
