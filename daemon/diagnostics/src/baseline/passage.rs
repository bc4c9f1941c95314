//! The edits of a change with the lines that they change, in the old text and in the new one.

use std::ops::Range;

use copydesk_text::Change;

use crate::places::Places;

/// Edits with no more lines between them are one piece of work: what is wrong with one of them may turn up in the next.
const NEAR: usize = 2;

#[derive(Debug)]
pub(super) struct Passage {
    /// In bytes.
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
    /// The lines of which something was changed; none where whole lines were put between others.
    pub(super) old_lines: Range<usize>,
    /// The new lines of this and the passages near it.
    pub(super) around: Range<usize>,
    pub(super) begins_with_break: bool,
}

/// In the order of the text. The change has to fit it.
pub(super) fn passages(change: &Change, old: &Places<'_>, new: &Places<'_>) -> Vec<Passage> {
    let mut found: Vec<Passage> = Vec::with_capacity(change.edits().len());
    for edit in change.edits() {
        let end = found.last().map_or((0, 0), |last: &Passage| (last.old.end, last.new.end));
        let start = end.1 + (edit.range.start - end.0);
        let replaced = Piece { places: old, bytes: edit.range.clone() };
        let put = Piece { places: new, bytes: start..start + edit.text.len() };
        // A line is left alone if nothing but its neighbours changed, seen from both texts.
        let first = replaced.is_behind_line() && put.is_behind_line();
        let last = replaced.is_before_line() && put.is_before_line();
        found.push(Passage {
            old_lines: replaced.lines(first, last),
            around: put.lines(first, last),
            begins_with_break: edit.text.starts_with(['\n', '\r']),
            old: replaced.bytes,
            new: put.bytes,
        });
    }
    for group in found.chunk_by_mut(|a, b| b.old_lines.start.saturating_sub(a.old_lines.end) <= NEAR) {
        let start = group.first().map_or(0, |first| first.around.start);
        let end = group.last().map_or(start, |last| last.around.end);
        group.iter_mut().for_each(|passage| passage.around = start..end);
    }
    found
}

struct Piece<'a> {
    places: &'a Places<'a>,
    bytes: Range<usize>,
}

impl Piece<'_> {
    /// It begins where a line has ended, before the break.
    fn is_behind_line(&self) -> bool {
        let line = self.places.line_of(self.bytes.start);
        self.places.end_of(line) == self.bytes.start && !self.places.is_start(self.bytes.start)
    }

    /// It ends where a line begins.
    fn is_before_line(&self) -> bool {
        self.places.is_start(self.bytes.end)
    }

    fn lines(&self, without_first: bool, without_last: bool) -> Range<usize> {
        let start = self.places.line_of(self.bytes.start) + usize::from(without_first);
        let end = self.places.line_of(self.bytes.end) + usize::from(!without_last);
        start..end.max(start)
    }
}
