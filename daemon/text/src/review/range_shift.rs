//! Maps ranges of a text through edits.

use std::ops::Range;

use super::undone_hunks::growth;
use crate::Edit;

#[derive(Debug)]
pub(super) struct RangeShift<'a> {
    edits: &'a [Edit],
    /// How many bytes the edits before each edit added.
    grown: Vec<isize>,
}

impl<'a> RangeShift<'a> {
    /// The edits must be in text order.
    pub(super) fn new(edits: &'a [Edit]) -> Self {
        let sum = |sum: &mut isize, edit: &Edit| Some(std::mem::replace(sum, *sum + growth(edit)));
        Self { edits, grown: edits.iter().scan(0, sum).collect() }
    }

    /// Text typed at its ends joins the range; if an end is inside an edit, it moves to the edit's end.
    pub(super) fn shift_range(&self, range: &Range<usize>) -> Range<usize> {
        let before = |edit: &Edit| {
            edit.range.end < range.start || (edit.range.end == range.start && !edit.range.is_empty())
        };
        let first = self.edits.partition_point(before);
        let last = self.edits.partition_point(|edit| edit.range.start <= range.end).max(first);
        let start = self.edits.get(first).map_or(range.start, |edit| edit.range.start.min(range.start));
        let in_range = last.checked_sub(1).and_then(|last| self.edits.get(last));
        let end = in_range.map_or(range.end, |edit| edit.range.end.max(range.end));
        let start = start.saturating_add_signed(self.before(first));
        start..end.saturating_add_signed(self.before(last)).max(start)
    }

    /// The bytes added before this edit, or by all edits.
    fn before(&self, edit: usize) -> isize {
        let all = || self.grown.last().copied().unwrap_or_default() + self.edits.last().map_or(0, growth);
        self.grown.get(edit).copied().unwrap_or_else(all)
    }
}
