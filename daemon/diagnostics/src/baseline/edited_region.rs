//! The edits of a change with the lines that they change, in the old text and in the new one.

use std::ops::Range;

use copydesk_text::Change;

use crate::line_index::Utf16LineIndex;

/// Edits with no more lines between them are one piece of work: what is wrong with one of them may turn up in the next.
const NEAR: usize = 2;

#[derive(Debug)]
pub(super) struct EditedRegion {
    /// In bytes.
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    /// The lines of which something was changed; none where whole lines were put between others.
    pub(super) old_lines: Range<usize>,
    /// The new lines of this and the passages near it.
    pub(super) new_lines: Range<usize>,
    pub(super) begins_with_break: bool,
}

/// In the order of the text. The change has to fit it.
pub(super) fn edited_regions(
    change: &Change,
    old: &Utf16LineIndex<'_>,
    new: &Utf16LineIndex<'_>,
) -> Vec<EditedRegion> {
    let mut found: Vec<EditedRegion> = Vec::with_capacity(change.edits().len());
    for edit in change.edits() {
        let end = found.last().map_or((0, 0), |last: &EditedRegion| (last.old.end, last.new.end));
        let start = end.1 + (edit.range.start - end.0);
        let replaced = IndexedRange { places: old, bytes: edit.range.clone() };
        let put = IndexedRange { places: new, bytes: start..start + edit.text.len() };
        // A line is left alone if nothing but its neighbours changed, seen from both texts.
        let first = replaced.is_behind_line() && put.is_behind_line();
        let last = replaced.is_before_line() && put.is_before_line();
        found.push(EditedRegion {
            old_lines: replaced.lines(first, last),
            new_lines: put.lines(first, last),
            begins_with_break: edit.text.starts_with(['\n', '\r']),
            old: replaced.bytes,
            new: put.bytes,
        });
    }
    for group in found.chunk_by_mut(|a, b| b.old_lines.start.saturating_sub(a.old_lines.end) <= NEAR) {
        let start = group.first().map_or(0, |first| first.new_lines.start);
        let end = group.last().map_or(start, |last| last.new_lines.end);
        group.iter_mut().for_each(|passage| passage.new_lines = start..end);
    }
    found
}

struct IndexedRange<'a> {
    places: &'a Utf16LineIndex<'a>,
    bytes: Range<usize>,
}

impl IndexedRange<'_> {
    /// It begins where a line has ended, before the break.
    fn is_behind_line(&self) -> bool {
        let line = self.places.line_at(self.bytes.start);
        self.places.line_end(line) == self.bytes.start && !self.places.is_line_start(self.bytes.start)
    }

    /// It ends where a line begins.
    fn is_before_line(&self) -> bool {
        self.places.is_line_start(self.bytes.end)
    }

    fn lines(&self, without_first: bool, without_last: bool) -> Range<usize> {
        let start = self.places.line_at(self.bytes.start) + usize::from(without_first);
        let end = self.places.line_at(self.bytes.end) + usize::from(!without_last);
        start..end.max(start)
    }
}
