//! Lets reviews follow a document that has moved.

use std::path::Path;

use copydesk_text::review::{CurrentText, Review, WholeFileChange};

use super::tracked_review::TrackedReview;
use super::{EditAuthor, ReviewTracker};
use crate::buffers::ClientId;

/// A document that has moved: its names and paths for the user, before and after.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovedDocument<'a> {
    pub(crate) from: (&'a Path, &'a str),
    pub(crate) to: (&'a Path, &'a str),
    pub(crate) text: &'a str,
}

impl ReviewTracker {
    /// Records a moved document.
    pub(crate) fn record_moved(&self, moved: &MovedDocument<'_>, session: &str, author: EditAuthor<'_>) {
        let ((from, old), (to, new)) = (moved.from, moved.to);
        let mut state = self.lock();
        // Where the document is now, another one was reviewed that no longer exists.
        state.for_each_review(to, |_, tracked| {
            if !tracked.is_proposal() {
                tracked.review = Review::new("");
                (tracked.is_changed, tracked.is_unsaved) = (true, true);
            }
        });
        let call = state.call_to_review(session, from, author);
        if let Some(call) = call {
            let session_reviews = state.session_mut(session);
            let is_its_own = |tracked: &TrackedReview| tracked.name == from && !tracked.is_proposal();
            if !session_reviews.reviews.values().any(is_its_own) {
                let review = Review::new(moved.text);
                session_reviews.add(TrackedReview::new(from.to_owned(), old.to_owned(), review));
            }
            let own = session_reviews.reviews.values_mut().filter(|tracked| is_its_own(tracked));
            own.for_each(|tracked| tracked.review.record_rename(old, new, call));
        }
        state.for_each_review(from, |owner, tracked| {
            let is_own = owner == session && !tracked.is_proposal();
            let had_hunks = !tracked.review.is_empty();
            match author {
                EditAuthor::Decision(review) if is_own && tracked.id == review => {
                    tracked.review.record_file_rejection();
                }
                EditAuthor::Agent(_) | EditAuthor::Redo(_) if is_own => {}
                _ if !tracked.is_proposal() && tracked.was_renamed_from(new) => {
                    tracked.review.record_file_rejection();
                }
                _ => {}
            }
            tracked.note_undo(had_hunks, is_own, author);
            tracked.name = to.to_owned();
            new.clone_into(&mut tracked.display_path);
            (tracked.is_changed, tracked.is_unsaved) = (true, true);
        });
        drop(state);
        self.persist_document(to);
    }

    /// Lets reviews and the journal follow a file, or the files of a folder, that the user has renamed. Proposals stay: their
    /// calls know only the old name.
    pub(super) fn follow_rename(&self, from: &Path, to: &Path) {
        let mut state = self.lock();
        let mut moved = Vec::new();
        for session_reviews in state.sessions.values_mut() {
            let reviews = session_reviews.reviews.values_mut().filter(|tracked| !tracked.is_proposal());
            let before = moved.len();
            for tracked in reviews {
                let Ok(rest) = tracked.name.strip_prefix(from) else { continue };
                // `join` would add a slash to the name of a file.
                let name = if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) };
                tracked.display_path = tracked.display_path_after_rename(&name);
                tracked.name.clone_from(&name);
                tracked.followed_client = None;
                (tracked.is_changed, tracked.is_unsaved) = (true, true);
                moved.push(name);
            }
            if moved.len() > before {
                session_reviews.signal_change();
            }
        }
        drop(state);
        if let Some(journal) = &self.journal {
            journal.follow_rename(from, to);
        }
        moved.iter().for_each(|name| self.persist_document(name));
    }

    /// Takes over the text of a buffer that moved along, with what the user typed meanwhile.
    pub(crate) fn adopt_moved(&self, client: ClientId, name: &Path, now: CurrentText<'_>) {
        self.lock().for_each_review(name, |_, tracked| {
            if tracked.followed_client.is_none_or(|followed| followed == client) {
                tracked.followed_client = Some(client);
                tracked.adopt_text(now);
            }
        });
    }
}

impl TrackedReview {
    /// The path for the user: relative to the same folder as before, or absolute.
    fn display_path_after_rename(&self, name: &Path) -> String {
        let folder = self.name.to_str().and_then(|old| old.strip_suffix(self.display_path.as_str()));
        let inside = folder.and_then(|folder| name.to_str()?.strip_prefix(folder));
        inside.map_or_else(|| name.display().to_string(), str::to_owned)
    }

    /// Whether a call renamed the file from this path.
    fn was_renamed_from(&self, path: &str) -> bool {
        let kind = self.review.file_hunk().map(|whole| &whole.kind);
        matches!(kind, Some(WholeFileChange::Renamed { from }) if from == path)
    }
}
