//! The reviews of all sessions: the undecided edits of agents, kept correct while users type, agents edit and
//! decisions are applied.
//!
//! A review follows one text: a client's buffer if the document is open, else the file as last seen. While an
//! edit is on its way into a buffer, the review does not follow typing there. When the edit has arrived, or
//! has failed, the tracker compares the resulting text ([`ReviewTracker::record_edit`]), so that every line
//! has the right author however the two were mixed.
//!
//! A review *after* has the agent's text as its text and the user's as its base. A review *before* belongs to
//! a waiting call and is the reverse: its text is the document, and its base is what the call would make of
//! it. Accepting brings lines of the base into the text; rejecting gives them up.
//!
//! Invariant: nothing here changes a document. [`WorkspaceFiles`](crate::files::WorkspaceFiles) applies
//! decisions and reports the result here.
//! Invariant: if both are locked, the buffers are locked first. Nothing here calls the buffers.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use copydesk_text::Document;
use copydesk_text::review::CurrentText;
use tokio::sync::watch;

use crate::buffers::{BufferObserver, ByteRangeChange, ClientId};
use crate::journal::Journal;

mod applied_edits;
mod committed_hunks;
mod decisions;
mod diagnostics;
mod feedback;
mod moved_documents;
mod persistence;
mod proposal;
mod snapshot;
#[cfg(test)]
mod tests;
mod tracked_review;
mod typed_hunks;

pub use crate::review_feedback::{FeedbackItem, FeedbackKind, ReviewFeedback};
pub(crate) use applied_edits::{AppliedEdit, EditAuthor};
pub(crate) use decisions::{DecisionEffect, PendingDecision};
pub use decisions::{DecisionError, DecisionTarget, HunkVerdict, UserDecision};
pub use diagnostics::{ReviewDiagnostic, ReviewSeverity};
pub use feedback::LineComment;
pub(crate) use moved_documents::MovedDocument;
pub(crate) use proposal::review_before;
pub use proposal::{ProposalDecisions, ReviewProposal};
pub use snapshot::{ReviewSnapshot, ReviewTiming, ReviewUpdate as ReviewChange};
use tracked_review::TrackedReview;

/// Identifies a review within its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReviewId(pub u64);

/// The reviews of all sessions. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct ReviewTracker {
    state: Arc<Mutex<ReviewTrackerState>>,
    journal: Option<Journal>,
}

#[derive(Debug, Default)]
struct ReviewTrackerState {
    sessions: HashMap<String, SessionReviews>,
    /// The number of edits on their way into each buffer.
    edits_in_flight: HashMap<(ClientId, PathBuf), usize>,
}

#[derive(Debug)]
struct SessionReviews {
    next: u64,
    reviews: BTreeMap<ReviewId, TrackedReview>,
    feedback: ReviewFeedback,
    /// Increases with every change that viewers need to know.
    changed: watch::Sender<u64>,
    /// The stored reviews of earlier days are loaded.
    loaded: bool,
    /// The commit that was last checked out, if there is a repository.
    head: Option<String>,
}

impl Default for SessionReviews {
    fn default() -> Self {
        let (reviews, feedback) = (BTreeMap::new(), ReviewFeedback::default());
        Self { next: 1, reviews, feedback, changed: watch::Sender::new(0), loaded: false, head: None }
    }
}

impl ReviewTracker {
    /// Reviews that outlive the daemon, in its journal.
    pub fn new(journal: Option<Journal>) -> Self {
        Self { state: Arc::default(), journal }
    }

    /// Signals that [`ReviewTracker::take_updates`] has changes.
    pub fn watch(&self, session: &str) -> watch::Receiver<u64> {
        self.lock().session_mut(session).changed.subscribe()
    }

    /// Removes a deleted session.
    pub fn forget_session(&self, session: &str) {
        self.lock().sessions.remove(session);
    }

    /// The path of a review's document.
    pub(crate) fn review_path(&self, session: &str, review: ReviewId) -> Option<PathBuf> {
        self.lock().find(session, review).map(|tracked| tracked.name.clone())
    }

    /// The documents that a session has reviews of.
    pub(crate) fn reviewed_paths(&self, session: &str) -> Vec<PathBuf> {
        let mut state = self.lock();
        state.session_mut(session).reviews.values().map(|tracked| tracked.name.clone()).collect()
    }

    /// Takes over the document's current text, from a client's buffer or from the disk.
    pub(crate) fn refresh_text(
        &self,
        session: &str,
        name: &Path,
        client: Option<ClientId>,
        now: CurrentText<'_>,
    ) {
        let mut state = self.lock();
        if client.is_some_and(|client| state.has_edit_in_flight(client, name)) {
            return;
        }
        state.for_each_review(name, |owner, tracked| {
            // Other sessions may follow another editor; and a text from the disk is stale once an editor has
            // the document.
            let is_known_better = client.is_none() && tracked.followed_client.is_some();
            if owner == session && !is_known_better {
                tracked.followed_client = client;
                tracked.adopt_text(now);
            }
        });
    }

    fn lock(&self) -> MutexGuard<'_, ReviewTrackerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReviewTrackerState {
    fn session_mut(&mut self, session: &str) -> &mut SessionReviews {
        self.sessions.entry(session.to_owned()).or_default()
    }

    /// Until an edit has landed, the author of a change is unknown.
    fn has_edit_in_flight(&self, client: ClientId, name: &Path) -> bool {
        !self.edits_in_flight.is_empty() && self.edits_in_flight.contains_key(&(client, name.to_owned()))
    }

    fn find(&mut self, session: &str, review: ReviewId) -> Option<&mut TrackedReview> {
        self.sessions.get_mut(session)?.reviews.get_mut(&review)
    }

    /// Visits every review of a document, and signals the watchers of sessions with changes.
    fn for_each_review(&mut self, name: &Path, mut work: impl FnMut(&str, &mut TrackedReview)) {
        for (session, session_reviews) in &mut self.sessions {
            let mut touched = false;
            for tracked in session_reviews.reviews.values_mut().filter(|tracked| tracked.name == name) {
                work(session, tracked);
                touched |= tracked.is_changed;
            }
            if touched {
                session_reviews.changed.send_modify(|count| *count += 1);
            }
        }
    }
}

impl SessionReviews {
    /// Tells the watchers that there is something new.
    fn signal_change(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Adds a review under a new id.
    fn add(&mut self, tracked: TrackedReview) -> ReviewId {
        let id = ReviewId(self.next);
        self.next += 1;
        self.reviews.insert(id, TrackedReview { id, ..tracked });
        self.signal_change();
        id
    }
}

impl BufferObserver for ReviewTracker {
    fn buffer_opened(&self, client: ClientId, name: &Path, now: &Document) {
        let mut state = self.lock();
        if state.has_edit_in_flight(client, name) {
            return;
        }
        state.for_each_review(name, |_, tracked| {
            if tracked.followed_client.is_none_or(|followed| followed == client) {
                tracked.followed_client = Some(client);
                tracked.adopt_text(now);
            }
        });
    }

    fn buffer_edited(&self, client: ClientId, name: &Path, typed: &[ByteRangeChange<'_>], now: &Document) {
        let mut state = self.lock();
        if state.has_edit_in_flight(client, name) {
            return;
        }
        state.for_each_review(name, |_, tracked| match tracked.followed_client {
            Some(followed) if followed == client => tracked.apply_typing(typed, now),
            Some(_) => {}
            None => {
                tracked.followed_client = Some(client);
                tracked.adopt_text(now);
            }
        });
    }

    fn buffer_closed(&self, client: ClientId, name: &Path) {
        self.lock().for_each_review(name, |_, tracked| {
            if tracked.followed_client == Some(client) {
                tracked.followed_client = None;
            }
        });
    }

    fn path_renamed(&self, from: &Path, to: &Path) {
        self.follow_rename(from, to);
    }
}
