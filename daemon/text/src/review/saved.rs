//! A review on the disk, and how it finds its place again in a text that may have changed meanwhile.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::body::Body;
use super::cluster::{Hand, Touch};
use super::moved::Moved;
use super::{End, Hunk, HunkId, Review, WholeHunk};
use crate::{Change, Edit};

/// The text follows from the base and the hunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    base: String,
    hunks: Vec<SavedHunk>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    whole: Option<WholeHunk>,
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

/// A hunk whose lines are no longer there. It is undecided no more; the text is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    pub id: HunkId,
    pub by: Vec<Arc<str>>,
    pub old: String,
    pub new: String,
}

/// What was read is no review.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Broken {
    #[error("the saved review is damaged: {0} does not fit into its base")]
    Place(HunkId),
    #[error("the saved review is damaged: {0} changes nothing")]
    Same(HunkId),
    #[error("the saved review is damaged: the id of {0} is used twice or was never given")]
    Id(HunkId),
}

impl Review {
    /// What of it can be saved; what it remembers besides is much more, and stays here.
    pub fn to_save(&self) -> Self {
        Self {
            base: self.base.clone(),
            text: self.text.clone(),
            hunks: self.hunks.clone(),
            whole: self.whole.clone(),
            next: self.next,
            ..Self::new("")
        }
    }

    pub fn saved(&self) -> Saved {
        let saved = |hunk: &Hunk| SavedHunk {
            id: hunk.id,
            base: hunk.base.clone(),
            text: self.new_text(hunk),
            by: hunk.by.clone(),
            edited: hunk.edited,
        };
        Saved {
            base: self.base(),
            hunks: self.hunks.iter().map(saved).collect(),
            whole: self.whole.clone(),
            next: self.next,
        }
    }

    /// The review as it was, of a text that nobody can look at now.
    pub fn reopen(saved: Saved) -> Result<Self, Broken> {
        saved.review()
    }

    /// The review of a text as it is now. What it is other than when it was saved, a person did.
    pub fn restore(saved: Saved, live: &str) -> Result<(Self, Vec<Lost>), Broken> {
        let mut review = saved.review()?;
        let before = review.text();
        let change = Change::between(&before, live);
        let hunks = review.hunks.clone();
        let entry = |hunk: &Hunk| (review.old(hunk), review.new_text(hunk));
        let lines: Vec<_> = hunks.iter().map(entry).collect();
        // Cannot be refused: it was made for this very text.
        let _ = review.person(&change);
        let lost: Vec<_> = hunks
            .into_iter()
            .zip(lines)
            .filter(|(hunk, _)| review.is_lost(hunk, change.edits()))
            .map(|(hunk, (old, new))| Lost { id: hunk.id, by: hunk.by, old, new })
            .collect();
        review.forget(&lost);
        Ok((review, lost))
    }

    /// Whether what a hunk was before edits is gone: its lines, or, where it has none, the lines around its place.
    fn is_lost(&self, hunk: &Hunk, edits: &[Edit]) -> bool {
        let now = Moved::by(edits).range(&hunk.text);
        let near = self.ending_before(now.start);
        let Some(found) = self.hunks.get(near).filter(|found| found.text.start <= now.end) else {
            return true;
        };
        if hunk.text.is_empty() {
            let place = hunk.text.start;
            return edits.iter().any(|edit| edit.range.start < place && place < edit.range.end);
        }
        found.text.is_empty()
    }

    /// The base takes what stands in the place of these.
    fn forget(&mut self, lost: &[Lost]) {
        let is_lost = |hunk: &&Hunk| lost.iter().any(|lost| lost.id == hunk.id);
        let touch = |hunk: &Hunk| {
            let edit = Edit { range: hunk.base.clone(), text: self.new_text(hunk) };
            Touch { window: hunk.text.clone(), text: Vec::new(), base: vec![edit] }
        };
        let touches = self.hunks.iter().filter(is_lost).map(touch).collect();
        self.work(touches, Hand::Desk(End::Vanished));
    }
}

impl Saved {
    /// Read from elsewhere it promises nothing.
    fn review(self) -> Result<Review, Broken> {
        let mut review = Review::new(&self.base);
        let (mut text, mut at) = (String::new(), 0);
        let mut ids: Vec<_> = self.hunks.iter().map(|hunk| hunk.id).collect();
        ids.extend(self.whole.as_ref().map(|whole| whole.id));
        ids.sort_unstable();
        let twice =
            ids.windows(2).find_map(|pair| (pair.first() == pair.last()).then(|| pair.first().copied()));
        let foreign = ids.iter().copied().find(|id| id.0 == 0 || id.0 >= self.next);
        if let Some(id) = twice.flatten().or(foreign) {
            return Err(Broken::Id(id));
        }
        for SavedHunk { id, base, text: new, by, edited } in self.hunks {
            let (kept, old) = (self.base.get(at..base.start), self.base.get(base.clone()));
            let (Some(kept), Some(old)) = (kept, old) else { return Err(Broken::Place(id)) };
            let is_last = base.end == self.base.len();
            let is_first = review.hunks.is_empty();
            let is_lines = |text: &str| text.is_empty() || text.ends_with('\n') || is_last;
            let follows = is_first || !kept.is_empty();
            let begins_line = kept.is_empty() && is_first || kept.ends_with('\n');
            if !follows || !begins_line || !is_lines(old) || !is_lines(&new) {
                return Err(Broken::Place(id));
            }
            if old == new {
                return Err(Broken::Same(id));
            }
            text.push_str(kept);
            let start = text.len();
            text.push_str(&new);
            at = base.end;
            let text = start..text.len();
            review.hunks.push(Hunk { id, base, text, by, edited, rejecting: false });
        }
        text.push_str(self.base.get(at..).unwrap_or_default());
        review.text = Body::new(&text);
        (review.whole, review.next) = (self.whole, self.next);
        Ok(review)
    }
}
