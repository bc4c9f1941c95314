//! Reviews on the disk, in the journal: they outlive the desk, and find their place again in texts that have changed since.
//!
//! Typing is not kept: what a text is other than when its review was kept, a person did.

use std::path::Path;

use copydesk_text::Document;
use copydesk_text::review::Review;

use super::news::{Happened, Item};
use super::tracked::Tracked;
use super::{ReviewId, Reviews};
use crate::journal::KeptReview;

/// One that is larger is kept when there is time: at the end of a turn.
const AT_ONCE: usize = 512 * 1024;

impl Reviews {
    /// Keeps what there is of a document.
    pub(super) fn keep(&self, name: &Path) {
        self.keep_where(|tracked| tracked.name == name && tracked.review.size() <= AT_ONCE);
    }

    /// Keeps everything that is not kept yet.
    pub fn keep_all(&self) {
        self.keep_where(|_| true);
    }

    fn keep_where(&self, is_wanted: impl Fn(&Tracked) -> bool) {
        let Some(journal) = &self.journal else { return };
        let mut state = self.lock();
        for (session, of) in &mut state.sessions {
            // A call that waits does not outlive the desk.
            let unsaved =
                of.reviews.values_mut().filter(|tracked| tracked.is_unsaved && !tracked.is_before());
            for tracked in unsaved.filter(|tracked| is_wanted(tracked)) {
                let place = tracked.name.to_string_lossy().into_owned();
                let review = (!tracked.is_over()).then(|| (place, tracked.review.clone()));
                tracked.is_unsaved = !journal.keep_review(session, tracked.id.0, review);
            }
        }
    }

    /// Whether what was kept of a session is still to be fetched.
    pub(crate) fn is_unread(&self, session: &str) -> bool {
        !self.lock().of(session).loaded
    }

    /// What was kept, with the text that its document has now; a file that is gone has none.
    pub(crate) fn restore(&self, session: &str, kept: Vec<(KeptReview, String, Option<Document>)>) {
        let mut state = self.lock();
        let of = state.of(session);
        if std::mem::replace(&mut of.loaded, true) {
            return;
        }
        for (KeptReview { number, place, saved }, shown, now) in kept {
            of.next = of.next.max(number + 1);
            let text = now.as_ref().map(Document::text).unwrap_or_default();
            // What is damaged is as good as decided.
            let Ok((review, lost)) = Review::restore(saved, &text) else { continue };
            for lost in lost {
                of.news.add(Item {
                    shown: shown.clone(),
                    line: 0,
                    lines: lost.new.lines().count(),
                    happened: Happened::Lost,
                    partly: false,
                    comment: None,
                    text: Some(lost.new),
                });
            }
            let mut tracked = Tracked::new(place.into(), shown, review);
            tracked.id = ReviewId(number);
            // An edit of today may have begun a review of the same document.
            let is_known = of.reviews.values().any(|known| known.name == tracked.name && !known.is_before());
            if !is_known && !tracked.is_over() {
                of.reviews.insert(ReviewId(number), tracked);
                of.changed.send_modify(|count| *count += 1);
            }
        }
    }
}
