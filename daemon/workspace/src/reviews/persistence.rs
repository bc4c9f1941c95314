//! Stores reviews in the journal: they outlive the daemon, and find their hunks again in texts that have
//! changed since.
//!
//! Typing is not stored: any later difference of the text counts as the user's.

use std::path::Path;

use copydesk_text::FileText;
use copydesk_text::review::Review;

use super::tracked_review::TrackedReview;
use super::{ReviewId, ReviewTracker};
use crate::journal::StoredReview;
use crate::review_feedback::{FeedbackItem, FeedbackKind, ReviewFeedback};

/// A larger review is stored at the end of a turn.
const AT_ONCE: usize = 512 * 1024;

impl ReviewTracker {
    /// Stores the reviews of a document.
    pub(super) fn persist_document(&self, name: &Path) {
        let is_small = |tracked: &TrackedReview| tracked.is_decided() || tracked.review.size() <= AT_ONCE;
        self.keep_where(|tracked| tracked.name == name && is_small(tracked));
    }

    /// Stores everything that is not stored yet.
    pub fn persist_all(&self) {
        self.keep_where(|_| true);
    }

    fn keep_where(&self, is_wanted: impl Fn(&TrackedReview) -> bool) {
        let Some(journal) = &self.journal else { return };
        let mut state = self.lock();
        // Do not overwrite stored reviews before they are loaded.
        for (session, session_reviews) in
            state.sessions.iter_mut().filter(|(_, session_reviews)| session_reviews.loaded)
        {
            // A waiting call does not outlive the daemon.
            let unsaved = session_reviews
                .reviews
                .values_mut()
                .filter(|tracked| tracked.is_unsaved && !tracked.is_proposal());
            for tracked in unsaved.filter(|tracked| is_wanted(tracked)) {
                let place = tracked.name.to_string_lossy().into_owned();
                let review = (!tracked.is_decided())
                    .then(|| (place, tracked.attributes, tracked.review.without_history()));
                tracked.is_unsaved = !journal.store_review(session, tracked.id.0, review);
            }
        }
    }

    /// Stores the feedback that the model has not received yet.
    pub(super) fn persist_feedback(&self, session: &str) {
        let Some(journal) = &self.journal else { return };
        let state = self.lock();
        if let Some(session_reviews) =
            state.sessions.get(session).filter(|session_reviews| session_reviews.loaded)
        {
            journal.store_feedback(
                session,
                (!session_reviews.feedback.is_empty()).then(|| session_reviews.feedback.clone()),
            );
        }
    }

    /// Whether a session's stored reviews still have to be loaded.
    pub(crate) fn needs_loading(&self, session: &str) -> bool {
        !self.lock().session_mut(session).loaded
    }

    /// Restores stored reviews with the current texts of their documents. A review whose document is missing
    /// or unreadable stays stored: the file may be back tomorrow.
    pub(crate) fn restore_reviews(
        &self,
        session: &str,
        kept: Vec<(StoredReview, String, Option<FileText>)>,
        feedback: ReviewFeedback,
    ) {
        let mut state = self.lock();
        let session_reviews = state.session_mut(session);
        if std::mem::replace(&mut session_reviews.loaded, true) {
            return;
        }
        session_reviews.feedback.put_before(feedback);
        let mut moved = Vec::new();
        for (StoredReview { number, path: place, attributes, saved }, shown, now) in kept {
            session_reviews.next = session_reviews.next.max(number + 1);
            let restored = match now {
                Some(now) => Review::restore(saved, now.text()),
                None => Review::from_saved(saved).map(|review| (review, Vec::new())),
            };
            // A damaged review counts as decided.
            let (review, lost) = restored.unwrap_or_else(|_| (Review::new(""), Vec::new()));
            for lost in lost {
                session_reviews.feedback.add(FeedbackItem {
                    shown: shown.clone(),
                    line: 0,
                    lines: lost.new.lines().count(),
                    happened: FeedbackKind::Lost,
                    partly: false,
                    comment: None,
                    text: Some(lost.new),
                    by: Vec::new(),
                });
            }
            let tracked = TrackedReview { attributes, ..TrackedReview::new(place.into(), shown, review) };
            // A review *before* may have taken its number.
            let is_taken = session_reviews.reviews.contains_key(&ReviewId(number));
            // If the journal was unreadable, a newer edit may have started a review of the same document.
            let is_known = session_reviews
                .reviews
                .values()
                .any(|known| known.name == tracked.name && !known.is_proposal());
            let is_over = tracked.is_decided() || is_known;
            if let Some(journal) = self.journal.as_ref().filter(|_| is_taken || is_over) {
                journal.store_review(session, number, None);
            }
            if is_over {
                continue;
            }
            if is_taken {
                moved.push(tracked);
            } else {
                session_reviews
                    .reviews
                    .insert(ReviewId(number), TrackedReview { id: ReviewId(number), ..tracked });
                session_reviews.changed.send_modify(|count| *count += 1);
            }
        }
        for tracked in moved {
            session_reviews.add(tracked);
        }
        session_reviews.signal_change();
        drop(state);
        self.persist_all();
        self.persist_feedback(session);
    }
}
