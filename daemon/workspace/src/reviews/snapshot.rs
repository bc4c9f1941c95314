//! Reviews as viewers see them: all of them, and later their changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use copydesk_text::review::{Hunk, HunkFingerprint, HunkId, HunkView, WholeFileHunk, WordDiff};

use super::tracked_review::{PublishedHunk, TrackedReview};
use super::{ReviewDiagnostic, ReviewId, ReviewTracker, SessionReviews};

/// The cap on hunks of one review that viewers get at once. Decisions make room for the rest.
const MAX_HUNKS: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewTiming {
    /// With the ask that waits for it.
    Before {
        ask: Option<String>,
    },
    After,
}

/// One review. In its hunks, old and new are as the user sees them, whichever of the two is in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewSnapshot {
    pub id: ReviewId,
    pub name: PathBuf,
    pub display_path: String,
    pub timing: ReviewTiming,
    /// The model is still writing it.
    pub is_streaming: bool,
    pub print: HunkFingerprint,
    pub whole: Option<(WholeFileHunk, HunkFingerprint)>,
    pub hunks: Vec<HunkView>,
    /// The diagnostics on their new lines, for hunks that have any.
    pub diagnostics: HashMap<HunkId, Vec<ReviewDiagnostic>>,
    pub total: usize,
    /// In lines, of all hunks.
    pub additions: usize,
    pub deletions: usize,
}

/// The changes of one review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewUpdate {
    /// With only the hunks that are new or changed.
    pub snapshot: ReviewSnapshot,
    pub removed_hunks: Vec<HunkId>,
    /// Why the proposal failed.
    pub failure: Option<String>,
}

impl ReviewTracker {
    /// The undecided reviews of a session, by document.
    pub fn list_reviews(&self, session: &str, name: Option<&Path>, skip: usize) -> Vec<ReviewSnapshot> {
        let mut state = self.lock();
        let reviews = state.session_mut(session).reviews.values();
        let wanted =
            |tracked: &&TrackedReview| name.is_none_or(|name| tracked.name == name) && !tracked.is_decided();
        let mut views: Vec<_> = reviews.filter(wanted).map(|tracked| tracked.view(skip)).collect();
        views.sort_by(|one, other| (&one.display_path, one.id).cmp(&(&other.display_path, other.id)));
        views
    }

    /// The sessions that have undecided reviews. Stored ones that are not loaded are missing.
    pub fn sessions_with_reviews(&self) -> Vec<String> {
        let state = self.lock();
        let has_undecided = |reviews: &SessionReviews| reviews.reviews.values().any(|one| !one.is_decided());
        let with = state.sessions.iter().filter(|(_, reviews)| has_undecided(reviews));
        with.map(|(session, _)| session.clone()).collect()
    }

    /// The changes since the last call. A review that is over is reported once and then removed.
    pub fn take_updates(&self, session: &str) -> Vec<ReviewUpdate> {
        let mut state = self.lock();
        let session_reviews = state.session_mut(session);
        let changed = session_reviews.reviews.values_mut().filter(|tracked| tracked.is_changed);
        let changes = changed.map(TrackedReview::change).collect();
        let is_kept = self.journal.is_some();
        session_reviews.reviews.retain(|_, tracked| {
            let is_needed = tracked.is_proposal() && !tracked.is_answered();
            // Keep it until it is stored, or a restart would bring back the old state.
            let is_to_be_kept = is_kept && tracked.is_unsaved && !tracked.is_proposal();
            !tracked.is_decided()
                || is_needed
                || is_to_be_kept
                || tracked.decisions_in_progress > 0
                || tracked.may_reappear()
                || !tracked.reverted.is_empty()
        });
        changes
    }
}

impl TrackedReview {
    pub(super) fn view(&self, skip: usize) -> ReviewSnapshot {
        self.view_where(skip, |_| true)
    }

    fn view_where(&self, skip: usize, is_wanted: impl Fn(&Hunk) -> bool) -> ReviewSnapshot {
        let (old, new) = self.review.count_lines();
        let is_turned = self.is_proposal() && self.review.file_hunk().is_none();
        let (deletions, additions) = if is_turned { (new, old) } else { (old, new) };
        let mut hunks = self.review.view_hunks_where(skip..skip.saturating_add(MAX_HUNKS), is_wanted);
        if is_turned {
            hunks.iter_mut().for_each(turn);
        }
        let with_problems = self.review.hunks().iter().map(|hunk| (hunk.id, self.hunk_diagnostics(hunk)));
        let problems = match self.problems.is_empty() {
            true => HashMap::new(),
            false => with_problems.map(|(id, problems)| (id, problems.to_vec())).collect(),
        };
        ReviewSnapshot {
            id: self.id,
            name: self.name.clone(),
            display_path: self.display_path.clone(),
            timing: match &self.waiting_call {
                Some(proposed) => ReviewTiming::Before { ask: proposed.ask.clone() },
                None => ReviewTiming::After,
            },
            is_streaming: self.waiting_call.as_ref().is_some_and(|proposed| proposed.is_streaming),
            print: self.review.fingerprint(),
            whole: self.review.file_hunk().cloned().zip(self.review.file_fingerprint()),
            total: self.review.hunks().len(),
            hunks,
            diagnostics: problems,
            additions,
            deletions,
        }
    }

    fn change(&mut self) -> ReviewUpdate {
        let state = |hunk: &Hunk| PublishedHunk {
            expected: self.review.decision_for(hunk).expected,
            edited: hunk.edited,
            rejecting: hunk.rejecting,
            problems: self.hunk_diagnostics(hunk).to_vec(),
        };
        let page = self.review.hunks().iter().take(MAX_HUNKS);
        let now: HashMap<_, _> = page.map(|hunk| (hunk.id, state(hunk))).collect();
        let gone = self.published_hunks.keys().filter(|id| !now.contains_key(id)).copied().collect();
        let view = self.view_where(0, |hunk| self.published_hunks.get(&hunk.id) != now.get(&hunk.id));
        self.published_hunks = now;
        self.is_changed = false;
        ReviewUpdate { snapshot: view, removed_hunks: gone, failure: self.failed.take() }
    }
}

/// The document's text is the old one, the call's the new one.
fn turn(hunk: &mut HunkView) {
    std::mem::swap(&mut hunk.old, &mut hunk.new);
    std::mem::swap(&mut hunk.old_lines, &mut hunk.new_lines);
    std::mem::swap(&mut hunk.old_cut, &mut hunk.new_cut);
    hunk.words.iter_mut().for_each(|WordDiff { old, new, .. }| std::mem::swap(old, new));
}
