//! Proposals: edits that a call wants to make and the user decides on first. One review for each file, and
//! one ask about all of them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use copydesk_text::review::{HunkFingerprint, Review};
use copydesk_text::{Change, Document, LineBreaks};

use super::tracked_review::TrackedReview;
use super::{ReviewId, ReviewTracker};
use crate::journal::FileAttributes;
use crate::review_feedback::FeedbackItem;

/// The call that waits for a review.
#[derive(Debug)]
pub(super) struct WaitingCall {
    pub(super) call: String,
    pub(super) ask: Option<String>,
    /// The call has continued.
    pub(super) is_answered: bool,
    /// The decisions on it, in their order.
    pub(super) decided: Vec<FeedbackItem>,
    /// The model is still writing it.
    pub(super) is_streaming: bool,
    /// The review before the user typed anything.
    pub(super) proposed: Review,
}

/// The decisions on a proposal so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProposalDecisions {
    pub items: Vec<FeedbackItem>,
    /// The number of undecided hunks.
    pub undecided: usize,
}

/// A review of one file that exists as long as this value: as long as the call waits.
#[derive(Debug)]
pub struct ReviewProposal {
    pub(super) reviews: ReviewTracker,
    pub(super) session: Arc<str>,
    pub(super) id: ReviewId,
}

impl ReviewTracker {
    /// Proposes a review of one file on behalf of a waiting call.
    pub(crate) fn propose_review(
        &self,
        session: &str,
        call: &str,
        (real_path, display_path): (PathBuf, String),
        (review, mode): (Review, Option<u32>),
    ) -> ReviewProposal {
        let proposed = review.clone();
        let mut tracked = TrackedReview::new(real_path, display_path, review);
        tracked.attributes.mode = mode.or(tracked.attributes.mode);
        let (call, decided) = (call.to_owned(), Vec::new());
        tracked.waiting_call =
            Some(WaitingCall { call, ask: None, is_answered: false, decided, is_streaming: false, proposed });
        let id = self.lock().session_mut(session).add(tracked);
        ReviewProposal { reviews: self.clone(), session: session.into(), id }
    }

    /// Links the reviews of one call, one for each file, to the ask about them.
    pub fn set_ask(&self, session: &str, reviews: &[ReviewId], ask: &str) {
        let mut state = self.lock();
        let session_reviews = state.session_mut(session);
        for review in reviews {
            let Some(tracked) = session_reviews.reviews.get_mut(review) else { continue };
            if let Some(proposed) = &mut tracked.waiting_call {
                proposed.ask = Some(ask.to_owned());
            }
            tracked.is_changed = true;
        }
        session_reviews.changed.send_modify(|count| *count += 1);
    }

    /// The asks whose files are all decided and changed.
    pub fn settled_asks(&self, session: &str) -> Vec<String> {
        let mut state = self.lock();
        let mut asks: BTreeMap<String, bool> = BTreeMap::new();
        for tracked in state.session_mut(session).reviews.values() {
            let Some(ask) = tracked.waiting_call.as_ref().and_then(|proposed| proposed.ask.clone()) else {
                continue;
            };
            let is_over = tracked.is_decided() && tracked.decisions_in_progress == 0;
            *asks.entry(ask).or_insert(true) &= is_over;
        }
        asks.into_iter().filter(|(_, is_over)| *is_over).map(|(ask, _)| ask).collect()
    }

    /// The attributes of the file that a decision creates or restores.
    pub(crate) fn file_attributes(&self, session: &str, review: ReviewId) -> FileAttributes {
        self.lock().find(session, review).map(|tracked| tracked.attributes).unwrap_or_default()
    }

    /// The waiting call of a review *before*.
    pub(crate) fn waiting_call_id(&self, session: &str, review: ReviewId) -> Option<String> {
        let mut state = self.lock();
        Some(state.find(session, review)?.waiting_call.as_ref()?.call.clone())
    }
}

/// A review whose base is the document as the call would make it, and whose text is the document.
pub(crate) fn review_before(text: &str, change: &Change, call: &str) -> Option<Review> {
    // Edited as a rope, so that a text of megabytes is not copied again.
    let mut after = Document::new(text, LineBreaks::Lf);
    after.apply_change(change).ok()?;
    let mut review = Review::from_current((&after).into());
    review.record_agent_change(&change.inverse(text).ok()?, call).ok()?;
    Some(review)
}

impl ReviewProposal {
    /// Replaces the proposed change; it applies to the original text. What the user typed since stays. While
    /// the model is still writing, nothing can be decided.
    pub fn update(&self, text: &str, change: &Change, is_written: bool) {
        let mut state = self.reviews.lock();
        let Some(tracked) = state.find(&self.session, self.id) else { return };
        let Some(proposed) = &mut tracked.waiting_call else { return };
        let Some(mut review) = review_before(text, change, &proposed.call) else { return };
        proposed.proposed = review.clone();
        let now = tracked.review.text();
        if now != text {
            // Cannot fail: the change was made for this text.
            let _ = review.record_user_change(&Change::between(text, &now));
        }
        (proposed.is_streaming, tracked.review, tracked.is_changed) = (is_written, review, true);
        state.session_mut(&self.session).changed.send_modify(|count| *count += 1);
    }

    /// Marks the proposal as failed; the user is told why.
    pub fn fail(&self, why: String) {
        if let Some(tracked) = self.reviews.lock().find(&self.session, self.id) {
            tracked.failed = Some(why);
        }
    }

    pub fn id(&self) -> ReviewId {
        self.id
    }

    /// The fingerprint for a decision on everything that is left.
    pub fn expected_print(&self) -> Option<HunkFingerprint> {
        let mut state = self.reviews.lock();
        state.find(&self.session, self.id).map(|tracked| tracked.review.fingerprint())
    }

    /// Waits until all decisions so far are applied or have failed: only then is their result known.
    pub async fn wait_until_applied(&self) {
        let mut changed = self.reviews.watch(&self.session);
        let is_carried = || {
            let mut state = self.reviews.lock();
            state.find(&self.session, self.id).is_some_and(|tracked| tracked.decisions_in_progress > 0)
        };
        while is_carried() && changed.changed().await.is_ok() {}
    }

    /// Whether any hunk is decided.
    pub fn has_decisions(&self) -> bool {
        !self.decisions().items.is_empty()
    }

    pub fn decisions(&self) -> ProposalDecisions {
        let mut state = self.reviews.lock();
        let Some(tracked) = state.find(&self.session, self.id) else { return ProposalDecisions::default() };
        let open = tracked.review.hunks().len().max(usize::from(tracked.review.file_hunk().is_some()));
        let items =
            tracked.waiting_call.as_ref().map(|proposed| proposed.decided.clone()).unwrap_or_default();
        ProposalDecisions { items, undecided: open }
    }
}

impl Drop for ReviewProposal {
    /// The call has its answer, or has ended without one.
    fn drop(&mut self) {
        let mut state = self.reviews.lock();
        let Some(session_reviews) = state.sessions.get_mut(&*self.session) else { return };
        let Some(tracked) = session_reviews.reviews.get_mut(&self.id) else { return };
        // Reported as over, then removed.
        tracked.review = Review::new("");
        if let Some(proposed) = &mut tracked.waiting_call {
            proposed.is_answered = true;
        }
        tracked.is_changed = true;
        session_reviews.changed.send_modify(|count| *count += 1);
    }
}
