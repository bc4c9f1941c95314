//! Matches the hunks after an edit with those before: a hunk continues in the one that shares most of it, and
//! hunks that split off or absorb it inherit its calls.

use std::ops::Range;
use std::sync::Arc;

use super::range_shift::RangeShift;
use super::undone_hunks::UndoneHunk;
use super::{Hunk, HunkId};

/// A hunk before the edit, at its shifted place.
#[derive(Debug)]
pub(super) struct PreviousHunk<'a> {
    pub(super) id: HunkId,
    pub(super) calls: Vec<Arc<str>>,
    pub(super) edited: bool,
    pub(super) rejecting: bool,
    pub(super) base: Range<usize>,
    pub(super) text: Range<usize>,
    pub(super) lines: (&'a str, &'a str),
}

/// A hunk after the edit.
#[derive(Debug)]
pub(super) struct ComparedHunk<'a> {
    pub(super) id: Option<HunkId>,
    pub(super) calls: Vec<Arc<str>>,
    pub(super) edited: bool,
    pub(super) rejecting: bool,
    /// It equals a previous hunk line for line.
    pub(super) is_unchanged: bool,
    pub(super) base: Range<usize>,
    pub(super) text: Range<usize>,
    pub(super) lines: (&'a str, &'a str),
}

impl<'a> PreviousHunk<'a> {
    /// Shifted by edits of the base and of the text.
    pub(super) fn from_hunk(
        hunk: &Hunk,
        moved: &(RangeShift<'_>, RangeShift<'_>),
        lines: (&'a str, &'a str),
    ) -> Self {
        Self {
            id: hunk.id,
            calls: hunk.calls.clone(),
            edited: hunk.edited,
            rejecting: hunk.rejecting,
            base: moved.0.shift_range(&hunk.base),
            text: moved.1.shift_range(&hunk.text),
            lines,
        }
    }

    /// An undone hunk that is redone at this place; the base is unchanged.
    pub(super) fn from_undone(undone: &'a UndoneHunk, text: Range<usize>, old: &'a str) -> Self {
        Self {
            id: undone.id,
            calls: undone.calls.clone(),
            edited: undone.edited,
            rejecting: false,
            base: undone.base.clone(),
            text,
            lines: (old, &undone.text),
        }
    }
}

impl<'a> ComparedHunk<'a> {
    /// At these ranges of the two pieces, which start at `start`.
    pub(super) fn new(
        base: Range<usize>,
        text: Range<usize>,
        pieces: (&'a str, &'a str),
        start: (usize, usize),
    ) -> Self {
        let lines = (slice_piece(pieces.0, &base, 0), slice_piece(pieces.1, &text, 0));
        let (base, text) =
            (base.start + start.0..base.end + start.0, text.start + start.1..text.end + start.1);
        Self {
            id: None,
            calls: Vec::new(),
            edited: false,
            rejecting: false,
            is_unchanged: false,
            base,
            text,
            lines,
        }
    }
}

/// Both lists are in text order.
pub(super) fn carry_over_ids(olds: &[PreviousHunk<'_>], found: &mut [ComparedHunk<'_>]) {
    for old in olds {
        let before = |new: &ComparedHunk<'_>| new.text.end < old.text.start && new.base.end < old.base.start;
        let first = found.partition_point(before);
        let is_near = |new: &ComparedHunk<'_>| touches(&new.text, &old.text) || touches(&new.base, &old.base);
        let after = |new: &ComparedHunk<'_>| new.text.start > old.text.end && new.base.start > old.base.end;
        let near = found.iter_mut().skip(first).take_while(|new| !after(new)).filter(|new| is_near(new));
        let mut best: Option<(usize, &mut ComparedHunk<'_>)> = None;
        for new in near {
            for call in &old.calls {
                if !new.calls.contains(call) {
                    new.calls.push(call.clone());
                }
            }
            new.edited |= old.edited;
            let score = common(&new.base, &old.base) + common(&new.text, &old.text);
            if new.id.is_none() && best.as_ref().is_none_or(|(most, _)| score > *most) {
                best = Some((score, new));
            }
        }
        if let Some((_, new)) = best {
            new.id = Some(old.id);
            new.is_unchanged = new.lines == old.lines;
            new.rejecting = new.is_unchanged && old.rejecting;
        }
    }
}

fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}

fn common(one: &Range<usize>, other: &Range<usize>) -> usize {
    one.end.min(other.end).saturating_sub(one.start.max(other.start))
}

/// The range of a text, taken from a piece of it that starts at `start`.
pub(super) fn slice_piece<'a>(text: &'a str, range: &Range<usize>, start: usize) -> &'a str {
    text.get(range.start.saturating_sub(start)..range.end.saturating_sub(start)).unwrap_or_default()
}
