//! The line boundaries of a document. The rope knows them, unless the text has a lone `\r` that ends no line:
//! then the text is scanned, which is slow (linear) but right.

use memchr::memchr_iter;
use ropey::Rope;

use super::Document;
use crate::LineBreaks;

/// A line in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineSpan {
    pub(super) start: usize,
    /// Before its break.
    pub(super) end: usize,
    /// The last place in the line: behind the `\r` of its `\r\n` if the client knows that place, else `end`.
    pub(super) after_cr: usize,
}

pub(super) struct LineIndex<'a> {
    rope: &'a Rope,
    line_breaks: LineBreaks,
    uses_rope: bool,
}

impl Document {
    pub(super) fn line_index(&self) -> LineIndex<'_> {
        LineIndex {
            rope: &self.rope,
            line_breaks: self.line_breaks,
            uses_rope: self.line_breaks == LineBreaks::Any || self.lone_crs == 0,
        }
    }
}

impl LineIndex<'_> {
    pub(super) fn count(&self) -> usize {
        if self.uses_rope { self.rope.len_lines() } else { self.breaks_before(self.rope.len_bytes()) + 1 }
    }

    pub(super) fn line(&self, number: usize) -> Option<LineSpan> {
        let start = self.start(number)?;
        let next = if self.uses_rope { self.start(number + 1) } else { self.after_break(start, 0) };
        let Some(next) = next else {
            let len = self.rope.len_bytes();
            return Some(LineSpan { start, end: len, after_cr: len });
        };
        let is =
            |at: Option<usize>, byte| at.filter(|at| *at >= start && self.rope.get_byte(*at) == Some(byte));
        let lf = is(next.checked_sub(1), b'\n');
        let cr = is(lf.unwrap_or(next).checked_sub(1), b'\r');
        let end = cr.or(lf).unwrap_or(next);
        let after_cr = if self.line_breaks == LineBreaks::Lf { lf.unwrap_or(end) } else { end };
        Some(LineSpan { start, end, after_cr })
    }

    /// The line that contains the offset. A break belongs to the line it ends.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        if self.uses_rope {
            self.rope.try_byte_to_line(offset).unwrap_or_default()
        } else {
            self.breaks_before(offset)
        }
    }

    fn start(&self, number: usize) -> Option<usize> {
        if self.uses_rope {
            // The line after the last starts at the end of the text.
            return self.rope.try_line_to_byte(number).ok();
        }
        number.checked_sub(1).map_or(Some(0), |skipped| self.after_break(0, skipped))
    }

    /// The end of the break that follows `from` after `skipped` others.
    fn after_break(&self, from: usize, mut skipped: usize) -> Option<usize> {
        let mut at = from;
        for chunk in self.rope.get_byte_slice(from..)?.chunks() {
            let breaks = memchr_iter(b'\n', chunk.as_bytes()).count();
            if skipped < breaks {
                return memchr_iter(b'\n', chunk.as_bytes()).nth(skipped).map(|found| at + found + 1);
            }
            skipped -= breaks;
            at += chunk.len();
        }
        None
    }

    fn breaks_before(&self, offset: usize) -> usize {
        let before = self.rope.get_byte_slice(..offset);
        before.map_or(0, |text| text.chunks().map(|chunk| memchr_iter(b'\n', chunk.as_bytes()).count()).sum())
    }
}
