//! A text of a review: a rope that returns pieces and lines by byte offsets.
//!
//! Only `\n` ends a line, and lines are searched from a given offset: the rope's own line count (to which a
//! lone `\r` is a break) never matters.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use ropey::Rope;

use super::CurrentText;
use crate::{Document, Edit};

#[derive(Debug, Clone, Default)]
pub(super) struct ReviewText {
    rope: Rope,
}

impl ReviewText {
    pub(super) fn new(text: &str) -> Self {
        Self { rope: Rope::from_str(text) }
    }

    pub(super) fn from_document(document: &Document) -> Self {
        Self { rope: document.rope().clone() }
    }

    pub(super) fn equals_current(&self, current: CurrentText<'_>) -> bool {
        match current {
            CurrentText::Document(document) => self.rope == *document.rope(),
            CurrentText::Text(text) => self.rope == *text,
        }
    }

    /// In bytes.
    pub(super) fn len(&self) -> usize {
        self.rope.len_bytes()
    }

    pub(super) fn text(&self) -> String {
        self.rope.to_string()
    }

    /// A piece; empty if the range is invalid.
    pub(super) fn slice(&self, range: Range<usize>) -> String {
        self.rope.get_byte_slice(range).map(|slice| slice.to_string()).unwrap_or_default()
    }

    /// The number of lines in a piece of whole lines; the last may lack its break.
    pub(super) fn line_count(&self, range: &Range<usize>) -> usize {
        let is_cut = range.end.checked_sub(1).and_then(|last| self.rope.get_byte(last)) != Some(b'\n');
        self.count_line_breaks(range.clone()) + usize::from(!range.is_empty() && is_cut)
    }

    pub(super) fn is_char_boundary(&self, at: usize) -> bool {
        let chars = self.rope.try_byte_to_char(at);
        chars.and_then(|chars| self.rope.try_char_to_byte(chars)).is_ok_and(|found| found == at)
    }

    pub(super) fn begins_line(&self, at: usize) -> bool {
        at.checked_sub(1).is_none_or(|before| self.rope.get_byte(before) == Some(b'\n'))
    }

    /// The start of the line that contains the offset.
    pub(super) fn line_start(&self, at: usize) -> usize {
        let mut at = at.min(self.len());
        while let Some((chunk, start)) = at.checked_sub(1).and_then(|before| self.chunk(before)) {
            let before = chunk.as_bytes().get(..at - start).unwrap_or_default();
            if let Some(found) = memrchr(b'\n', before) {
                return start + found + 1;
            }
            at = start;
        }
        0
    }

    /// The end of the line that contains the offset, after its break.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let mut at = at;
        while let Some((chunk, start)) = self.chunk(at) {
            if let Some(found) = memchr(b'\n', chunk.as_bytes().get(at - start..).unwrap_or_default()) {
                return at + found + 1;
            }
            at = start + chunk.len();
        }
        self.len()
    }

    /// Moves from a line start up by `lines` lines.
    pub(super) fn lines_before(&self, start: usize, lines: usize) -> usize {
        (0..lines).fold(start, |at, _| at.checked_sub(1).map_or(0, |before| self.line_start(before)))
    }

    /// Moves from a line end down by `lines` lines.
    pub(super) fn lines_after(&self, end: usize, lines: usize) -> usize {
        (0..lines).fold(end, |at, _| self.line_end(at))
    }

    /// The number of line breaks in a piece.
    pub(super) fn count_line_breaks(&self, range: Range<usize>) -> usize {
        let slice = self.rope.get_byte_slice(range);
        slice
            .map_or(0, |slice| slice.chunks().map(|chunk| memchr_iter(b'\n', chunk.as_bytes()).count()).sum())
    }

    pub(super) fn equals(&self, other: &Self) -> bool {
        self.len() == other.len() && self.rope == other.rope
    }

    /// Whether a piece of this text equals a piece of the other.
    pub(super) fn slices_equal(&self, range: Range<usize>, other: &Self, others: Range<usize>) -> bool {
        range.len() == others.len()
            && match (self.rope.get_byte_slice(range), other.rope.get_byte_slice(others)) {
                (Some(one), Some(other)) => one == other,
                _ => false,
            }
    }

    /// The edits must be in text order; their ranges refer to the text before all of them.
    pub(super) fn apply_edits(&mut self, edits: &[Edit]) {
        // From the end, so that pending offsets stay valid.
        for Edit { range, text } in edits.iter().rev() {
            let chars = |at| self.rope.try_byte_to_char(at).unwrap_or_default();
            let (start, end) = (chars(range.start), chars(range.end));
            // Neither can fail: both offsets are in the text.
            let _ = self.rope.try_remove(start..end);
            let _ = self.rope.try_insert(start, text);
        }
    }

    /// The chunk that contains the byte, and its start.
    fn chunk(&self, at: usize) -> Option<(&str, usize)> {
        let (chunk, start, ..) = self.rope.get_chunk_at_byte(at).filter(|_| at < self.len())?;
        Some((chunk, start))
    }
}
