//! Converts a checker's lines and columns to LSP positions in a text (UTF-16 code units).
//!
//! A position past the end of a line or of the text is clamped: the file may have changed since, or the checker is
//! wrong.

use copydesk_text::Position;

use super::parse::{ColumnUnit, RawLocation};
use copydesk_servers::diagnostic::DiagnosticSpan;

pub(super) struct SpanResolver<'a> {
    text: &'a str,
    /// Where a compiler's lines begin: after every `\n`.
    lines: Vec<usize>,
    /// Where LSP's lines begin: after a lone `\r`, too.
    lsp_lines: Vec<usize>,
}

impl<'a> SpanResolver<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let (mut lines, mut lsp_lines) = (vec![0], vec![0]);
        for (at, byte) in text.bytes().enumerate() {
            if byte == b'\n' {
                lines.push(at + 1);
                lsp_lines.push(at + 1);
            } else if byte == b'\r' && text.as_bytes().get(at + 1) != Some(&b'\n') {
                lsp_lines.push(at + 1);
            }
        }
        Self { text, lines, lsp_lines }
    }

    pub(super) fn resolve(&self, location: &RawLocation, default_unit: ColumnUnit) -> DiagnosticSpan {
        let columns = location.columns.unwrap_or(default_unit);
        let Some(column) = location.column else {
            // The whole line without its indentation.
            let (start, line) = self.line(location.line);
            let indent = line.len() - line.trim_start().len();
            return self.between(start + indent, start + line.trim_end().len().max(indent));
        };
        let start = self.offset(location.line, column, columns);
        let end = location.end.map(|(line, column)| self.offset(line, column, columns));
        match end.filter(|end| *end > start) {
            Some(end) => self.between(start, end),
            None => self.between(start, start + self.word(start)),
        }
    }

    /// The start of the line, for a file whose text is not at hand.
    pub(super) fn line_span(location: &RawLocation) -> DiagnosticSpan {
        let line = u32::try_from(location.line).unwrap_or(u32::MAX);
        DiagnosticSpan { start: Position::new(line, 0), end: Position::new(line, 0) }
    }

    fn between(&self, start: usize, end: usize) -> DiagnosticSpan {
        DiagnosticSpan { start: self.position(start), end: self.position(end) }
    }

    /// Where a line begins, and its text without the line break.
    fn line(&self, number: u64) -> (usize, &'a str) {
        let number = usize::try_from(number).unwrap_or(usize::MAX).min(self.lines.len() - 1);
        let start = self.lines.get(number).copied().unwrap_or_default();
        let end = self.lines.get(number + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        (start, line.strip_suffix('\r').unwrap_or(line))
    }

    fn offset(&self, line: u64, column: u64, columns: ColumnUnit) -> usize {
        if usize::try_from(line).unwrap_or(usize::MAX) >= self.lines.len() {
            return self.text.len();
        }
        let (start, line) = self.line(line);
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        let mut units = 0;
        let inside = line.char_indices().find_map(|(at, c)| {
            let is_there = units >= column;
            units += match columns {
                ColumnUnit::Characters => 1,
                ColumnUnit::Bytes => c.len_utf8(),
                ColumnUnit::Utf16 => c.len_utf16(),
            };
            // The middle of a character counts as its start.
            (is_there || units > column).then_some(at)
        });
        start + inside.unwrap_or(line.len())
    }

    /// The length of the word at an offset; at least one character, unless the line ends there.
    fn word(&self, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let first = rest.chars().next().filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8);
        end.max(first)
    }

    fn position(&self, offset: usize) -> Position {
        let line = self.lsp_lines.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.lsp_lines.get(line).copied().unwrap_or_default();
        let character = self.text.get(start..offset).map_or(0, |before| before.encode_utf16().count());
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position::new(number(line), number(character))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(
        text: &str,
        at: (u64, Option<u64>),
        end: Option<(u64, u64)>,
        columns: ColumnUnit,
        expected: [u32; 4],
    ) {
        let location = RawLocation { line: at.0, column: at.1, end, ..RawLocation::default() };
        let DiagnosticSpan { start, end } = SpanResolver::new(text).resolve(&location, columns);
        assert_eq!([start.line, start.character, end.line, end.character], expected);
    }

    #[test]
    fn columns_have_the_checkers_unit() {
        let text = "let s = \"ä😀\"; wrong\r\n\tx\n";
        check(text, (0, Some(14)), None, ColumnUnit::Characters, [0, 15, 0, 20]);
        check(text, (0, Some(18)), None, ColumnUnit::Bytes, [0, 15, 0, 20]);
        check(text, (0, Some(15)), None, ColumnUnit::Utf16, [0, 15, 0, 20]);
        // In the middle of a character.
        check(text, (0, Some(12)), Some((0, 13)), ColumnUnit::Bytes, [0, 10, 0, 12]);
        check(text, (0, Some(0)), Some((1, 2)), ColumnUnit::Characters, [0, 0, 1, 2]);
        // A line without a column.
        check(text, (1, None), None, ColumnUnit::Characters, [1, 1, 1, 2]);
    }

    #[test]
    fn positions_past_the_end_are_clamped() {
        check("ab\ncd", (0, Some(99)), None, ColumnUnit::Characters, [0, 2, 0, 2]);
        check("ab\ncd", (9, Some(0)), Some((u64::MAX, u64::MAX)), ColumnUnit::Characters, [1, 2, 1, 2]);
        check("ab\ncd", (u64::MAX, None), None, ColumnUnit::Characters, [1, 0, 1, 2]);
        check("ab\ncd", (1, Some(1)), Some((0, 0)), ColumnUnit::Utf16, [1, 1, 1, 2]);
        check("", (0, None), None, ColumnUnit::Characters, [0, 0, 0, 0]);
    }

    #[test]
    fn a_lone_carriage_return_ends_a_line_only_in_lsp() {
        check("a\rb\nc d", (0, Some(2)), None, ColumnUnit::Characters, [1, 0, 1, 1]);
        check("a\rb\nc d", (1, Some(2)), None, ColumnUnit::Characters, [2, 2, 2, 3]);
    }
}
