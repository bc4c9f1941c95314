//! The editor's undo and redo of the agent's edits, seen by what they make of the text: what was undone is remembered, so
//! that the same lines, when they come back, are the agent's and not the person's.

use std::ops::Range;
use std::sync::Arc;

use super::base_edits::apply_edits_to_piece;
use super::cluster::{EditWindow, HunkCluster};
use super::{Hunk, HunkId, Review};
use crate::Edit;

/// So many are remembered, and none that is longer.
const COUNT: usize = 256;
const LEN: usize = 64 * 1024;

/// How many lines beside an edit are looked at.
const MARGIN: usize = 8;

#[derive(Debug, Clone)]
pub(super) struct UndoneHunk {
    pub(super) id: HunkId,
    /// The lines of the base that it replaced. They stand in the text too.
    pub(super) base: Range<usize>,
    pub(super) text: String,
    pub(super) calls: Vec<Arc<str>>,
    pub(super) edited: bool,
    /// The same for those that went together: they come back together.
    step: u64,
}

impl UndoneHunk {
    pub(super) fn from_hunk(hunk: &Hunk, text: String) -> Option<Self> {
        let Hunk { id, base, calls: by, edited, .. } = hunk.clone();
        (text.len() <= LEN).then_some(Self { id, base, text, calls: by, edited, step: 0 })
    }
}

impl Review {
    /// A person's edits as one touch that leaves the base, if they make the text what the base is there or redo what was
    /// undone. Among equal lines they may be some lines beside the hunks that they mean.
    pub(super) fn find_undo_or_redo(&self, edits: &[Edit]) -> Option<EditWindow> {
        let (first, last) = (edits.first()?, edits.last()?);
        let lines = self.text.line_start(first.range.start)..self.text.line_end(last.range.end);
        let wide = self.text.lines_before(lines.start, MARGIN)..self.text.lines_after(lines.end, MARGIN);
        let starts = [(lines.start, lines.end), (lines.start, wide.end), (wide.start, lines.end)];
        // If there is nothing in the widest, there is nothing at all.
        let touch = |(start, end)| EditWindow { window: start..end, text: edits.to_vec(), base: Vec::new() };
        let widest = touch((wide.start, wide.end));
        if !self.has_hunks_near(&widest.window) {
            return None;
        }
        let tries = starts.into_iter().map(touch).chain([widest]);
        tries.into_iter().find(|touch| self.is_undo_or_redo(&touch.window, edits))
    }

    fn has_hunks_near(&self, window: &Range<usize>) -> bool {
        let hunk = self.hunks.get(self.first_hunk_reaching(window.start));
        !self.undone_hunks.is_empty() || hunk.is_some_and(|hunk| hunk.text.start <= window.end)
    }

    fn is_undo_or_redo(&self, window: &Range<usize>, edits: &[Edit]) -> bool {
        let touch = EditWindow { window: window.clone(), text: Vec::new(), base: Vec::new() };
        let Some(HunkCluster { window, hunks, .. }) = self.clusters(vec![touch]).pop() else { return false };
        let base_window = self.base_window(&window, &hunks);
        let len = window.len().checked_add_signed(edits.iter().map(growth).sum());
        let undone = self.undone_in(&base_window);
        let may_undo = !hunks.is_empty() && len == Some(base_window.len());
        if !may_undo && undone.is_empty() {
            return false;
        }
        let old = self.text.slice(window.clone());
        let new = apply_edits_to_piece(&old, window.start, edits);
        let is_redo = |edits: &[Edit]| apply_edits_to_piece(&old, window.start, edits) == new;
        (may_undo && self.base.slice(base_window) == new) || !self.find_redone(undone, is_redo).0.is_empty()
    }

    /// Those whose place is in a piece of the base, in its order.
    pub(super) fn undone_in(&self, piece: &Range<usize>) -> Vec<&UndoneHunk> {
        let is_in = |undone: &&UndoneHunk| piece.start <= undone.base.start && undone.base.end <= piece.end;
        let mut found: Vec<_> = self.undone_hunks.iter().filter(is_in).collect();
        found.sort_by_key(|undone| undone.base.start);
        found
    }

    /// Those that are redone, with the edits of the text that do it: `is_it` knows whether they do. What was undone in one
    /// step, or a single one of it.
    pub(super) fn find_redone<'a>(
        &self,
        undone: Vec<&'a UndoneHunk>,
        is_it: impl Fn(&[Edit]) -> bool,
    ) -> (Vec<&'a UndoneHunk>, Vec<Edit>) {
        let mut steps: Vec<_> = undone.iter().map(|one| one.step).collect();
        steps.sort_unstable();
        steps.dedup();
        let of = |step: u64| undone.iter().copied().filter(|one| one.step == step).collect::<Vec<_>>();
        let together = steps.into_iter().rev().map(of);
        let singles = undone.iter().map(|one| vec![*one]);
        let mut redone = together.chain(singles).filter_map(|set| {
            let edits = self.redo_edits(&set).filter(|edits| is_it(edits))?;
            Some((set, edits))
        });
        redone.next().unwrap_or_default()
    }

    /// Redoing them, as edits of the text; nothing, if one is where a hunk is.
    fn redo_edits(&self, undone: &[&UndoneHunk]) -> Option<Vec<Edit>> {
        let edit = |undone: &&UndoneHunk| {
            let Range { start, end } = undone.base.clone();
            let before = self.hunks.partition_point(|hunk| hunk.base.end < start);
            let is_free = self.hunks.get(before).is_none_or(|hunk| end < hunk.base.start);
            let last = before.checked_sub(1).and_then(|last| self.hunks.get(last));
            let place = |at: usize| last.map_or(at, |hunk| hunk.text.end + (at - hunk.base.end));
            is_free.then(|| Edit { range: place(start)..place(end), text: undone.text.clone() })
        };
        undone.iter().map(edit).collect()
    }

    /// After edits of the base: those that they touch cannot be redone.
    pub(super) fn shift_undone(&mut self, edits: &[Edit], more: Vec<UndoneHunk>, redone: &[HunkId]) {
        self.undone_hunks.retain(|undone| !redone.contains(&undone.id));
        let step = self.undone_hunks.last().map_or(0, |last| last.step + 1);
        // More than can be remembered would come back in part.
        for new in Some(more).filter(|more| more.len() <= COUNT).into_iter().flatten() {
            let is_apart = |old: &UndoneHunk| old.base.end < new.base.start || new.base.end < old.base.start;
            self.undone_hunks.retain(is_apart);
            self.undone_hunks.push(UndoneHunk { step, ..new });
        }
        self.undone_hunks.retain_mut(|undone| {
            let before = edits.partition_point(|edit| edit.range.end < undone.base.start);
            let is_touched = edits.get(before).is_some_and(|edit| edit.range.start <= undone.base.end);
            let grown: isize = edits.iter().take(before).map(growth).sum();
            let shift = |at: usize| at.saturating_add_signed(grown);
            undone.base = shift(undone.base.start)..shift(undone.base.end);
            !is_touched
        });
        let surplus = self.undone_hunks.len().saturating_sub(COUNT);
        self.undone_hunks.drain(..surplus);
    }
}

pub(super) fn growth(edit: &Edit) -> isize {
    edit.text.len().cast_signed() - edit.range.len().cast_signed()
}
