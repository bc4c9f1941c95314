//! Which of the hunks found after an edit is which of those before: a hunk goes on in the one that has most of it, and
//! those that come of it or take it in are by the same calls.

use std::ops::Range;
use std::sync::Arc;

use super::moved::Moved;
use super::undone::Undone;
use super::{Hunk, HunkId};

/// A hunk before the edit, with its places as they are after it.
#[derive(Debug)]
pub(super) struct Old<'a> {
    pub(super) id: HunkId,
    pub(super) by: Vec<Arc<str>>,
    pub(super) edited: bool,
    pub(super) rejecting: bool,
    pub(super) base: Range<usize>,
    pub(super) text: Range<usize>,
    pub(super) lines: (&'a str, &'a str),
}

/// A hunk after the edit.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) id: Option<HunkId>,
    pub(super) by: Vec<Arc<str>>,
    pub(super) edited: bool,
    pub(super) rejecting: bool,
    /// It is a hunk from before, line for line.
    pub(super) same: bool,
    pub(super) base: Range<usize>,
    pub(super) text: Range<usize>,
    pub(super) lines: (&'a str, &'a str),
}

impl<'a> Old<'a> {
    /// After edits of the base and of the text.
    pub(super) fn of(hunk: &Hunk, moved: &(Moved<'_>, Moved<'_>), lines: (&'a str, &'a str)) -> Self {
        Self {
            id: hunk.id,
            by: hunk.by.clone(),
            edited: hunk.edited,
            rejecting: hunk.rejecting,
            base: moved.0.range(&hunk.base),
            text: moved.1.range(&hunk.text),
            lines,
        }
    }

    /// One that was undone and is redone in this place; the base is as it was.
    pub(super) fn again(undone: &'a Undone, text: Range<usize>, old: &'a str) -> Self {
        Self {
            id: undone.id,
            by: undone.by.clone(),
            edited: undone.edited,
            rejecting: false,
            base: undone.base.clone(),
            text,
            lines: (old, &undone.text),
        }
    }
}

impl<'a> Found<'a> {
    /// At these places of the two pieces, which begin at `start`.
    pub(super) fn new(
        base: Range<usize>,
        text: Range<usize>,
        pieces: (&'a str, &'a str),
        start: (usize, usize),
    ) -> Self {
        let lines = (piece(pieces.0, &base, 0), piece(pieces.1, &text, 0));
        let (base, text) =
            (base.start + start.0..base.end + start.0, text.start + start.1..text.end + start.1);
        Self { id: None, by: Vec::new(), edited: false, rejecting: false, same: false, base, text, lines }
    }
}

/// Both in the order of the text.
pub(super) fn identify(olds: &[Old<'_>], found: &mut [Found<'_>]) {
    for old in olds {
        let before = |new: &Found<'_>| new.text.end < old.text.start && new.base.end < old.base.start;
        let first = found.partition_point(before);
        let is_near = |new: &Found<'_>| touches(&new.text, &old.text) || touches(&new.base, &old.base);
        let after = |new: &Found<'_>| new.text.start > old.text.end && new.base.start > old.base.end;
        let near = found.iter_mut().skip(first).take_while(|new| !after(new)).filter(|new| is_near(new));
        let mut best: Option<(usize, &mut Found<'_>)> = None;
        for new in near {
            for call in &old.by {
                if !new.by.contains(call) {
                    new.by.push(call.clone());
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
            new.same = new.lines == old.lines;
            new.rejecting = new.same && old.rejecting;
        }
    }
}

fn touches(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}

fn common(one: &Range<usize>, other: &Range<usize>) -> usize {
    one.end.min(other.end).saturating_sub(one.start.max(other.start))
}

/// A range of a text of which a piece is given that begins at `start`.
pub(super) fn piece<'a>(text: &'a str, range: &Range<usize>, start: usize) -> &'a str {
    text.get(range.start.saturating_sub(start)..range.end.saturating_sub(start)).unwrap_or_default()
}
