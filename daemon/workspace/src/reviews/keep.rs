//! Reviews on the disk, in the journal: they outlive the desk, and find their place again in texts that have changed since.
//!
//! Typing is not kept: what a text is other than when its review was kept, a person did.

use std::path::Path;

use copydesk_text::FileText;
use copydesk_text::review::Review;

use super::news::{Happened, Item, News};
use super::tracked::Tracked;
use super::{ReviewId, Reviews};
use crate::journal::KeptReview;

/// One that is larger is kept when there is time: at the end of a turn.
const AT_ONCE: usize = 512 * 1024;

impl Reviews {
    /// Keeps what there is of a document.
    pub(super) fn keep(&self, name: &Path) {
        let is_small = |tracked: &Tracked| tracked.is_over() || tracked.review.size() <= AT_ONCE;
        self.keep_where(|tracked| tracked.name == name && is_small(tracked));
    }

    /// Keeps everything that is not kept yet.
    pub fn keep_all(&self) {
        self.keep_where(|_| true);
    }

    fn keep_where(&self, is_wanted: impl Fn(&Tracked) -> bool) {
        let Some(journal) = &self.journal else { return };
        let mut state = self.lock();
        // What is kept of earlier days is not written over before it is read.
        for (session, of) in state.sessions.iter_mut().filter(|(_, of)| of.loaded) {
            // A call that waits does not outlive the desk.
            let unsaved =
                of.reviews.values_mut().filter(|tracked| tracked.is_unsaved && !tracked.is_before());
            for tracked in unsaved.filter(|tracked| is_wanted(tracked)) {
                let place = tracked.name.to_string_lossy().into_owned();
                let review = (!tracked.is_over()).then(|| (place, tracked.form, tracked.review.to_save()));
                tracked.is_unsaved = !journal.keep_review(session, tracked.id.0, review);
            }
        }
    }

    /// Keeps what the model is still to be told.
    pub(super) fn keep_news(&self, session: &str) {
        let Some(journal) = &self.journal else { return };
        let state = self.lock();
        if let Some(of) = state.sessions.get(session).filter(|of| of.loaded) {
            journal.keep_news(session, (!of.news.is_empty()).then(|| of.news.clone()));
        }
    }

    /// Whether what was kept of a session is still to be fetched.
    pub(crate) fn is_unread(&self, session: &str) -> bool {
        !self.lock().of(session).loaded
    }

    /// What was kept, with the text that its document has now. One that is gone or cannot be read is left as it was: it may
    /// be back tomorrow.
    pub(crate) fn restore(
        &self,
        session: &str,
        kept: Vec<(KeptReview, String, Option<FileText>)>,
        news: News,
    ) {
        let mut state = self.lock();
        let of = state.of(session);
        if std::mem::replace(&mut of.loaded, true) {
            return;
        }
        of.news.put_before(news);
        let mut moved = Vec::new();
        for (KeptReview { number, place, form, saved }, shown, now) in kept {
            of.next = of.next.max(number + 1);
            let restored = match now {
                Some(now) => Review::restore(saved, now.text()),
                None => Review::reopen(saved).map(|review| (review, Vec::new())),
            };
            // What is damaged is as good as decided.
            let (review, lost) = restored.unwrap_or_else(|_| (Review::new(""), Vec::new()));
            for lost in lost {
                of.news.add(Item {
                    shown: shown.clone(),
                    line: 0,
                    lines: lost.new.lines().count(),
                    happened: Happened::Lost,
                    partly: false,
                    comment: None,
                    text: Some(lost.new),
                    by: Vec::new(),
                });
            }
            let tracked = Tracked { form, ..Tracked::new(place.into(), shown, review) };
            // One *before* may have come earlier, and have its number.
            let is_taken = of.reviews.contains_key(&ReviewId(number));
            // An edit of today may have begun a review of the same document, when the journal could not be read.
            let is_known = of.reviews.values().any(|known| known.name == tracked.name && !known.is_before());
            let is_over = tracked.is_over() || is_known;
            if let Some(journal) = self.journal.as_ref().filter(|_| is_taken || is_over) {
                journal.keep_review(session, number, None);
            }
            if is_over {
                continue;
            }
            if is_taken {
                moved.push(tracked);
            } else {
                of.reviews.insert(ReviewId(number), Tracked { id: ReviewId(number), ..tracked });
                of.changed.send_modify(|count| *count += 1);
            }
        }
        for tracked in moved {
            of.add(tracked);
        }
        drop(state);
        self.keep_all();
        self.keep_news(session);
    }
}
