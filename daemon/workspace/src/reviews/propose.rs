//! Edits that a call wants to make and a person decides first: one review for each file, and one ask about all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use copydesk_text::review::{Print, Review};
use copydesk_text::{Change, Document, Lines};

use super::news::Item;
use super::tracked::Tracked;
use super::{ReviewId, Reviews};
use crate::files::{ChangeKind, Place};
use crate::journal::Form;

/// What waits for a review.
#[derive(Debug)]
pub(super) struct Proposed {
    pub(super) call: String,
    pub(super) ask: Option<String>,
    /// The call has gone on.
    pub(super) is_answered: bool,
    /// What was decided of it, in the order of deciding.
    pub(super) decided: Vec<Item>,
    /// There is more to come.
    pub(super) is_written: bool,
}

/// What became of a proposal so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decided {
    pub items: Vec<Item>,
    /// Hunks that nobody has decided.
    pub open: usize,
}

/// A review of one file that is there as long as this is: as long as the call waits.
#[derive(Debug)]
pub struct Proposal {
    reviews: Reviews,
    session: Arc<str>,
    id: ReviewId,
}

impl Reviews {
    /// What a call would make of a document, as hunks to decide. Nothing where it does not fit the document.
    pub fn propose(&self, session: &str, call: &str, place: &Place, kind: &ChangeKind) -> Option<Proposal> {
        let review = match kind {
            ChangeKind::Edit { file, change, .. } => before(file.text(), change, call)?,
            ChangeKind::Create { text, .. } => Review::created(text, call),
            ChangeKind::Delete { file, .. } => {
                let mut review = Review::new(file.text());
                review.deleted(call);
                review
            }
        };
        let mut tracked = Tracked::new(place.real().to_owned(), place.shown.clone(), review);
        let (call, decided) = (call.to_owned(), Vec::new());
        if let ChangeKind::Create { mode, .. } = kind {
            tracked.form.mode = *mode;
        }
        tracked.proposed = Some(Proposed { call, ask: None, is_answered: false, decided, is_written: false });
        let id = self.lock().of(session).add(tracked);
        Some(Proposal { reviews: self.clone(), session: session.into(), id })
    }

    /// A person is asked about them: all that one call would do, a review for each file.
    pub fn asked(&self, session: &str, reviews: &[ReviewId], ask: &str) {
        let mut state = self.lock();
        let of = state.of(session);
        for review in reviews {
            let Some(tracked) = of.reviews.get_mut(review) else { continue };
            if let Some(proposed) = &mut tracked.proposed {
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
        for tracked in state.of(session).reviews.values() {
            let Some(ask) = tracked.proposed.as_ref().and_then(|proposed| proposed.ask.clone()) else {
                continue;
            };
            let is_over = tracked.is_over() && tracked.carrying == 0;
            *asks.entry(ask).or_insert(true) &= is_over;
        }
        asks.into_iter().filter(|(_, is_over)| *is_over).map(|(ask, _)| ask).collect()
    }

    /// That of the file that a decision creates, or creates again.
    pub(crate) fn form(&self, session: &str, review: ReviewId) -> Form {
        self.lock().find(session, review).map(|tracked| tracked.form).unwrap_or_default()
    }

    /// The call that a review waits with, where it is one *before*.
    pub(crate) fn call(&self, session: &str, review: ReviewId) -> Option<String> {
        let mut state = self.lock();
        Some(state.find(session, review)?.proposed.as_ref()?.call.clone())
    }
}

/// The document as it would be, and as it is: the text is what is there.
fn before(text: &str, change: &Change, call: &str) -> Option<Review> {
    // Edited as a rope: a text of megabytes is not copied once more for it.
    let mut after = Document::new(text, Lines::Lf);
    after.edit(change).ok()?;
    let mut review = Review::of((&after).into());
    review.agent(&change.inverse(text).ok()?, call).ok()?;
    Some(review)
}

impl Proposal {
    /// What is proposed becomes another: a change of the text that it was first made for. What a person typed since stays
    /// where it is. While there is more to come nothing of it can be decided.
    pub fn write(&self, text: &str, change: &Change, is_written: bool) {
        let mut state = self.reviews.lock();
        let Some(tracked) = state.find(&self.session, self.id) else { return };
        let Some(proposed) = &mut tracked.proposed else { return };
        let Some(mut review) = before(text, change, &proposed.call) else { return };
        let now = tracked.review.text();
        if now != text {
            // Cannot be refused: it was made for this very text.
            let _ = review.person(&Change::between(text, &now));
        }
        (proposed.is_written, tracked.review, tracked.is_changed) = (is_written, review, true);
        state.of(&self.session).changed.send_modify(|count| *count += 1);
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
    pub fn print(&self) -> Option<Print> {
        let mut state = self.reviews.lock();
        state.find(&self.session, self.id).map(|tracked| tracked.review.print_all())
    }

    /// Waits until what was decided so far is done, or has failed: only then it is known what came of it.
    pub async fn at_rest(&self) {
        let mut changed = self.reviews.watch(&self.session);
        let is_carried = || {
            let mut state = self.reviews.lock();
            state.find(&self.session, self.id).is_some_and(|tracked| tracked.carrying > 0)
        };
        while is_carried() && changed.changed().await.is_ok() {}
    }

    /// Whether something of it is decided.
    pub fn is_begun(&self) -> bool {
        !self.decided().items.is_empty()
    }

    pub fn decided(&self) -> Decided {
        let mut state = self.reviews.lock();
        let Some(tracked) = state.find(&self.session, self.id) else { return Decided::default() };
        let open = tracked.review.hunks().len().max(usize::from(tracked.review.whole_hunk().is_some()));
        let items = tracked.proposed.as_ref().map(|proposed| proposed.decided.clone()).unwrap_or_default();
        Decided { items, open }
    }
}

impl Drop for Proposal {
    /// The call has its answer, or is over without one.
    fn drop(&mut self) {
        let mut state = self.reviews.lock();
        let Some(of) = state.sessions.get_mut(&*self.session) else { return };
        let Some(tracked) = of.reviews.get_mut(&self.id) else { return };
        // Told as over, and then gone.
        tracked.review = Review::new("");
        if let Some(proposed) = &mut tracked.proposed {
            proposed.is_answered = true;
        }
        tracked.is_changed = true;
        of.changed.send_modify(|count| *count += 1);
    }
}
