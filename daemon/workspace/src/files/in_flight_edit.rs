//! Tells the reviews about a change: that it is on its way, and how it ended.

use copydesk_text::{Change, Document};

use super::{Author, ChangeCause, WorkspaceFiles};
use crate::buffers::{ClientId, PlannedEdit};
use crate::journal::EntryId;
use crate::reviews::{AppliedEdit, EditAuthor};

/// An edit on its way into a buffer. However it ends, the reviews of the document continue afterwards.
pub(super) struct InFlightEdit<'a> {
    files: &'a WorkspaceFiles,
    client: ClientId,
    planned: PlannedEdit,
    is_over: bool,
}

impl WorkspaceFiles {
    pub(super) fn track_in_flight(&self, client: ClientId, planned: &PlannedEdit) -> InFlightEdit<'_> {
        self.reviews().begin_edit(client, &planned.name);
        InFlightEdit { files: self, client, planned: planned.clone(), is_over: false }
    }

    /// Records an edit of a file that no editor has open.
    pub(super) fn record_disk_edit(
        &self,
        name: &std::path::Path,
        shown: &str,
        cause: &ChangeCause,
        (before, change, after): (&str, &Change, &str),
    ) {
        let (session, author) = (cause.session.as_str(), cause.edit_author());
        let landed = AppliedEdit { session, author, display_path: shown, before: before.into(), change };
        self.reviews().record_edit(name, None, Some(&landed), after.into());
    }
}

impl InFlightEdit<'_> {
    /// The edit was applied, or is known not to be.
    pub(super) fn finish(mut self, shown: &str, applied: bool, cause: &ChangeCause) {
        let PlannedEdit { before, change, .. } = &self.planned;
        let (session, author) = (cause.session.as_str(), cause.edit_author());
        let landed = AppliedEdit { session, author, display_path: shown, before: before.into(), change };
        self.end(applied.then_some(&landed));
        self.is_over = true;
    }

    fn end(&self, landed: Option<&AppliedEdit<'_>>) {
        let (reviews, name) = (self.files.reviews(), &self.planned.name);
        let look = |now: &Document| reviews.record_edit(name, Some(self.client), landed, now.into());
        if !self.files.buffers().with_document(self.client, name, look) {
            // The buffer is closed; the next reader sees the current text.
            reviews.abandon_edit(self.client, name);
        }
    }
}

impl Drop for InFlightEdit<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.end(None);
        }
    }
}

impl ChangeCause {
    pub(super) fn edit_author(&self) -> EditAuthor<'_> {
        match self.author {
            Author::Agent => EditAuthor::Agent(&self.call),
            Author::Decision(review) => EditAuthor::Decision(review),
            Author::HunkReplacement(review, hunk) => EditAuthor::HunkReplacement(review, hunk),
            Author::Undo(_) => EditAuthor::Undo,
            Author::Redo(_) => EditAuthor::Redo(&self.call),
            Author::ApprovedAgent => EditAuthor::User,
        }
    }

    pub(super) fn undoes(&self) -> Option<EntryId> {
        match self.author {
            Author::Undo(entry) | Author::Redo(entry) => Some(entry),
            Author::Agent | Author::ApprovedAgent | Author::Decision(_) | Author::HunkReplacement(..) => None,
        }
    }
}
