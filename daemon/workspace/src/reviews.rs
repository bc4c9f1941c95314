//! The reviews of all sessions: what of the agents' edits nobody has decided yet, kept right while people type, agents
//! edit and decisions are carried out.
//!
//! A review follows one text: a client's buffer where the document is open, else the file as it was last seen. While an
//! edit is on its way into a buffer, typing there is not followed; when it has arrived, or has not, the text that came of
//! it is compared ([`Reviews::landed`]), so that every line has the right author however the two were mixed.
//!
//! A review *after* has the agent's text as its text and the person's as its base. One *before* is of a call that waits:
//! it is the same thing the other way round. Its text is the document, its base what the call would make of it, so that
//! accepting brings lines of the base into the text, and rejecting gives them up.
//!
//! Invariant: nothing here changes a document. Decisions are carried out by [`Files`](crate::files::Files), and told here.
//! Invariant: where both are locked, the buffers are locked first. Nothing here calls the buffers.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use copydesk_text::Document;
use copydesk_text::review::Current;
use tokio::sync::watch;

use crate::buffers::{ClientId, Follower, Typed};
use crate::journal::Journal;

mod committed;
mod decide;
mod keep;
mod land;
mod news;
mod problems;
mod propose;
#[cfg(test)]
mod tests;
mod tracked;
mod view;

pub(crate) use decide::{Carried, Order};
pub use decide::{Decision, Refusal, Subject, Verdict};
pub(crate) use land::{Hand, Landed};
pub use news::{Comment, Happened, Item, News};
pub use problems::{Problem, Severity};
pub use propose::{Decided, Proposal};
use tracked::Tracked;
pub use view::{Change as ReviewChange, View, When};

/// Which review of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReviewId(pub u64);

/// A cheap clone is the same reviews.
#[derive(Debug, Clone, Default)]
pub struct Reviews {
    state: Arc<Mutex<State>>,
    journal: Option<Journal>,
}

#[derive(Debug, Default)]
struct State {
    sessions: HashMap<String, OfSession>,
    /// Edits on their way into buffers.
    on_their_way: HashMap<(ClientId, PathBuf), usize>,
}

#[derive(Debug)]
struct OfSession {
    next: u64,
    reviews: BTreeMap<ReviewId, Tracked>,
    news: News,
    /// Counts up with whatever viewers should be told.
    changed: watch::Sender<u64>,
    /// What was kept of earlier days is here.
    loaded: bool,
    /// The commit that was last checked out, where there is a repository.
    head: Option<String>,
}

impl Default for OfSession {
    fn default() -> Self {
        let (reviews, news) = (BTreeMap::new(), News::default());
        Self { next: 1, reviews, news, changed: watch::Sender::new(0), loaded: false, head: None }
    }
}

impl Reviews {
    /// Reviews that outlive the desk, in its journal.
    pub fn new(journal: Option<Journal>) -> Self {
        Self { state: Arc::default(), journal }
    }

    /// Something to wait for: changes that [`Reviews::changes`] has.
    pub fn watch(&self, session: &str) -> watch::Receiver<u64> {
        self.lock().of(session).changed.subscribe()
    }

    /// The session is no more.
    pub fn forget(&self, session: &str) {
        self.lock().sessions.remove(session);
    }

    /// The name of a review's document.
    pub(crate) fn place(&self, session: &str, review: ReviewId) -> Option<PathBuf> {
        self.lock().find(session, review).map(|tracked| tracked.name.clone())
    }

    /// The documents that a session has reviews of.
    pub(crate) fn places(&self, session: &str) -> Vec<PathBuf> {
        let mut state = self.lock();
        state.of(session).reviews.values().map(|tracked| tracked.name.clone()).collect()
    }

    /// The document as a session has it now: in the buffer of a client, or else on the disk.
    pub(crate) fn seen(&self, session: &str, name: &Path, client: Option<ClientId>, now: Current<'_>) {
        let mut state = self.lock();
        if client.is_some_and(|client| state.is_on_its_way(client, name)) {
            return;
        }
        state.each(name, |of, tracked| {
            // Other sessions may have it from another editor; and what was read on the disk is old once an editor has it.
            let is_known_better = client.is_none() && tracked.follows.is_some();
            if of == session && !is_known_better {
                tracked.follows = client;
                tracked.catch_up(now);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn of(&mut self, session: &str) -> &mut OfSession {
        self.sessions.entry(session.to_owned()).or_default()
    }

    /// Until an edit has landed, nobody can tell who types.
    fn is_on_its_way(&self, client: ClientId, name: &Path) -> bool {
        !self.on_their_way.is_empty() && self.on_their_way.contains_key(&(client, name.to_owned()))
    }

    fn find(&mut self, session: &str, review: ReviewId) -> Option<&mut Tracked> {
        self.sessions.get_mut(session)?.reviews.get_mut(&review)
    }

    /// Every review of a document. Whoever watches is told where something has changed.
    fn each(&mut self, name: &Path, mut work: impl FnMut(&str, &mut Tracked)) {
        for (session, of) in &mut self.sessions {
            let mut touched = false;
            for tracked in of.reviews.values_mut().filter(|tracked| tracked.name == name) {
                work(session, tracked);
                touched |= tracked.is_changed;
            }
            if touched {
                of.changed.send_modify(|count| *count += 1);
            }
        }
    }
}

impl OfSession {
    /// Gives it its id.
    fn add(&mut self, tracked: Tracked) -> ReviewId {
        let id = ReviewId(self.next);
        self.next += 1;
        self.reviews.insert(id, Tracked { id, ..tracked });
        self.changed.send_modify(|count| *count += 1);
        id
    }
}

impl Follower for Reviews {
    fn opened(&self, client: ClientId, name: &Path, now: &Document) {
        let mut state = self.lock();
        if state.is_on_its_way(client, name) {
            return;
        }
        state.each(name, |_, tracked| {
            if tracked.follows.is_none_or(|followed| followed == client) {
                tracked.follows = Some(client);
                tracked.catch_up(now);
            }
        });
    }

    fn typed(&self, client: ClientId, name: &Path, typed: &[Typed<'_>], now: &Document) {
        let mut state = self.lock();
        if state.is_on_its_way(client, name) {
            return;
        }
        state.each(name, |_, tracked| match tracked.follows {
            Some(followed) if followed == client => tracked.typed(typed, now),
            Some(_) => {}
            None => {
                tracked.follows = Some(client);
                tracked.catch_up(now);
            }
        });
    }

    fn closed(&self, client: ClientId, name: &Path) {
        self.lock().each(name, |_, tracked| {
            if tracked.follows == Some(client) {
                tracked.follows = None;
            }
        });
    }
}
