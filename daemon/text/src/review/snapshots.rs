//! States of a review before the agent's last edits, so that the editor's undo and redo restore them exactly:
//! among equal lines, the text alone does not show whose they are.

use std::collections::HashSet;

use super::review_text::ReviewText;
use super::undone_hunks::UndoneHunk;
use super::{Hunk, HunkOutcome, Review};
use crate::Edit;

/// Snapshots kept, at most, and hunks in each.
const MAX_SNAPSHOTS: usize = 32;
const MAX_HUNKS: usize = 5000;

#[derive(Debug, Clone)]
pub(super) struct HunkSnapshot {
    base: ReviewText,
    pub(super) text: ReviewText,
    hunks: Vec<Hunk>,
}

impl Review {
    pub(super) fn push_snapshot(&mut self) {
        if self.hunks.len() > MAX_HUNKS {
            return;
        }
        if self.snapshots.len() == MAX_SNAPSHOTS {
            self.snapshots.pop_front();
        }
        let (base, text) = (self.base.clone(), self.text.clone());
        self.snapshots.push_back(HunkSnapshot { base, text, hunks: self.hunks.clone() });
    }

    /// Whether undo or redo may restore a state.
    pub fn has_snapshots(&self) -> bool {
        !self.snapshots.is_empty()
    }

    /// If the user's edits restore an earlier text over the same base, restores its hunks and returns true.
    pub(super) fn restore_snapshot(&mut self, edits: &[Edit]) -> bool {
        let mut text = self.text.clone();
        text.apply_edits(edits);
        let is_it = |state: &HunkSnapshot| state.text.equals(&text) && state.base.equals(&self.base);
        let Some(hunks) =
            self.snapshots.iter().rev().find(|state| is_it(state)).map(|state| state.hunks.clone())
        else {
            return false;
        };
        self.push_snapshot();
        let living: HashSet<_> = hunks.iter().map(|hunk| hunk.id).collect();
        let gone = self.hunks.iter().filter(|hunk| !living.contains(&hunk.id));
        let undone = gone.filter_map(|hunk| UndoneHunk::from_hunk(hunk, self.new_text(hunk), true)).collect();
        self.text = text;
        let before = std::mem::replace(&mut self.hunks, hunks);
        let returned: Vec<_> = living.iter().copied().collect();
        self.shift_undone(&[], undone, &returned);
        for hunk in &mut self.hunks {
            hunk.rejecting = false;
        }
        for hunk in before {
            if !living.contains(&hunk.id) {
                self.record_outcome(
                    hunk.id,
                    if hunk.rejecting { HunkOutcome::Rejected } else { HunkOutcome::Vanished },
                );
            }
        }
        true
    }
}
