//! The reference model of a document: a text that is split into lines again for every question.

use std::ops::Range;

use crate::{LineBreaks, Position, PositionEncoding};

pub(super) struct DocumentModel {
    pub(super) text: String,
    lines: LineBreaks,
}

impl DocumentModel {
    pub(super) fn new(text: &str, lines: LineBreaks) -> Self {
        Self { text: text.to_owned(), lines }
    }

    /// For each line: its start, the start of its break, its end.
    pub(super) fn lines(&self) -> Vec<(usize, usize, usize)> {
        let mut lines = Vec::new();
        let (mut start, mut at) = (0, 0);
        while at < self.text.len() {
            let rest = &self.text[at..];
            let len = match self.lines {
                _ if rest.starts_with("\r\n") => 2,
                _ if rest.starts_with('\n') => 1,
                LineBreaks::Any if rest.starts_with('\r') => 1,
                _ => 0,
            };
            if len > 0 {
                lines.push((start, at, at + len));
                start = at + len;
            }
            at += len.max(rest.chars().next().map_or(0, char::len_utf8));
        }
        lines.push((start, self.text.len(), self.text.len()));
        lines
    }

    fn known_after_cr(&self, end: usize) -> bool {
        self.lines == LineBreaks::Lf && self.text[end..].starts_with("\r\n")
    }

    pub(super) fn offset(&self, position: Position, encoding: PositionEncoding) -> usize {
        let lines = self.lines();
        let Some((start, end, _)) = lines.get(position.line as usize).copied() else {
            return self.text.len();
        };
        let mut left = position.character as usize;
        let mut at = start;
        for c in self.text[start..end].chars() {
            let units = units(c, encoding);
            if left < units {
                return at;
            }
            left -= units;
            at += c.len_utf8();
        }
        if left == 1 && self.known_after_cr(end) { end + 1 } else { end }
    }

    pub(super) fn position(&self, offset: usize, encoding: PositionEncoding) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let lines = self.lines();
        let number = lines.iter().rposition(|(start, ..)| *start <= offset).unwrap();
        let (start, end, _) = lines[number];
        let last = if self.known_after_cr(end) { end + 1 } else { end };
        let units: usize = self.text[start..offset.min(last)].chars().map(|c| units(c, encoding)).sum();
        Position::new(number as u32, units as u32)
    }

    pub(super) fn apply(
        &mut self,
        start: Position,
        end: Position,
        text: &str,
        encoding: PositionEncoding,
    ) -> Range<usize> {
        let end = self.offset(end, encoding);
        let start = self.offset(start, encoding).min(end);
        self.text.replace_range(start..end, text);
        start..end
    }
}

fn units(c: char, encoding: PositionEncoding) -> usize {
    match encoding {
        PositionEncoding::Utf8 => c.len_utf8(),
        PositionEncoding::Utf16 => c.len_utf16(),
        PositionEncoding::Utf32 => 1,
    }
}
