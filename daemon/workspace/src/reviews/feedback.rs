//! Feedback: what users did with an agent's edits that its model does not know yet.

use std::sync::Arc;

use super::tracked_review::TrackedReview;
use super::{ReviewTracker, SessionReviews};
use crate::review_feedback::{FeedbackItem, FeedbackKind, ReviewFeedback};

/// The cap on open hunks to list.
const MAX_OPEN_HUNKS: usize = 20;

/// The user's comment on lines, without a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineComment {
    pub display_path: String,
    /// From 0.
    pub line: usize,
    pub lines: usize,
    pub text: String,
    /// The commented lines.
    pub commented_lines: Option<String>,
}

impl ReviewTracker {
    /// Returns how many comments wait, including this one.
    pub fn add_comment(&self, session: &str, comment: LineComment) -> usize {
        let mut state = self.lock();
        let feedback = &mut state.session_mut(session).feedback;
        feedback.add(FeedbackItem {
            shown: comment.display_path,
            line: comment.line + 1,
            lines: comment.lines,
            happened: FeedbackKind::Commented,
            partly: false,
            comment: Some(comment.text),
            text: comment.commented_lines,
            by: Vec::new(),
        });
        let comments = feedback.comment_count();
        state.session_mut(session).signal_change();
        drop(state);
        self.persist_feedback(session);
        comments
    }

    /// The feedback that the model has not received yet, the newest items.
    pub fn pending_feedback(&self, session: &str, most: usize) -> Vec<FeedbackItem> {
        let mut state = self.lock();
        let items = &state.session_mut(session).feedback.items;
        items.iter().skip(items.len().saturating_sub(most)).cloned().collect()
    }

    pub fn comment_count(&self, session: &str) -> usize {
        self.lock().session_mut(session).feedback.comment_count()
    }

    /// Takes the feedback for the model: decisions, comments, and typing in undecided hunks. For each
    /// document with any of these, it also lists the hunks that are still open.
    pub fn take_feedback(&self, session: &str) -> ReviewFeedback {
        self.drain_feedback(session, None)
    }

    /// Takes the feedback on one call's edits, for the subagent that works for it.
    pub fn take_call_feedback(&self, session: &str, call: &str) -> ReviewFeedback {
        self.drain_feedback(session, Some(call))
    }

    fn drain_feedback(&self, session: &str, call: Option<&str>) -> ReviewFeedback {
        let mut state = self.lock();
        let session_reviews = state.session_mut(session);
        session_reviews.note_typing(call);
        session_reviews.note_reverted(call);
        let mut feedback = std::mem::take(&mut session_reviews.feedback);
        if call.is_some() {
            let items = std::mem::take(&mut feedback.items);
            let (wanted, others) = items.into_iter().partition(|item| is_by(&item.by, call));
            // The dropped items may belong to any call.
            session_reviews.feedback =
                std::mem::replace(&mut feedback, ReviewFeedback { items: wanted, left_out: 0 });
            session_reviews.feedback.items = others;
        }
        let spoken_of =
            |tracked: &&TrackedReview| feedback.items.iter().any(|item| item.shown == tracked.display_path);
        let open: Vec<_> = session_reviews
            .reviews
            .values()
            .filter(|tracked| !tracked.is_proposal())
            .filter(spoken_of)
            .flat_map(|tracked| tracked.open(call))
            .take(MAX_OPEN_HUNKS)
            .collect();
        feedback.items.extend(open);
        session_reviews.signal_change();
        drop(state);
        self.persist_feedback(session);
        feedback
    }

    /// Returns feedback that could not be reported.
    pub fn return_feedback(&self, session: &str, feedback: ReviewFeedback) {
        let mut state = self.lock();
        let session_reviews = state.session_mut(session);
        session_reviews.feedback.put_before(feedback);
        session_reviews.signal_change();
        drop(state);
        self.persist_feedback(session);
    }
}

impl SessionReviews {
    fn note_typing(&mut self, call: Option<&str>) {
        for tracked in self.reviews.values_mut().filter(|tracked| !tracked.is_proposal()) {
            let mut items = Vec::new();
            let edited =
                tracked.review.hunks_with_lines().filter(|(hunk, _)| hunk.edited && is_by(&hunk.calls, call));
            for (hunk, line) in edited {
                let decision = tracked.review.decision_for(hunk);
                if tracked.noted.get(&hunk.id) == Some(&decision.expected) {
                    continue;
                }
                let text = tracked.review.hunk_text(hunk);
                let item = FeedbackItem {
                    shown: tracked.display_path.clone(),
                    line: line + 1,
                    lines: text.lines().count(),
                    happened: FeedbackKind::Edited,
                    partly: false,
                    comment: None,
                    text: Some(text),
                    by: hunk.calls.clone(),
                };
                items.push((decision, item));
            }
            for (decision, item) in items {
                tracked.noted.insert(decision.hunk, decision.expected);
                self.feedback.add(item);
            }
        }
    }

    /// A hunk that the user reverted in an editor is rejected: by an undo, by typing, or by an editor's own command.
    fn note_reverted(&mut self, call: Option<&str>) {
        for tracked in self.reviews.values_mut() {
            let ids = std::mem::take(&mut tracked.reverted).into_iter();
            let mut hunks: Vec<_> =
                ids.filter_map(|id| Some((id, tracked.review.reverted_hunk(id)?))).collect();
            hunks.sort_by_key(|(_, hunk)| hunk.line);
            for (id, hunk) in hunks {
                if !is_by(&hunk.calls, call) {
                    tracked.reverted.insert(id);
                    continue;
                }
                self.feedback.add(FeedbackItem {
                    shown: tracked.display_path.clone(),
                    line: hunk.line + 1,
                    lines: hunk.lines,
                    happened: FeedbackKind::Rejected,
                    partly: false,
                    comment: None,
                    text: None,
                    by: hunk.calls,
                });
            }
        }
    }
}

impl TrackedReview {
    /// The hunks that the user has not touched.
    fn open<'a>(&'a self, call: Option<&'a str>) -> impl Iterator<Item = FeedbackItem> + 'a {
        let open = self.review.hunks_with_lines().filter(|(hunk, _)| !hunk.edited && !hunk.rejecting);
        let open = open.filter(move |(hunk, _)| is_by(&hunk.calls, call));
        open.map(|(hunk, line)| FeedbackItem {
            shown: self.display_path.clone(),
            line: line + 1,
            lines: self.review.hunk_text(hunk).lines().count(),
            happened: FeedbackKind::Open,
            partly: false,
            comment: None,
            text: None,
            by: hunk.calls.clone(),
        })
    }
}

/// Without a call, every item matches.
fn is_by(by: &[Arc<str>], call: Option<&str>) -> bool {
    call.is_none_or(|call| by.iter().any(|by| **by == *call))
}
