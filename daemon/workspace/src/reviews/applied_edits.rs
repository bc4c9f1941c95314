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
    /// The user, through the daemon: consent to everything that a call would do.
    User,
    /// The user takes back what an agent did.
    Undo,
    /// The user repeats what this call did.
    Redo(&'a str),
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
                let had_hunks = !tracked.review.is_empty();
                tracked.record_edit(session, landed);
                tracked.note_undo(had_hunks, is_its_own, landed.author);
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
        let call = state.call_to_review(session, name, author);
        if let Some(call) = call {
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
            let is_done = owner == session && call.is_some();
            let had_hunks = !tracked.review.is_empty();
            if tracked.is_rejecting_file() {
                tracked.review.record_file_rejection();
            } else if !is_done && tracked.followed_client.is_none() {
                tracked.adopt_text(text);
            }
            tracked.note_undo(had_hunks, owner == session, author);
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
        if let Some(call) = state.call_to_review(session, name, author) {
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
        let is_taken_back = matches!(author, EditAuthor::User | EditAuthor::Undo);
        state.for_each_review(name, |owner, tracked| {
            let had_hunks = !tracked.review.is_empty();
            // Undoing the creation of a file counts as rejecting it.
            if tracked.is_rejecting_file() || is_taken_back && tracked.is_created_file() {
                tracked.review.record_file_rejection();
            }
            tracked.note_undo(had_hunks, owner == session, author);
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

    /// The call whose change is to be reviewed, if there is one. What is repeated has to be reviewed again only if it was
    /// undecided when it was undone.
    pub(super) fn call_to_review<'a>(
        &self,
        session: &str,
        name: &Path,
        author: EditAuthor<'a>,
    ) -> Option<&'a str> {
        let is_undone = || {
            let reviews = self.sessions.get(session).into_iter().flat_map(|known| known.reviews.values());
            reviews.into_iter().any(|tracked| tracked.name == name && tracked.is_undone)
        };
        match author {
            EditAuthor::Agent(call) => Some(call),
            EditAuthor::Redo(call) => is_undone().then_some(call),
            EditAuthor::User
            | EditAuthor::Undo
            | EditAuthor::Decision(_)
            | EditAuthor::HunkReplacement(..) => None,
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

    /// Notes after a change whether an undo of the review's own session took its last hunks. `had_hunks`: before the change.
    pub(super) fn note_undo(&mut self, had_hunks: bool, is_its_own: bool, author: EditAuthor<'_>) {
        let is_undo = is_its_own && author == EditAuthor::Undo && !self.is_proposal();
        self.is_undone = is_undo && self.review.is_empty() && (had_hunks || self.is_undone);
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
