//! A text under edit: a rope, so that an edit costs what it changes, not the size of the text, and a clone is
//! a cheap snapshot.
//!
//! Positions follow LSP: past the end of a line means its end, past the last line means the end of the text,
//! inside a character means its start. One exception: with `LineBreaks::Lf` the place right after the `\r` of
//! a `\r\n` is valid. Neovim shows such a `\r` in a file with mixed endings, and the user may type behind it
//! or delete it.

use std::ops::Range;

use memchr::memchr_iter;
use ropey::Rope;
use thiserror::Error;

use line_index::LineSpan;

use crate::{Change, LineBreaks, Position, PositionEncoding, StaleChangeError};

mod line_index;
#[cfg(test)]
mod tests;

/// The text of a buffer. A clone shares it until one of the two is edited.
#[derive(Debug, Clone)]
pub struct Document {
    rope: Rope,
    line_breaks: LineBreaks,
    /// The number of `\r` without a following `\n`. The rope counts them as line breaks, Neovim does not.
    lone_crs: usize,
}

/// A range that ends before it starts: the client does not use the encoding it announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the range ends at {}:{}, before its start at {}:{}",
    end.line,
    end.character,
    start.line,
    start.character
)]
pub struct InvertedRangeError {
    pub start: Position,
    pub end: Position,
}

/// Compares the text only, not the line-break mode.
impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.rope == other.rope
    }
}

impl PartialEq<str> for Document {
    fn eq(&self, text: &str) -> bool {
        self.rope == *text
    }
}

impl Document {
    pub fn new(text: &str, lines: LineBreaks) -> Self {
        Self {
            rope: Rope::from_str(text),
            line_breaks: lines,
            lone_crs: count_lone_crs([text].into_iter(), None),
        }
    }

    pub fn with_line_breaks(self, line_breaks: LineBreaks) -> Self {
        Self { line_breaks, ..self }
    }

    pub(crate) fn rope(&self) -> &Rope {
        &self.rope
    }

    pub fn text(&self) -> String {
        self.rope.to_string()
    }

    pub fn len(&self) -> usize {
        self.rope.len_bytes()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn line_breaks(&self) -> LineBreaks {
        self.line_breaks
    }

    /// One more than the number of line breaks.
    pub fn line_count(&self) -> usize {
        self.line_index().count()
    }

    /// The byte offset of a position.
    pub fn offset(&self, position: Position, encoding: PositionEncoding) -> usize {
        let line = self.line_index().line(position.line as usize);
        line.map_or(self.len(), |line| self.offset_in_line(line, position.character, encoding))
    }

    /// The bytes of a range. Most ranges are within a line, which is then looked up once.
    pub fn byte_range(&self, range: &Range<Position>, encoding: PositionEncoding) -> Range<usize> {
        let line = self.line_index().line(range.start.line as usize);
        match line.filter(|_| range.start.line == range.end.line) {
            Some(line) => {
                let offset = |position: Position| self.offset_in_line(line, position.character, encoding);
                offset(range.start)..offset(range.end)
            }
            None => self.offset(range.start, encoding)..self.offset(range.end, encoding),
        }
    }

    fn offset_in_line(&self, line: LineSpan, character: u32, encoding: PositionEncoding) -> usize {
        let start = self.units(line.start, encoding);
        let wanted = start.saturating_add(character as usize);
        let end = self.units(line.end, encoding);
        if wanted <= end {
            self.byte(wanted, encoding)
        } else if wanted == end + 1 {
            line.after_cr
        } else {
            line.end
        }
    }

    /// The position of a byte offset. Past the end means the end; inside a character, or inside a `\r\n` that
    /// is one break, means its start.
    pub fn position(&self, offset: usize, encoding: PositionEncoding) -> Position {
        let offset = self.char_start(offset);
        let index = self.line_index();
        let number = index.line_of(offset);
        let line = index.line(number).unwrap_or_default();
        let units = self.units(offset.min(line.after_cr), encoding) - self.units(line.start, encoding);
        Position::new(to_u32(number), to_u32(units))
    }

    /// Applies one content change of a client; without a range it replaces the whole text. Returns the
    /// replaced bytes.
    pub fn apply_content_change(
        &mut self,
        range: Option<(Position, Position)>,
        text: &str,
        encoding: PositionEncoding,
    ) -> Result<Range<usize>, InvertedRangeError> {
        let Some((start, end)) = range else {
            let whole = 0..self.len();
            *self = Self::new(text, self.line_breaks);
            return Ok(whole);
        };
        if end < start {
            return Err(InvertedRangeError { start, end });
        }
        let end = self.offset(end, encoding);
        // Only a place behind a `\r` and one past it break the order of positions.
        let start = self.offset(start, encoding).min(end);
        self.splice(start..end, text);
        Ok(start..end)
    }

    /// Applies all edits, or none if the change was made for another text.
    pub fn apply_change(&mut self, change: &Change) -> Result<(), StaleChangeError> {
        self.check(change)?;
        // From the end, so that pending offsets stay valid.
        for edit in change.edits().iter().rev() {
            self.splice(edit.range.clone(), &edit.text);
        }
        Ok(())
    }

    /// The change as ranges and replacements for a client, all in terms of the present text.
    pub fn change_ranges(
        &self,
        change: &Change,
        encoding: PositionEncoding,
    ) -> Result<Vec<(Position, Position, String)>, StaleChangeError> {
        self.check(change)?;
        let place = |offset| self.position(offset, encoding);
        let edits = change.edits().iter();
        Ok(edits.map(|edit| (place(edit.range.start), place(edit.range.end), edit.text.clone())).collect())
    }

    fn check(&self, change: &Change) -> Result<(), StaleChangeError> {
        let mut at = 0;
        for Range { start, end } in change.edits().iter().map(|edit| edit.range.clone()) {
            let stands =
                at <= start && start <= end && self.char_start(start) == start && self.char_start(end) == end;
            if !stands {
                return Err(StaleChangeError { range: start..end });
            }
            at = end;
        }
        Ok(())
    }

    /// The range must lie on character boundaries.
    fn splice(&mut self, range: Range<usize>, text: &str) {
        // The `\r` before the range may gain or lose its `\n`.
        let from = range.start.saturating_sub(1);
        let before = self.count_lone_crs_in(from..range.end);
        let (start, end) = (
            self.units(range.start, PositionEncoding::Utf32),
            self.units(range.end, PositionEncoding::Utf32),
        );
        // Neither can fail: both offsets are in the text.
        let _ = self.rope.try_remove(start..end);
        let _ = self.rope.try_insert(start, text);
        let after = self.count_lone_crs_in(from..range.start + text.len());
        self.lone_crs = (self.lone_crs + after).saturating_sub(before);
    }

    fn count_lone_crs_in(&self, range: Range<usize>) -> usize {
        let slice = self.rope.get_byte_slice(self.char_start(range.start)..range.end);
        slice.map_or(0, |slice| count_lone_crs(slice.chunks(), self.rope.get_byte(range.end)))
    }

    /// The start of the character that contains the byte.
    fn char_start(&self, offset: usize) -> usize {
        self.byte(self.units(offset.min(self.len()), PositionEncoding::Utf32), PositionEncoding::Utf32)
    }

    /// Whether each byte is a character and a unit. The rope keeps both counts.
    fn is_ascii(&self) -> bool {
        self.rope.len_utf16_cu() == self.rope.len_bytes()
    }

    /// The number of units before the offset.
    fn units(&self, offset: usize, encoding: PositionEncoding) -> usize {
        if self.is_ascii() {
            return offset.min(self.len());
        }
        let chars = || self.rope.try_byte_to_char(offset).unwrap_or_default();
        match encoding {
            PositionEncoding::Utf8 => offset,
            PositionEncoding::Utf16 => self.rope.try_char_to_utf16_cu(chars()).unwrap_or_default(),
            PositionEncoding::Utf32 => chars(),
        }
    }

    /// The start of the character that contains the unit.
    fn byte(&self, units: usize, encoding: PositionEncoding) -> usize {
        if self.is_ascii() {
            return units.min(self.len());
        }
        let chars = match encoding {
            PositionEncoding::Utf8 => self.rope.try_byte_to_char(units),
            PositionEncoding::Utf16 => self.rope.try_utf16_cu_to_char(units),
            PositionEncoding::Utf32 => Ok(units),
        };
        chars.and_then(|chars| self.rope.try_char_to_byte(chars)).unwrap_or_else(|_| self.len())
    }
}

/// The number of `\r` without a following `\n`, in the pieces of a text that `next` follows.
fn count_lone_crs<'a>(pieces: impl Iterator<Item = &'a str>, next: Option<u8>) -> usize {
    let mut count = 0;
    // Whether the previous piece ended with `\r`.
    let mut open = false;
    for bytes in pieces.map(str::as_bytes).filter(|bytes| !bytes.is_empty()) {
        count += usize::from(open && bytes.first() != Some(&b'\n'));
        let inside = memchr_iter(b'\r', bytes).filter_map(|at| bytes.get(at + 1));
        count += inside.filter(|after| **after != b'\n').count();
        open = bytes.last() == Some(&b'\r');
    }
    count + usize::from(open && next != Some(b'\n'))
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
