//! Edits of ours that have arrived in a document: whose they are, and what they leave to decide.

use std::path::Path;

use copydesk_text::review::Review;
use copydesk_text::{Change, Document};

use super::tracked::Tracked;
use super::{ReviewId, Reviews, State};
use crate::buffers::ClientId;

/// Who made an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hand<'a> {
    /// A call, which a person has to decide on.
    Agent(&'a str),
    /// A person, through us: taking back, or putting back, what was done.
    Person,
    /// What a person decided in this review.
    Decision(ReviewId),
}

/// An edit that is in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Landed<'a> {
    pub(crate) session: &'a str,
    pub(crate) hand: Hand<'a>,
    /// For a person or a model.
    pub(crate) shown: &'a str,
    pub(crate) before: &'a Document,
    pub(crate) change: &'a Change,
}

impl Reviews {
    /// An edit is on its way into a buffer: until it has landed, nobody can tell who types.
    pub(crate) fn hold(&self, name: &Path) {
        self.lock().each(name, |_, tracked| tracked.held += 1);
    }

    /// An edit will not land: its buffer is gone.
    pub(crate) fn let_go(&self, name: &Path) {
        self.lock().each(name, |_, tracked| {
            tracked.held = tracked.held.saturating_sub(1);
            tracked.follows = None;
        });
    }

    /// The text after an edit was on its way, with the edit where it was made.
    pub(crate) fn landed(
        &self,
        name: &Path,
        client: Option<ClientId>,
        landed: Option<&Landed<'_>>,
        now: &Document,
    ) {
        let mut state = self.lock();
        if let Some(landed) = landed {
            state.expect(name, landed);
        }
        state.each(name, |session, tracked| {
            tracked.held = tracked.held.saturating_sub(1);
            tracked.follows = client;
            if let Some(landed) = landed {
                tracked.land(session, landed);
            }
            tracked.catch_up(now);
        });
        drop(state);
        self.keep(name);
    }

    /// A file that was not there.
    pub(crate) fn created(&self, name: &Path, shown: &str, session: &str, hand: Hand<'_>, text: &Document) {
        let mut state = self.lock();
        match hand {
            Hand::Agent(call) => {
                let of = state.of(session);
                // What was left of one that had this name is over with it.
                of.reviews.retain(|_, tracked| tracked.name != name || tracked.is_before());
                let review = Review::created(&text.text(), call);
                of.add(Tracked::new(name.to_owned(), shown.to_owned(), review));
            }
            Hand::Person | Hand::Decision(_) => {}
        }
        state.each(name, |of, tracked| {
            if tracked.review.whole_hunk().is_some_and(|whole| whole.rejecting) {
                tracked.review.whole_rejected();
            }
            if of != session {
                tracked.catch_up(text);
            }
            (tracked.is_changed, tracked.is_unsaved) = (true, true);
        });
        drop(state);
        self.keep(name);
    }

    /// A file that is no more; `before` is what it held.
    pub(crate) fn removed(&self, name: &Path, shown: &str, session: &str, hand: Hand<'_>, before: &Document) {
        let mut state = self.lock();
        if let Hand::Agent(call) = hand {
            let of = state.of(session);
            if !of.reviews.values().any(|tracked| tracked.name == name && !tracked.is_before()) {
                of.add(Tracked::new(name.to_owned(), shown.to_owned(), Review::of(before)));
            }
            let of_session = of.reviews.values_mut().filter(|tracked| tracked.name == name);
            for tracked in of_session.filter(|tracked| !tracked.is_before()) {
                tracked.catch_up(before);
                tracked.review.deleted(call);
            }
        }
        state.each(name, |_, tracked| {
            if tracked.review.whole_hunk().is_some_and(|whole| whole.rejecting) {
                tracked.review.whole_rejected();
            }
            (tracked.is_changed, tracked.is_unsaved) = (true, true);
        });
        drop(state);
        self.keep(name);
    }
}

impl State {
    /// An agent's first edit of a document begins a review.
    fn expect(&mut self, name: &Path, landed: &Landed<'_>) {
        let Hand::Agent(_) = landed.hand else { return };
        let of = self.of(landed.session);
        if !of.reviews.values().any(|tracked| tracked.name == name && !tracked.is_before()) {
            of.add(Tracked::new(name.to_owned(), landed.shown.to_owned(), Review::of(landed.before)));
        }
    }
}

impl Tracked {
    fn land(&mut self, session: &str, landed: &Landed<'_>) {
        self.catch_up(landed.before);
        // Cannot be refused: the text is the one that the edit was made for.
        let _ = match landed.hand {
            Hand::Agent(call) if session == landed.session && !self.is_before() => {
                self.review.agent(landed.change, call)
            }
            Hand::Decision(review) if session == landed.session && self.id == review => {
                self.review.rejected(landed.change)
            }
            _ => self.review.person(landed.change),
        };
        (self.is_changed, self.is_unsaved) = (true, true);
    }
}
