//! The agent's edits to a document that the user has not decided yet. A review belongs to one session and one
//! document; it holds an accepted base, the live text, and the hunks between them.
//!
//! The agent's edits change the text and leave the base. The user's edits outside hunks change both; within a
//! hunk they become part of it. Keeping a hunk patches the base. Rejecting returns a change of the text,
//! which the daemon applies through the buffer and reports with [`Review::record_rejection`]: until then
//! nothing has happened, and if the buffer refuses, nothing is lost. After each edit only the lines around it
//! are compared again, so that a keystroke costs the same in a long text.
//!
//! What the user types at and across the border of a hunk:
//! - Whole lines inserted at the border are outside, unless the hunk had deleted those very lines: then the
//!   hunk shrinks.
//! - An edit across the border applies to both texts as far as it is outside, and all of its new text goes
//!   into the base: rejecting the hunk never removes it. A line of the base that would run into the hunk's
//!   lines keeps its break.
//! - The editor's undo and redo of the agent's edits arrive as the user's edits. An edit that restores a text
//!   that the review had over the same base restores its hunks; an edit that makes lines equal to the base
//!   removes their hunk, and typing those lines again restores it with its id. Until then the hunk is *reverted*
//!   ([`Review::reverted_ids`]). After a restart only what the lines show is known.
//!
//! Ranges are in bytes and consist of whole lines; a line ends with `\n`, only the last may lack it.
//!
//! Invariant: outside the hunks base and text are equal byte for byte; within a hunk they differ.
//! Invariant: hunks are in text order, and at least one line separates two of them.
//! Invariant: a hunk keeps its id as long as it overlaps what it was.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Change, Edit, StaleChangeError};

mod base_edits;
mod cluster;
mod commit;
mod compare;
mod compose;
mod current_text;
mod decide;
mod decision_error;
mod hunk_identity;
mod hunk_measure;
mod range_shift;
mod refine;
mod review_text;
mod saved_review;
mod snapshots;
mod undone_hunks;
mod view;
mod whole_file;
mod word_diff;

#[cfg(test)]
mod model_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod speed_tests;
#[cfg(test)]
mod tests;

use cluster::{EditWindow, HunkAuthor};
pub use current_text::CurrentText;
pub use decide::{DecidedHunk, HunkDecision, HunkRejection, KeptHunks, LineSelection};
pub use decision_error::HunkDecisionError;
use hunk_measure::HunkMeasure;
use range_shift::RangeShift;
use review_text::ReviewText;
pub use saved_review::{LostHunk, SavedReview, SavedReviewError};
use snapshots::HunkSnapshot;
pub use undone_hunks::RevertedHunk;
use undone_hunks::UndoneHunk;
pub use view::{CutLine, HunkView, WordDiff};
pub use whole_file::{WholeFileChange, WholeFileHunk, WholeFileRejection};

/// Identifies a hunk of a document's review. Never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HunkId(pub u64);

/// The lines of a hunk as a screen showed them. Only the review that made it can compare it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HunkFingerprint(String);

impl HunkFingerprint {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for HunkFingerprint {
    fn from(print: String) -> Self {
        Self(print)
    }
}

/// Base lines and the text lines that replace them; one side may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    pub id: HunkId,
    pub base: Range<usize>,
    pub text: Range<usize>,
    /// The tool calls that made it.
    pub calls: Vec<Arc<str>>,
    /// The user has typed in it.
    pub edited: bool,
    /// Its rejection is on its way to the buffer.
    pub rejecting: bool,
    measure: HunkMeasure,
}

/// How a hunk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkOutcome {
    Kept,
    Rejected,
    /// A commit contains it.
    Committed,
    /// Typed away, undone, or merged into another hunk.
    Vanished,
}

/// Outcomes remembered, at most.
const MAX_OUTCOMES: usize = 4096;

#[derive(Debug, Clone)]
pub struct Review {
    base: ReviewText,
    text: ReviewText,
    hunks: Vec<Hunk>,
    undone_hunks: Vec<UndoneHunk>,
    snapshots: VecDeque<HunkSnapshot>,
    outcomes: VecDeque<(HunkId, HunkOutcome)>,
    file_hunk: Option<WholeFileHunk>,
    next: u64,
    /// Random, so that no input can give two hunks the same fingerprint.
    fingerprint_hasher: RandomState,
}

impl Review {
    /// Starts a review of a document before the agent's first edit.
    pub fn new(text: &str) -> Self {
        Self::from_current(text.into())
    }

    /// Like `new`, but shares the rope of a document that an editor has open.
    pub fn from_current(current: CurrentText<'_>) -> Self {
        let text = current.to_review_text();
        Self {
            base: text.clone(),
            text,
            hunks: Vec::new(),
            undone_hunks: Vec::new(),
            snapshots: VecDeque::new(),
            outcomes: VecDeque::new(),
            file_hunk: None,
            next: 1,
            fingerprint_hasher: RandomState::new(),
        }
    }

    pub fn base(&self) -> String {
        self.base.text()
    }

    pub fn text(&self) -> String {
        self.text.text()
    }

    pub fn has_text(&self, current: CurrentText<'_>) -> bool {
        self.text.equals_current(current)
    }

    /// The size of the text in bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// What a decision on everything must expect now.
    pub fn fingerprint(&self) -> HunkFingerprint {
        let prints: Vec<_> = self.hunks.iter().map(|hunk| self.line_stats(hunk).hash).collect();
        self.fingerprint_of(&(prints, self.file_fingerprint().map(|print| print.0)))
    }

    /// In text order.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Nothing is left to decide.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty() && self.file_hunk.is_none()
    }

    pub fn hunk(&self, id: HunkId) -> Option<&Hunk> {
        self.hunks.iter().find(|hunk| hunk.id == id)
    }

    /// Records the agent's change of the text, made by a tool call.
    pub fn record_agent_change(&mut self, change: &Change, call: &str) -> Result<(), StaleChangeError> {
        self.check(change)?;
        self.push_snapshot();
        let touches = self.edit_windows(change.edits());
        self.apply_edit_windows(touches, HunkAuthor::Agent(call.into()));
        Ok(())
    }

    /// Records the user's change of the text.
    pub fn record_user_change(&mut self, change: &Change) -> Result<(), StaleChangeError> {
        self.check(change)?;
        if !self.restore_snapshot(change.edits()) {
            let step = self.find_undo_or_redo(change.edits()).map(|step| vec![step]);
            let touches = step.unwrap_or_else(|| self.user_edit_windows(change.edits()));
            self.apply_edit_windows(touches, HunkAuthor::User);
        }
        self.revive_typed_file();
        Ok(())
    }

    /// Records edits that the user made at once, in text order.
    pub fn record_user_edits(&mut self, edits: Vec<Edit>) -> Result<(), StaleChangeError> {
        self.record_user_change(&Change::from_edits(edits))
    }

    /// Records the change of a rejection as the buffer applied it, possibly rebased past typing.
    pub fn record_rejection(&mut self, change: &Change) -> Result<(), StaleChangeError> {
        self.check(change)?;
        self.push_snapshot();
        let touches = self.edit_windows(change.edits());
        self.apply_edit_windows(touches, HunkAuthor::Decision(HunkOutcome::Rejected));
        Ok(())
    }

    /// Records what the user wrote in place of a hunk, as the buffer applied it. This keeps the hunk, even if
    /// it contains lines of the base.
    pub fn record_user_rewrite(&mut self, hunk: HunkId, change: &Change) -> Result<(), StaleChangeError> {
        let place = self.hunk(hunk).map(|hunk| RangeShift::new(change.edits()).shift_range(&hunk.text));
        self.unmark_deciding(&[hunk]);
        self.record_user_change(change)?;
        if let Some(place) = place {
            let is_in = |hunk: &&Hunk| place.start <= hunk.text.start && hunk.text.end <= place.end;
            let written: Vec<_> =
                self.hunks.iter().filter(is_in).map(|hunk| self.decision_for(hunk)).collect();
            self.keep(&written);
        }
        Ok(())
    }

    /// A decided hunk may leave the final newline as its only difference, because some editors always write
    /// one: accept it then.
    pub fn settle_final_newline(&mut self, decided: &[HunkId]) {
        const END: [char; 2] = ['\n', '\r'];
        let Some(last) = self.hunks.last().filter(|last| last.text.end == self.text.len()) else { return };
        let is_end = self.old_text(last).trim_end_matches(END) == self.new_text(last).trim_end_matches(END);
        if is_end && decided.contains(&last.id) {
            let end = self.decision_for(last);
            self.unmark_deciding(&[end.hunk]);
            self.keep(&[end]);
        }
    }

    /// Marks a hunk or the file whose decision, other than a rejection, is on its way.
    pub fn mark_deciding(&mut self, id: HunkId) {
        for hunk in self.hunks.iter_mut().filter(|hunk| hunk.id == id) {
            hunk.rejecting = true;
        }
        if let Some(whole) = self.file_hunk.as_mut().filter(|whole| whole.id == id) {
            whole.rejecting = true;
        }
    }

    /// The buffer refused the change of a rejection: these hunks are undecided again.
    pub fn unmark_deciding(&mut self, hunks: &[HunkId]) {
        for hunk in self.hunks.iter_mut().filter(|hunk| hunks.contains(&hunk.id)) {
            hunk.rejecting = false;
        }
        if let Some(whole) = self.file_hunk.as_mut().filter(|whole| hunks.contains(&whole.id)) {
            whole.rejecting = false;
        }
    }

    fn old_text(&self, hunk: &Hunk) -> String {
        self.base.slice(hunk.base.clone())
    }

    fn new_text(&self, hunk: &Hunk) -> String {
        self.text.slice(hunk.text.clone())
    }

    fn hunk_fingerprint(&self, hunk: &Hunk) -> HunkFingerprint {
        HunkFingerprint(format!("{:016x}", self.line_stats(hunk).hash))
    }

    fn fingerprint_of(&self, what: &impl std::hash::Hash) -> HunkFingerprint {
        HunkFingerprint(format!("{:016x}", self.fingerprint_hasher.hash_one(what)))
    }

    fn allocate_id(&mut self) -> HunkId {
        let id = HunkId(self.next);
        self.next += 1;
        id
    }

    fn record_outcome(&mut self, hunk: HunkId, end: HunkOutcome) {
        if self.outcomes.len() == MAX_OUTCOMES {
            self.outcomes.pop_front();
        }
        self.outcomes.push_back((hunk, end));
    }

    fn edit_windows(&self, edits: &[Edit]) -> Vec<EditWindow> {
        edits.iter().map(|edit| EditWindow::new(&self.text, edit.clone())).collect()
    }

    fn user_edit_windows(&self, edits: &[Edit]) -> Vec<EditWindow> {
        let mut touches = self.edit_windows(&self.refine_edits(edits));
        for touch in &mut touches {
            touch.base = touch.text.iter().flat_map(|edit| self.base_edits(edit)).collect();
        }
        touches
    }

    /// Edits from outside may be invalid.
    fn check(&self, change: &Change) -> Result<(), StaleChangeError> {
        let mut at = 0;
        for Range { start, end } in change.edits().iter().map(|edit| edit.range.clone()) {
            let stands = at <= start
                && start <= end
                && self.text.is_char_boundary(start)
                && self.text.is_char_boundary(end);
            if !stands {
                return Err(StaleChangeError { range: start..end });
            }
            at = end;
        }
        Ok(())
    }
}
