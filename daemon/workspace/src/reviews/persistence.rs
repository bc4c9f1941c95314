//! Reviews on the disk, in the journal: they outlive the desk, and find their place again in texts that have changed since.
//!
//! Typing is not kept: what a text is other than when its review was kept, a person did.

use std::path::Path;

use copydesk_text::FileText;
use copydesk_text::review::Review;

use super::feedback::{FeedbackItem, FeedbackKind, ReviewFeedback};
use super::tracked_review::TrackedReview;
use super::{ReviewId, ReviewTracker};
use crate::journal::StoredReview;

/// One that is larger is kept when there is time: at the end of a turn.
const AT_ONCE: usize = 512 * 1024;

impl ReviewTracker {
    /// Keeps what there is of a document.
    pub(super) fn persist_document(&self, name: &Path) {
        let is_small = |tracked: &TrackedReview| tracked.is_decided() || tracked.review.size() <= AT_ONCE;
        self.keep_where(|tracked| tracked.name == name && is_small(tracked));
    }

    /// Keeps everything that is not kept yet.
    pub fn persist_all(&self) {
        self.keep_where(|_| true);
    }

    fn keep_where(&self, is_wanted: impl Fn(&TrackedReview) -> bool) {
        let Some(journal) = &self.journal else { return };
        let mut state = self.lock();
        // What is kept of earlier days is not written over before it is read.
        for (session, of) in state.sessions.iter_mut().filter(|(_, of)| of.loaded) {
            // A call that waits does not outlive the desk.
            let unsaved =
                of.reviews.values_mut().filter(|tracked| tracked.is_unsaved && !tracked.is_proposal());
            for tracked in unsaved.filter(|tracked| is_wanted(tracked)) {
                let place = tracked.name.to_string_lossy().into_owned();
                let review =
                    (!tracked.is_decided()).then(|| (place, tracked.form, tracked.review.without_history()));
                tracked.is_unsaved = !journal.store_review(session, tracked.id.0, review);
            }
        }
    }

    /// Keeps what the model is still to be told.
    pub(super) fn persist_feedback(&self, session: &str) {
        let Some(journal) = &self.journal else { return };
        let state = self.lock();
        if let Some(of) = state.sessions.get(session).filter(|of| of.loaded) {
            journal.store_feedback(session, (!of.feedback.is_empty()).then(|| of.feedback.clone()));
        }
    }

    /// Whether what was kept of a session is still to be fetched.
    pub(crate) fn needs_loading(&self, session: &str) -> bool {
        !self.lock().session_mut(session).loaded
    }

    /// What was kept, with the text that its document has now. One that is gone or cannot be read is left as it was: it may
    /// be back tomorrow.
    pub(crate) fn restore_reviews(
        &self,
        session: &str,
        kept: Vec<(StoredReview, String, Option<FileText>)>,
        news: ReviewFeedback,
    ) {
        let mut state = self.lock();
        let of = state.session_mut(session);
        if std::mem::replace(&mut of.loaded, true) {
            return;
        }
        of.feedback.put_before(news);
        let mut moved = Vec::new();
        for (StoredReview { number, path: place, attributes: form, saved }, shown, now) in kept {
            of.next = of.next.max(number + 1);
            let restored = match now {
                Some(now) => Review::restore(saved, now.text()),
                None => Review::from_saved(saved).map(|review| (review, Vec::new())),
            };
            // What is damaged is as good as decided.
            let (review, lost) = restored.unwrap_or_else(|_| (Review::new(""), Vec::new()));
            for lost in lost {
                of.feedback.add(FeedbackItem {
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
            let tracked = TrackedReview { form, ..TrackedReview::new(place.into(), shown, review) };
            // One *before* may have come earlier, and have its number.
            let is_taken = of.reviews.contains_key(&ReviewId(number));
            // An edit of today may have begun a review of the same document, when the journal could not be read.
            let is_known =
                of.reviews.values().any(|known| known.name == tracked.name && !known.is_proposal());
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
                of.reviews.insert(ReviewId(number), TrackedReview { id: ReviewId(number), ..tracked });
                of.changed.send_modify(|count| *count += 1);
            }
        }
        for tracked in moved {
            of.add(tracked);
        }
        drop(state);
        self.persist_all();
        self.persist_feedback(session);
    }
}
