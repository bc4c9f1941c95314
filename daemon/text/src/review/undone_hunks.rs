//! Recognises the editor's undo and redo of the agent's edits by their effect on the text. Undone hunks are
//! remembered, so that the same lines belong to the agent when they return, not to the user.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::base_edits::apply_edits_to_piece;
use super::cluster::{EditWindow, HunkCluster};
use super::{Hunk, HunkId, Review};
use crate::Edit;

/// Undone hunks remembered, at most, and the size of each.
const MAX_UNDONE: usize = 256;
const MAX_BYTES: usize = 64 * 1024;

/// Lines beside an edit that are examined.
const MARGIN: usize = 8;

#[derive(Debug, Clone)]
pub(super) struct UndoneHunk {
    pub(super) id: HunkId,
    /// The base lines that it replaced. The text contains them too.
    pub(super) base: Range<usize>,
    pub(super) text: String,
    pub(super) calls: Vec<Arc<str>>,
    pub(super) edited: bool,
    /// The user's edits made it equal to the base, not a decision.
    is_reverted: bool,
    /// Equal for hunks that were undone together: they return together.
    step: u64,
}

impl UndoneHunk {
    pub(super) fn from_hunk(hunk: &Hunk, text: String, is_users: bool) -> Option<Self> {
        let Hunk { id, base, calls, edited, rejecting, .. } = hunk.clone();
        let is_reverted = is_users && !rejecting;
        (text.len() <= MAX_BYTES).then_some(Self { id, base, text, calls, edited, is_reverted, step: 0 })
    }
}

/// A hunk that the user's edits made equal to the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevertedHunk {
    /// Its first line in the text, from 0.
    pub line: usize,
    /// How many lines it had on its longer side.
    pub lines: usize,
    /// The tool calls that made it.
    pub calls: Vec<Arc<str>>,
}

impl Review {
    /// The hunks that the user's edits made equal to the base: an undo, typing, or an editor's command that reverts
    /// lines. Without those that have returned.
    pub fn reverted_ids(&self) -> HashSet<HunkId> {
        self.undone_hunks.iter().filter(|undone| undone.is_reverted).map(|undone| undone.id).collect()
    }

    /// Where a reverted hunk was; `None` if a newer hunk is there.
    pub fn reverted_hunk(&self, id: HunkId) -> Option<RevertedHunk> {
        let undone = self.undone_hunks.iter().find(|undone| undone.is_reverted && undone.id == id)?;
        let place = self.redo_edits(&[undone])?.pop()?.range;
        let old = self.text.slice(place.clone());
        Some(RevertedHunk {
            line: self.text.count_line_breaks(0..place.start),
            lines: old.lines().count().max(undone.text.lines().count()),
            calls: undone.calls.clone(),
        })
    }

    /// The user's edits as one window that leaves the base, if they make the text equal to the base there or
    /// redo an undone hunk. Among equal lines the edits may lie some lines beside the hunks they mean.
    pub(super) fn find_undo_or_redo(&self, edits: &[Edit]) -> Option<EditWindow> {
        let (first, last) = (edits.first()?, edits.last()?);
        let lines = self.text.line_start(first.range.start)..self.text.line_end(last.range.end);
        let wide = self.text.lines_before(lines.start, MARGIN)..self.text.lines_after(lines.end, MARGIN);
        let starts = [(lines.start, lines.end), (lines.start, wide.end), (wide.start, lines.end)];
        // If the widest window contains nothing, none does.
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

    /// The undone hunks within a piece of the base, in order.
    pub(super) fn undone_in(&self, piece: &Range<usize>) -> Vec<&UndoneHunk> {
        let is_in = |undone: &&UndoneHunk| piece.start <= undone.base.start && undone.base.end <= piece.end;
        let mut found: Vec<_> = self.undone_hunks.iter().filter(is_in).collect();
        found.sort_by_key(|undone| undone.base.start);
        found
    }

    /// The undone hunks that the edits redo, with the matching edits; `is_it` tests a set of edits. Either
    /// everything undone in one step, or a single hunk.
    pub(super) fn find_redone<'a>(
        &self,
        undone: Vec<&'a UndoneHunk>,
        is_it: impl Fn(&[Edit]) -> bool,
    ) -> (Vec<&'a UndoneHunk>, Vec<Edit>) {
        let mut steps: Vec<_> = undone.iter().map(|one| one.step).collect();
        steps.sort_unstable();
        steps.dedup();
        let hunks_of_step =
            |step: u64| undone.iter().copied().filter(|one| one.step == step).collect::<Vec<_>>();
        let together = steps.into_iter().rev().map(hunks_of_step);
        let singles = undone.iter().map(|one| vec![*one]);
        let mut redone = together.chain(singles).filter_map(|set| {
            let edits = self.redo_edits(&set).filter(|edits| is_it(edits))?;
            Some((set, edits))
        });
        redone.next().unwrap_or_default()
    }

    /// The edits of the text that redo them; `None` if a hunk is in the way.
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

    /// Shifts the undone hunks through edits of the base and drops those that the edits touch.
    pub(super) fn shift_undone(&mut self, edits: &[Edit], more: Vec<UndoneHunk>, redone: &[HunkId]) {
        self.undone_hunks.retain(|undone| !redone.contains(&undone.id));
        let step = self.undone_hunks.last().map_or(0, |last| last.step + 1);
        // More than the cap would return only in part.
        for new in Some(more).filter(|more| more.len() <= MAX_UNDONE).into_iter().flatten() {
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
        let surplus = self.undone_hunks.len().saturating_sub(MAX_UNDONE);
        self.undone_hunks.drain(..surplus);
    }
}

pub(super) fn growth(edit: &Edit) -> isize {
    edit.text.len().cast_signed() - edit.range.len().cast_signed()
}
