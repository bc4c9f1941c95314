//! Accepts proposed hunks in whose lines the user has typed meanwhile: both are merged, or nothing is changed.

use copydesk_text::rebase;
use copydesk_text::review::{HunkFingerprint, HunkId, WholeFileChange};

use super::tracked_review::TrackedReview;
use super::{DecisionTarget, HunkVerdict, ReviewProposal, ReviewTracker, UserDecision};

impl TrackedReview {
    /// Whether the decision accepts lines into which the user has typed since they were proposed.
    pub(super) fn needs_merge(&self, decision: &UserDecision) -> bool {
        let DecisionTarget::Hunk(hunk) = decision.target else { return false };
        decision.verdict == HunkVerdict::Accept && decision.text.is_none() && self.has_typing(hunk)
    }

    /// The hunk of a file that a call has moved, and what a decision on it must expect.
    fn renamed_file(&self) -> Option<(HunkId, HunkFingerprint)> {
        let whole = self.review.file_hunk().filter(|_| !self.is_proposal())?;
        let is_renamed = matches!(whole.kind, WholeFileChange::Renamed { .. });
        Some(whole.id).filter(|_| is_renamed).zip(self.review.file_fingerprint())
    }

    fn has_typing(&self, hunk: HunkId) -> bool {
        let is_edited = || self.review.hunk(hunk).is_some_and(|hunk| hunk.edited);
        self.is_proposal() && !self.is_new_file() && is_edited()
    }

    /// The lines of a hunk with the proposed change and what the user typed. `None` if they contradict each other.
    pub(super) fn merged_lines(&self, hunk: HunkId) -> Option<String> {
        let proposed = &self.waiting_call.as_ref()?.proposed;
        let (first, last) = (proposed.hunk(hunk)?, self.review.hunk(hunk)?);
        if proposed.base_text(first) != self.review.base_text(last) {
            // Typing has joined it with another hunk.
            return None;
        }
        let change = proposed.clone().reject(&[proposed.decision_for(first)]).change;
        let now = self.review.text();
        let change = rebase(&proposed.text(), &change, &now).ok()?;
        let mut lines = String::new();
        let mut at = last.text.start;
        for edit in change.edits() {
            lines.push_str(now.get(at..edit.range.start)?);
            lines.push_str(&edit.text);
            at = edit.range.end;
        }
        lines.push_str(now.get(at..last.text.end)?);
        Some(lines)
    }
}

impl ReviewTracker {
    /// The decisions on each hunk, if the user decides on everything and that takes several steps: a file has moved, or the
    /// user has typed in what they accept. `None` if one decision will do, or if the review has changed since it was
    /// shown.
    pub(crate) fn decisions_per_hunk(
        &self,
        session: &str,
        decision: &UserDecision,
    ) -> Option<Vec<UserDecision>> {
        let mut state = self.lock();
        let tracked = state.find(session, decision.review)?;
        let renamed = tracked.renamed_file();
        let has_typing = || tracked.review.hunks().iter().any(|hunk| tracked.has_typing(hunk.id));
        let is_stepwise = renamed.is_some() || decision.verdict == HunkVerdict::Accept && has_typing();
        let is_plain = decision.text.is_none() && decision.lines.is_none();
        let is_all = decision.target == DecisionTarget::Everything;
        if !is_all || !is_plain || !is_stepwise || tracked.review.fingerprint() != decision.expected {
            return None;
        }
        // The file comes first: decisions on lines change its text.
        let lines = tracked.review.all_decisions().into_iter().map(|one| (one.hunk, one.expected));
        let each = renamed.into_iter().chain(lines).enumerate();
        let each = each.map(|(at, (hunk, expected))| UserDecision {
            target: DecisionTarget::Hunk(hunk),
            expected,
            // Report the comment once.
            comment: decision.comment.clone().filter(|_| at == 0),
            ..decision.clone()
        });
        Some(each.collect())
    }
}

impl ReviewProposal {
    /// Whether the user has typed in lines that it would change.
    pub fn has_typing(&self) -> bool {
        self.any_hunk(TrackedReview::has_typing)
    }

    /// Whether what they typed contradicts it.
    pub fn has_conflict(&self) -> bool {
        self.any_hunk(|tracked, hunk| tracked.has_typing(hunk) && tracked.merged_lines(hunk).is_none())
    }

    fn any_hunk(&self, is_it: impl Fn(&TrackedReview, HunkId) -> bool) -> bool {
        let mut state = self.reviews.lock();
        let tracked = state.find(&self.session, self.id);
        tracked.is_some_and(|tracked| tracked.review.hunks().iter().any(|hunk| is_it(tracked, hunk.id)))
    }
}
