//! The edits of a change, with the lines that they change in the old and in the new text.

use std::ops::Range;

use copydesk_text::Change;

use crate::line_index::Utf16LineIndex;

/// Edits with at most this many lines between them count as one: a diagnostic of one may turn up in the next.
const NEAR: usize = 2;

#[derive(Debug)]
pub(super) struct EditedRegion {
    /// Byte ranges.
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    /// The changed lines. Empty if whole lines were inserted between others.
    pub(super) old_lines: Range<usize>,
    /// The new lines of this region and of those near it.
    pub(super) new_lines: Range<usize>,
    pub(super) begins_with_break: bool,
}

/// In text order. The change must fit the old text.
pub(super) fn edited_regions(
    change: &Change,
    old: &Utf16LineIndex<'_>,
    new: &Utf16LineIndex<'_>,
) -> Vec<EditedRegion> {
    let mut regions: Vec<EditedRegion> = Vec::with_capacity(change.edits().len());
    for edit in change.edits() {
        let previous_end = regions.last().map_or((0, 0), |last: &EditedRegion| (last.old.end, last.new.end));
        let start = previous_end.1 + (edit.range.start - previous_end.0);
        let replaced = IndexedRange { index: old, bytes: edit.range.clone() };
        let inserted = IndexedRange { index: new, bytes: start..start + edit.text.len() };
        // A line counts as unchanged if both texts agree that only its neighbours changed.
        let skip_first = replaced.is_behind_line() && inserted.is_behind_line();
        let skip_last = replaced.is_before_line() && inserted.is_before_line();
        regions.push(EditedRegion {
            old_lines: replaced.lines(skip_first, skip_last),
            new_lines: inserted.lines(skip_first, skip_last),
            begins_with_break: edit.text.starts_with(['\n', '\r']),
            old: replaced.bytes,
            new: inserted.bytes,
        });
    }
    for group in regions.chunk_by_mut(|a, b| b.old_lines.start.saturating_sub(a.old_lines.end) <= NEAR) {
        let start = group.first().map_or(0, |first| first.new_lines.start);
        let end = group.last().map_or(start, |last| last.new_lines.end);
        group.iter_mut().for_each(|region| region.new_lines = start..end);
    }
    regions
}

struct IndexedRange<'a> {
    index: &'a Utf16LineIndex<'a>,
    bytes: Range<usize>,
}

impl IndexedRange<'_> {
    /// It begins at the end of a line, before the line break.
    fn is_behind_line(&self) -> bool {
        let line = self.index.line_at(self.bytes.start);
        self.index.line_end(line) == self.bytes.start && !self.index.is_line_start(self.bytes.start)
    }

    /// It ends at the start of a line.
    fn is_before_line(&self) -> bool {
        self.index.is_line_start(self.bytes.end)
    }

    fn lines(&self, skip_first: bool, skip_last: bool) -> Range<usize> {
        let start = self.index.line_at(self.bytes.start) + usize::from(skip_first);
        let end = self.index.line_at(self.bytes.end) + usize::from(!skip_last);
        start..end.max(start)
    }
}
