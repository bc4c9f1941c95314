//! Records our edits that have arrived in a document: who made them, and what they leave to decide.

use std::path::Path;

use copydesk_text::Change;
use copydesk_text::review::{CurrentText, HunkId, Review, WholeFileChange};

use super::tracked_review::TrackedReview;
use super::{ReviewId, ReviewTracker, ReviewTrackerState};
use crate::buffers::ClientId;
use crate::journal::FileAttributes;

/// Who made an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditAuthor<'a> {
    /// A call; the user decides on it.
    Agent(&'a str),
    /// The user, through the daemon: an undo, a redo, or consent to everything that a call would do.
    User,
    /// The user's decision in this review.
    Decision(ReviewId),
    /// The user's own text in the place of this hunk, which decides it.
    HunkReplacement(ReviewId, HunkId),
}

/// An edit that is in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AppliedEdit<'a> {
    pub(crate) session: &'a str,
    pub(crate) author: EditAuthor<'a>,
    /// For a user or a model.
    pub(crate) display_path: &'a str,
    pub(crate) before: CurrentText<'a>,
    pub(crate) change: &'a Change,
}

impl ReviewTracker {
    /// Starts an edit into a buffer. Until it has landed, the author of a change there is unknown.
    pub(crate) fn begin_edit(&self, client: ClientId, name: &Path) {
        *self.lock().edits_in_flight.entry((client, name.to_owned())).or_default() += 1;
    }

    /// Ends an edit that cannot land because its buffer is gone.
    pub(crate) fn abandon_edit(&self, client: ClientId, name: &Path) {
        let mut state = self.lock();
        state.end_edit(client, name);
        state.for_each_review(name, |_, tracked| {
            if tracked.followed_client == Some(client) {
                tracked.followed_client = None;
            }
        });
    }

    /// Ends an edit into a client's buffer or on disk. `landed` is the edit if it was made; `now` is the text
    /// after it.
    pub(crate) fn record_edit(
        &self,
        name: &Path,
        client: Option<ClientId>,
        landed: Option<&AppliedEdit<'_>>,
        now: CurrentText<'_>,
    ) {
        let mut state = self.lock();
        if let Some(client) = client {
            state.end_edit(client, name);
        }
        let is_last = client.is_none_or(|client| !state.has_edit_in_flight(client, name));
        if let Some(landed) = landed {
            state.ensure_review(name, landed);
        }
        state.for_each_review(name, |session, tracked| {
            let is_its_own = landed.is_some_and(|landed| landed.session == session);
            // Do not touch another session's review that follows another editor.
            if !is_its_own && tracked.followed_client.is_some() && tracked.followed_client != client {
                return;
            }
            tracked.followed_client = client;
            if let Some(landed) = landed {
                tracked.record_edit(session, landed);
            }
            // If another edit is on its way, the rest of the text may be that edit.
            if is_last {
                tracked.adopt_text(now);
            }
        });
        drop(state);
        self.persist_document(name);
    }

    /// Records a created file.
    pub(crate) fn record_created(
        &self,
        name: &Path,
        shown: &str,
        session: &str,
        author: EditAuthor<'_>,
        text: &str,
    ) {
        let mut state = self.lock();
        if let EditAuthor::Agent(call) = author {
            let session_reviews = state.session_mut(session);
            let mut known = session_reviews.reviews.values_mut();
            match known.find(|tracked| tracked.name == name && !tracked.is_proposal()) {
                Some(tracked) => tracked.review.record_recreation(text, call),
                None => {
                    let review = Review::for_created_file(text, call);
                    session_reviews.add(TrackedReview::new(name.to_owned(), shown.to_owned(), review));
                }
            }
        }
        state.for_each_review(name, |owner, tracked| {
            let is_done = owner == session && matches!(author, EditAuthor::Agent(_));
            if tracked.is_rejecting_file() {
                tracked.review.record_file_rejection();
            } else if !is_done && tracked.followed_client.is_none() {
                tracked.adopt_text(text);
            }
            (tracked.is_changed, tracked.is_unsaved) = (true, true);
        });
        drop(state);
        self.persist_document(name);
    }

    /// Records a deleted file; `before` is its content and attributes.
    pub(crate) fn record_removed(
        &self,
        name: &Path,
        shown: &str,
        session: &str,
        author: EditAuthor<'_>,
        (before, attributes): (&str, FileAttributes),
    ) {
        let mut state = self.lock();
        if let EditAuthor::Agent(call) = author {
            let session_reviews = state.session_mut(session);
            if !session_reviews.reviews.values().any(|tracked| tracked.name == name && !tracked.is_proposal())
            {
                session_reviews.add(TrackedReview::new(
                    name.to_owned(),
                    shown.to_owned(),
                    Review::new(before),
                ));
            }
            let of_session = session_reviews.reviews.values_mut().filter(|tracked| tracked.name == name);
            for tracked in of_session.filter(|tracked| !tracked.is_proposal()) {
                tracked.adopt_text(before);
                tracked.review.record_deletion(call);
                tracked.attributes = attributes;
            }
        }
        state.for_each_review(name, |_, tracked| {
            // Undoing the creation of a file counts as rejecting it.
            if tracked.is_rejecting_file() || author == EditAuthor::User && tracked.is_created_file() {
                tracked.review.record_file_rejection();
            }
            (tracked.is_changed, tracked.is_unsaved) = (true, true);
        });
        drop(state);
        self.persist_document(name);
    }
}

impl ReviewTrackerState {
    fn end_edit(&mut self, client: ClientId, name: &Path) {
        let place = (client, name.to_owned());
        if let Some(count) = self.edits_in_flight.get_mut(&place) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.edits_in_flight.remove(&place);
            }
        }
    }

    /// Starts a review at an agent's first edit of a document.
    fn ensure_review(&mut self, name: &Path, landed: &AppliedEdit<'_>) {
        let EditAuthor::Agent(_) = landed.author else { return };
        let session_reviews = self.session_mut(landed.session);
        if !session_reviews.reviews.values().any(|tracked| tracked.name == name && !tracked.is_proposal()) {
            session_reviews.add(TrackedReview::new(
                name.to_owned(),
                landed.display_path.to_owned(),
                Review::from_current(landed.before),
            ));
        }
    }
}

impl TrackedReview {
    fn is_rejecting_file(&self) -> bool {
        !self.is_proposal() && self.review.file_hunk().is_some_and(|whole| whole.rejecting)
    }

    fn is_created_file(&self) -> bool {
        !self.is_proposal()
            && self.review.file_hunk().is_some_and(|whole| whole.kind == WholeFileChange::Created)
    }

    fn record_edit(&mut self, session: &str, landed: &AppliedEdit<'_>) {
        if !self.follows_text() {
            return;
        }
        self.adopt_text(landed.before);
        // Cannot fail: the text is the one that the edit was made for.
        let _ = match landed.author {
            EditAuthor::Agent(call) if session == landed.session && !self.is_proposal() => {
                self.review.record_agent_change(landed.change, call)
            }
            EditAuthor::Decision(review) if session == landed.session && self.id == review => {
                self.review.record_rejection(landed.change)
            }
            EditAuthor::HunkReplacement(review, hunk) if session == landed.session && self.id == review => {
                self.review.record_user_rewrite(hunk, landed.change)
            }
            _ => self.review.record_user_change(landed.change),
        };
        (self.is_changed, self.is_unsaved) = (true, true);
    }
}
