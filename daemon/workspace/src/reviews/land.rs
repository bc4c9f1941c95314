//! Edits of ours that have arrived in a document: whose they are, and what they leave to decide.

use std::path::Path;

use copydesk_text::Change;
use copydesk_text::review::{Current, HunkId, Review, Whole};

use super::tracked::Tracked;
use super::{ReviewId, Reviews, State};
use crate::buffers::ClientId;
use crate::journal::Form;

/// Who made an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hand<'a> {
    /// A call, which a person has to decide on.
    Agent(&'a str),
    /// A person, through us: taking back, or putting back, what was done; or saying yes to all that a call would do.
    Person,
    /// What a person decided in this review.
    Decision(ReviewId),
    /// What a person wrote in the place of this hunk, with which it is decided.
    Written(ReviewId, HunkId),
}

/// An edit that is in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Landed<'a> {
    pub(crate) session: &'a str,
    pub(crate) hand: Hand<'a>,
    /// For a person or a model.
    pub(crate) shown: &'a str,
    pub(crate) before: Current<'a>,
    pub(crate) change: &'a Change,
}

impl Reviews {
    /// An edit is on its way into a buffer: until it has landed, nobody can tell who types.
    pub(crate) fn hold(&self, client: ClientId, name: &Path) {
        *self.lock().on_their_way.entry((client, name.to_owned())).or_default() += 1;
    }

    /// An edit will not land: its buffer is gone.
    pub(crate) fn let_go(&self, client: ClientId, name: &Path) {
        let mut state = self.lock();
        state.arrived(client, name);
        state.each(name, |_, tracked| {
            if tracked.follows == Some(client) {
                tracked.follows = None;
            }
        });
    }

    /// The text after an edit was on its way into a client's buffer, or was made on the disk; with the edit where it was
    /// made.
    pub(crate) fn landed(
        &self,
        name: &Path,
        client: Option<ClientId>,
        landed: Option<&Landed<'_>>,
        now: Current<'_>,
    ) {
        let mut state = self.lock();
        if let Some(client) = client {
            state.arrived(client, name);
        }
        let is_last = client.is_none_or(|client| !state.is_on_its_way(client, name));
        if let Some(landed) = landed {
            state.expect(name, landed);
        }
        state.each(name, |session, tracked| {
            let is_its_own = landed.is_some_and(|landed| landed.session == session);
            // What another session has in another editor is not touched by it.
            if !is_its_own && tracked.follows.is_some() && tracked.follows != client {
                return;
            }
            tracked.follows = client;
            if let Some(landed) = landed {
                tracked.land(session, landed);
            }
            // Else what is there besides it may be the next edit.
            if is_last {
                tracked.catch_up(now);
            }
        });
        drop(state);
        self.keep(name);
    }

    /// A file that was not there.
    pub(crate) fn created(&self, name: &Path, shown: &str, session: &str, hand: Hand<'_>, text: &str) {
        let mut state = self.lock();
        if let Hand::Agent(call) = hand {
            let of = state.of(session);
            let mut known = of.reviews.values_mut();
            match known.find(|tracked| tracked.name == name && !tracked.is_before()) {
                Some(tracked) => tracked.review.created_again(text, call),
                None => {
                    let review = Review::created(text, call);
                    of.add(Tracked::new(name.to_owned(), shown.to_owned(), review));
                }
            }
        }
        state.each(name, |of, tracked| {
            let is_done = of == session && matches!(hand, Hand::Agent(_));
            if tracked.is_rejecting_file() {
                tracked.review.whole_rejected();
            } else if !is_done && tracked.follows.is_none() {
                tracked.catch_up(text);
            }
            (tracked.is_changed, tracked.is_unsaved) = (true, true);
        });
        drop(state);
        self.keep(name);
    }

    /// A file that is no more; `before` is what it held, and what it was besides.
    pub(crate) fn removed(
        &self,
        name: &Path,
        shown: &str,
        session: &str,
        hand: Hand<'_>,
        (before, form): (&str, Form),
    ) {
        let mut state = self.lock();
        if let Hand::Agent(call) = hand {
            let of = state.of(session);
            if !of.reviews.values().any(|tracked| tracked.name == name && !tracked.is_before()) {
                of.add(Tracked::new(name.to_owned(), shown.to_owned(), Review::new(before)));
            }
            let of_session = of.reviews.values_mut().filter(|tracked| tracked.name == name);
            for tracked in of_session.filter(|tracked| !tracked.is_before()) {
                tracked.catch_up(before);
                tracked.review.deleted(call);
                tracked.form = form;
            }
        }
        state.each(name, |_, tracked| {
            // A file that an agent created, and that is taken back, is as good as rejected.
            if tracked.is_rejecting_file() || hand == Hand::Person && tracked.is_created_file() {
                tracked.review.whole_rejected();
            }
            (tracked.is_changed, tracked.is_unsaved) = (true, true);
        });
        drop(state);
        self.keep(name);
    }
}

impl State {
    fn arrived(&mut self, client: ClientId, name: &Path) {
        let place = (client, name.to_owned());
        if let Some(count) = self.on_their_way.get_mut(&place) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.on_their_way.remove(&place);
            }
        }
    }

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
    fn is_rejecting_file(&self) -> bool {
        !self.is_before() && self.review.whole_hunk().is_some_and(|whole| whole.rejecting)
    }

    fn is_created_file(&self) -> bool {
        !self.is_before() && self.review.whole_hunk().is_some_and(|whole| whole.kind == Whole::Created)
    }

    fn land(&mut self, session: &str, landed: &Landed<'_>) {
        if !self.follows_text() {
            return;
        }
        self.catch_up(landed.before);
        // Cannot be refused: the text is the one that the edit was made for.
        let _ = match landed.hand {
            Hand::Agent(call) if session == landed.session && !self.is_before() => {
                self.review.agent(landed.change, call)
            }
            Hand::Decision(review) if session == landed.session && self.id == review => {
                self.review.rejected(landed.change)
            }
            Hand::Written(review, hunk) if session == landed.session && self.id == review => {
                self.review.written(hunk, landed.change)
            }
            _ => self.review.person(landed.change),
        };
        (self.is_changed, self.is_unsaved) = (true, true);
    }
}
