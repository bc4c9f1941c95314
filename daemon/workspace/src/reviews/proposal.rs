//! Edits that a call wants to make and a person decides first: one review for each file, and one ask about all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use copydesk_text::review::{HunkFingerprint, Review};
use copydesk_text::{Change, Document, LineBreaks};

use super::feedback::FeedbackItem;
use super::tracked_review::TrackedReview;
use super::{ReviewId, ReviewTracker};
use crate::files::{FileChangeKind, ResolvedPath};
use crate::journal::FileAttributes;

/// What waits for a review.
#[derive(Debug)]
pub(super) struct WaitingCall {
    pub(super) call: String,
    pub(super) ask: Option<String>,
    /// The call has gone on.
    pub(super) is_answered: bool,
    /// What was decided of it, in the order of deciding.
    pub(super) decided: Vec<FeedbackItem>,
    /// There is more to come.
    pub(super) is_streaming: bool,
}

/// What became of a proposal so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProposalDecisions {
    pub items: Vec<FeedbackItem>,
    /// Hunks that nobody has decided.
    pub undecided: usize,
}

/// A review of one file that is there as long as this is: as long as the call waits.
#[derive(Debug)]
pub struct ReviewProposal {
    reviews: ReviewTracker,
    session: Arc<str>,
    id: ReviewId,
}

impl ReviewTracker {
    /// What a call would make of a document, as hunks to decide. Nothing where it does not fit the document.
    pub fn propose(
        &self,
        session: &str,
        call: &str,
        place: &ResolvedPath,
        kind: &FileChangeKind,
    ) -> Option<ReviewProposal> {
        let review = match kind {
            FileChangeKind::Edit { file, change, .. } => before(file.text(), change, call)?,
            FileChangeKind::Create { text, .. } => Review::for_created_file(text, call),
            FileChangeKind::Delete { file, .. } => {
                let mut review = Review::new(file.text());
                review.record_deletion(call);
                review
            }
        };
        let mut tracked =
            TrackedReview::new(place.real_path().to_owned(), place.display_path.clone(), review);
        let (call, decided) = (call.to_owned(), Vec::new());
        if let FileChangeKind::Create { mode, .. } = kind {
            tracked.form.mode = *mode;
        }
        tracked.waiting_call =
            Some(WaitingCall { call, ask: None, is_answered: false, decided, is_streaming: false });
        let id = self.lock().session_mut(session).add(tracked);
        Some(ReviewProposal { reviews: self.clone(), session: session.into(), id })
    }

    /// A person is asked about them: all that one call would do, a review for each file.
    pub fn set_ask(&self, session: &str, reviews: &[ReviewId], ask: &str) {
        let mut state = self.lock();
        let of = state.session_mut(session);
        for review in reviews {
            let Some(tracked) = of.reviews.get_mut(review) else { continue };
            if let Some(proposed) = &mut tracked.waiting_call {
                proposed.ask = Some(ask.to_owned());
            }
            tracked.is_changed = true;
        }
        of.changed.send_modify(|count| *count += 1);
    }

    /// The asks of which everything is decided and done, in every file.
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

    /// That of the file that a decision creates, or creates again.
    pub(crate) fn file_attributes(&self, session: &str, review: ReviewId) -> FileAttributes {
        self.lock().find(session, review).map(|tracked| tracked.form).unwrap_or_default()
    }

    /// The call that a review waits with, where it is one *before*.
    pub(crate) fn waiting_call_id(&self, session: &str, review: ReviewId) -> Option<String> {
        let mut state = self.lock();
        Some(state.find(session, review)?.waiting_call.as_ref()?.call.clone())
    }
}

/// The document as it would be, and as it is: the text is what is there.
fn before(text: &str, change: &Change, call: &str) -> Option<Review> {
    // Edited as a rope: a text of megabytes is not copied once more for it.
    let mut after = Document::new(text, LineBreaks::Lf);
    after.apply_change(change).ok()?;
    let mut review = Review::from_current((&after).into());
    review.record_agent_change(&change.inverse(text).ok()?, call).ok()?;
    Some(review)
}

impl ReviewProposal {
    /// What is proposed becomes another: a change of the text that it was first made for. What a person typed since stays
    /// where it is. While there is more to come nothing of it can be decided.
    pub fn update(&self, text: &str, change: &Change, is_written: bool) {
        let mut state = self.reviews.lock();
        let Some(tracked) = state.find(&self.session, self.id) else { return };
        let Some(proposed) = &mut tracked.waiting_call else { return };
        let Some(mut review) = before(text, change, &proposed.call) else { return };
        let now = tracked.review.text();
        if now != text {
            // Cannot be refused: it was made for this very text.
            let _ = review.record_user_change(&Change::between(text, &now));
        }
        (proposed.is_streaming, tracked.review, tracked.is_changed) = (is_written, review, true);
        state.session_mut(&self.session).changed.send_modify(|count| *count += 1);
    }

    /// It came to nothing; the person is told why.
    pub fn fail(&self, why: String) {
        if let Some(tracked) = self.reviews.lock().find(&self.session, self.id) {
            tracked.failed = Some(why);
        }
    }

    pub fn id(&self) -> ReviewId {
        self.id
    }

    /// What is expected by a decision on all that is left of it.
    pub fn expected_print(&self) -> Option<HunkFingerprint> {
        let mut state = self.reviews.lock();
        state.find(&self.session, self.id).map(|tracked| tracked.review.fingerprint())
    }

    /// Waits until what was decided so far is done, or has failed: only then it is known what came of it.
    pub async fn wait_until_applied(&self) {
        let mut changed = self.reviews.watch(&self.session);
        let is_carried = || {
            let mut state = self.reviews.lock();
            state.find(&self.session, self.id).is_some_and(|tracked| tracked.decisions_in_progress > 0)
        };
        while is_carried() && changed.changed().await.is_ok() {}
    }

    /// Whether something of it is decided.
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
    /// The call has its answer, or is over without one.
    fn drop(&mut self) {
        let mut state = self.reviews.lock();
        let Some(of) = state.sessions.get_mut(&*self.session) else { return };
        let Some(tracked) = of.reviews.get_mut(&self.id) else { return };
        // Told as over, and then gone.
        tracked.review = Review::new("");
        if let Some(proposed) = &mut tracked.waiting_call {
            proposed.is_answered = true;
        }
        tracked.is_changed = true;
        of.changed.send_modify(|count| *count += 1);
    }
}
