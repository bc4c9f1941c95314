//! A review on disk, and its restoration over a text that may have changed meanwhile.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::cluster::{EditWindow, HunkAuthor};
use super::hunk_measure::HunkMeasure;
use super::range_shift::RangeShift;
use super::review_text::ReviewText;
use super::{Hunk, HunkId, HunkOutcome, Review, WholeFileHunk};
use crate::{Change, Edit};

/// The text is derived from the base and the hunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedReview {
    base: String,
    hunks: Vec<SavedHunk>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<WholeFileHunk>,
    next: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct SavedHunk {
    id: HunkId,
    base: Range<usize>,
    text: String,
    by: Vec<Arc<str>>,
    edited: bool,
}

/// A hunk whose lines no longer exist. It is no longer undecided; the text stays as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostHunk {
    pub id: HunkId,
    pub calls: Vec<Arc<str>>,
    pub old: String,
    pub new: String,
}

/// The saved data is not a valid review.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SavedReviewError {
    #[error("the saved review is damaged: {0} does not fit into its base")]
    InvalidRange(HunkId),
    #[error("the saved review is damaged: {0} changes nothing")]
    NoChange(HunkId),
    #[error("the saved review is damaged: the id of {0} is used twice or was never issued")]
    InvalidId(HunkId),
}

impl Review {
    /// The part that can be saved; the history is much larger and stays in memory.
    pub fn without_history(&self) -> Self {
        Self {
            base: self.base.clone(),
            text: self.text.clone(),
            hunks: self.hunks.clone(),
            file_hunk: self.file_hunk.clone(),
            next: self.next,
            ..Self::new("")
        }
    }

    pub fn to_saved(&self) -> SavedReview {
        let saved = |hunk: &Hunk| SavedHunk {
            id: hunk.id,
            base: hunk.base.clone(),
            text: self.new_text(hunk),
            by: hunk.calls.clone(),
            edited: hunk.edited,
        };
        SavedReview {
            base: self.base(),
            hunks: self.hunks.iter().map(saved).collect(),
            whole: self.file_hunk.clone(),
            next: self.next,
        }
    }

    /// The review as saved, for a text that cannot be read now.
    pub fn from_saved(saved: SavedReview) -> Result<Self, SavedReviewError> {
        saved.into_review()
    }

    /// The review over the present text. Every difference from the saved text counts as the user's edit.
    pub fn restore(saved: SavedReview, live: &str) -> Result<(Self, Vec<LostHunk>), SavedReviewError> {
        let mut review = saved.into_review()?;
        let before = review.text();
        let change = Change::between(&before, live);
        let hunks = review.hunks.clone();
        let entry = |hunk: &Hunk| (review.old_text(hunk), review.new_text(hunk));
        let lines: Vec<_> = hunks.iter().map(entry).collect();
        // Cannot fail: the change was made for this very text.
        let _ = review.record_user_change(&change);
        let lost: Vec<_> = hunks
            .into_iter()
            .zip(lines)
            .filter(|(hunk, _)| review.is_lost(hunk, change.edits()))
            .map(|(hunk, (old, new))| LostHunk { id: hunk.id, calls: hunk.calls, old, new })
            .collect();
        review.forget_hunks(&lost);
        Ok((review, lost))
    }

    /// Whether the edits removed the hunk: its lines or, if it has none, the lines around its place.
    fn is_lost(&self, hunk: &Hunk, edits: &[Edit]) -> bool {
        let now = RangeShift::new(edits).shift_range(&hunk.text);
        let near = self.first_hunk_reaching(now.start);
        let Some(found) = self.hunks.get(near).filter(|found| found.text.start <= now.end) else {
            return true;
        };
        if hunk.text.is_empty() {
            let place = hunk.text.start;
            return edits.iter().any(|edit| edit.range.start < place && place < edit.range.end);
        }
        found.text.is_empty()
    }

    /// Copies the text at these hunks into the base.
    fn forget_hunks(&mut self, lost: &[LostHunk]) {
        let is_lost = |hunk: &&Hunk| lost.iter().any(|lost| lost.id == hunk.id);
        let touch = |hunk: &Hunk| {
            let edit = Edit { range: hunk.base.clone(), text: self.new_text(hunk) };
            EditWindow { window: hunk.text.clone(), text: Vec::new(), base: vec![edit] }
        };
        let touches = self.hunks.iter().filter(is_lost).map(touch).collect();
        self.apply_edit_windows(touches, HunkAuthor::Decision(HunkOutcome::Vanished));
    }
}

impl SavedReview {
    /// Validates the saved data, which may be damaged.
    fn into_review(self) -> Result<Review, SavedReviewError> {
        let mut review = Review::new(&self.base);
        let (mut text, mut at) = (String::new(), 0);
        let mut ids: Vec<_> = self.hunks.iter().map(|hunk| hunk.id).collect();
        ids.extend(self.whole.as_ref().map(|whole| whole.id));
        ids.sort_unstable();
        let twice =
            ids.windows(2).find_map(|pair| (pair.first() == pair.last()).then(|| pair.first().copied()));
        let foreign = ids.iter().copied().find(|id| id.0 == 0 || id.0 >= self.next);
        if let Some(id) = twice.flatten().or(foreign) {
            return Err(SavedReviewError::InvalidId(id));
        }
        for SavedHunk { id, base, text: new, by, edited } in self.hunks {
            let (kept, old) = (self.base.get(at..base.start), self.base.get(base.clone()));
            let (Some(kept), Some(old)) = (kept, old) else { return Err(SavedReviewError::InvalidRange(id)) };
            let is_last = base.end == self.base.len();
            let is_first = review.hunks.is_empty();
            let is_lines = |text: &str| text.is_empty() || text.ends_with('\n') || is_last;
            let follows = is_first || !kept.is_empty();
            let begins_line = kept.is_empty() && is_first || kept.ends_with('\n');
            if !follows || !begins_line || !is_lines(old) || !is_lines(&new) {
                return Err(SavedReviewError::InvalidRange(id));
            }
            if old == new {
                return Err(SavedReviewError::NoChange(id));
            }
            text.push_str(kept);
            let start = text.len();
            text.push_str(&new);
            at = base.end;
            let text = start..text.len();
            review.hunks.push(Hunk {
                id,
                base,
                text,
                calls: by,
                edited,
                rejecting: false,
                measure: HunkMeasure::default(),
            });
        }
        text.push_str(self.base.get(at..).unwrap_or_default());
        review.text = ReviewText::new(&text);
        (review.file_hunk, review.next) = (self.whole, self.next);
        Ok(review)
    }
}
