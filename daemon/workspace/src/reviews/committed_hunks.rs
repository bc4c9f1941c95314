//! Committed hunks count as kept.

use std::path::Path;

use super::{ReviewTracker, SessionReviews};
use crate::review_feedback::{FeedbackItem, FeedbackKind};

impl ReviewTracker {
    pub(crate) fn has_head(&self, session: &str) -> bool {
        self.lock().session_mut(session).head.is_some()
    }

    /// Sets the checked-out commit; empty if there is none. Returns the one before it, if known and
    /// different.
    pub(crate) fn replace_head(&self, session: &str, head: &str) -> Option<String> {
        let before = self.lock().session_mut(session).head.replace(head.to_owned());
        before.filter(|before| before != head && !before.is_empty())
    }

    /// Keeps the hunks that are in the committed text of a document.
    pub(crate) fn keep_committed_hunks(&self, session: &str, name: &Path, committed: &str) {
        let mut state = self.lock();
        let SessionReviews { reviews, feedback, changed, .. } = state.session_mut(session);
        for tracked in reviews.values_mut().filter(|tracked| tracked.name == name && !tracked.is_proposal()) {
            let open: Vec<_> = tracked
                .review
                .hunks_with_lines()
                .map(|(hunk, line)| (hunk.id, hunk.calls.clone(), line))
                .collect();
            let kept = tracked.review.keep_committed(committed);
            for (_, by, line) in open.into_iter().filter(|(hunk, ..)| kept.contains(hunk)) {
                feedback.add(FeedbackItem {
                    shown: tracked.display_path.clone(),
                    line: line + 1,
                    lines: 1,
                    happened: FeedbackKind::Accepted,
                    partly: false,
                    comment: None,
                    text: None,
                    by,
                });
            }
            if !kept.is_empty() {
                (tracked.is_changed, tracked.is_unsaved) = (true, true);
                changed.send_modify(|count| *count += 1);
            }
        }
        drop(state);
        self.persist_document(name);
        self.persist_feedback(session);
    }
}
