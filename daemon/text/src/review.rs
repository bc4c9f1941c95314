//! What of the agent's edits to a document a person has not decided yet: for one session and one document an accepted
//! base, the live text, and the hunks between them.
//!
//! The agent's edits change the text and leave the base. A person's edits outside of hunks change both; within a hunk
//! they become part of it. Keeping a hunk patches the base. Rejecting gives a change of the text, which the desk makes
//! through the buffer and tells with [`ReviewInfo::rejected`]: until then nothing has happened, and if the buffer refuses,
//! nothing is lost. After each edit only the lines around it are compared anew, so that a keystroke costs the same in a
//! long text.
//!
//! What a person types at and across the border of a hunk:
//! - Whole lines inserted at the border are outside, unless the hunk had taken those very lines away: then it is smaller.
//! - An edit across the border is made in both texts as far as it is outside, and all that it types goes into the base:
//!   rejecting the hunk never takes it along. A line of the base that would run into the hunk's keeps its break.
//! - The editor's undo and redo of the agent's edits come as a person's. An edit that leads back to a text the review has
//!   been at over the same base leads back to its hunks; one that makes lines what the base has takes their hunk away,
//!   and typing those lines again brings it back with its id. After a restart only what is visible in the lines is known.
//!
//! Ranges are in bytes and begin and end with lines; a line ends with `\n`, only the last may lack it.
//!
//! Invariant: outside of the hunks base and text are the same to the byte; a hunk's lines of both differ.
//! Invariant: hunks are in the order of the text, and between two of them stands at least one line.
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
use undone_hunks::UndoneHunk;
pub use view::{HunkView, WordDiff};
pub use whole_file::{WholeFileChange, WholeFileHunk, WholeFileRejection};

/// Which hunk of a document's review. Not used again for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HunkId(pub u64);

/// What the lines of a hunk were when a screen showed it. Means something only to the review that made it.
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

/// Lines of the base that are others in the text, or on one side none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    pub id: HunkId,
    pub base: Range<usize>,
    pub text: Range<usize>,
    /// The calls that made it.
    pub calls: Vec<Arc<str>>,
    /// A person has typed in it.
    pub edited: bool,
    /// Its rejection is on the way through the buffer.
    pub rejecting: bool,
    measure: HunkMeasure,
}

/// What became of a hunk that is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkOutcome {
    Kept,
    Rejected,
    /// It stands in a commit.
    Committed,
    /// Typed away, undone, or part of another hunk.
    Vanished,
}

/// Of how many hunks that are no more it is known what became of them.
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
    /// Nobody outside can make two hunks with the same print.
    fingerprint_hasher: RandomState,
}

impl Review {
    /// Of a document as it is before the agent's first edit.
    pub fn new(text: &str) -> Self {
        Self::from_current(text.into())
    }

    /// The same of a text that an editor may have open, with which it is shared then.
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

    /// Whether this is the text.
    pub fn has_text(&self, current: CurrentText<'_>) -> bool {
        self.text.equals_current(current)
    }

    /// Of the text, in bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// What is expected by a decision on everything as it is now.
    pub fn fingerprint(&self) -> HunkFingerprint {
        let prints: Vec<_> = self.hunks.iter().map(|hunk| self.line_stats(hunk).hash).collect();
        self.fingerprint_of(&(prints, self.file_fingerprint().map(|print| print.0)))
    }

    /// In the order of the text.
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

    /// What the agent did to the text, with the id of its call.
    pub fn record_agent_change(&mut self, change: &Change, call: &str) -> Result<(), StaleChangeError> {
        self.check(change)?;
        self.push_snapshot();
        let touches = self.edit_windows(change.edits());
        self.apply_edit_windows(touches, HunkAuthor::Agent(call.into()));
        Ok(())
    }

    /// What a person did to the text.
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

    /// The change of a rejection, as the buffer took it: where it was moved past typing, as it was moved.
    pub fn record_rejection(&mut self, change: &Change) -> Result<(), StaleChangeError> {
        self.check(change)?;
        self.push_snapshot();
        let touches = self.edit_windows(change.edits());
        self.apply_edit_windows(touches, HunkAuthor::Decision(HunkOutcome::Rejected));
        Ok(())
    }

    /// What a person wrote in the place of a hunk, as the buffer took it: with that it is kept, whatever lines of the
    /// base are in it.
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

    /// What is left of decided hunks may be the end of the last line, which some editors do not give up: then that is as
    /// it should be.
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

    /// A hunk, or the file, that is decided in another way than by a rejection is on its way as well.
    pub fn mark_deciding(&mut self, id: HunkId) {
        for hunk in self.hunks.iter_mut().filter(|hunk| hunk.id == id) {
            hunk.rejecting = true;
        }
        if let Some(whole) = self.file_hunk.as_mut().filter(|whole| whole.id == id) {
            whole.rejecting = true;
        }
    }

    /// The buffer did not take the change of a rejection: these hunks are undecided again.
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

    /// Edits from elsewhere promise nothing.
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
