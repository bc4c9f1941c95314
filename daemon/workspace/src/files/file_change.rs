//! What to do to a file, and what was done.

use std::sync::Arc;

use copydesk_text::review::HunkId;
use copydesk_text::{Change, FileText};

use super::{ContentStamp, FileError, ResolvedPath, WritePrecondition};
use crate::buffers::{ClientId, OpenBuffer};
use crate::journal::{EntryId, FileAttributes, HashedText, NewEntryKind};
use crate::reviews::ReviewId;

/// What to do to one file.
#[derive(Debug, Clone)]
pub struct FileChange {
    pub path: ResolvedPath,
    pub kind: FileChangeKind,
}

#[derive(Debug, Clone)]
pub enum FileChangeKind {
    /// `change` applies to the text of `file`, whose content has this stamp.
    Edit { file: FileText, stamp: ContentStamp, change: Change },
    Create {
        text: String,
        /// The mode bits, if they differ from a new file's.
        mode: Option<u32>,
    },
    /// Only while it has this content.
    Delete { file: FileText, stamp: ContentStamp },
    /// Moves the file to a path where there is none. A buffer goes along, with what the user typed and did not save.
    Move { to: ResolvedPath, file: FileText, stamp: ContentStamp },
}

/// The origin of a change: for the journal, and for the name of the editor's undo step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeCause {
    pub session: String,
    pub call: String,
    pub label: String,
    /// The user has seen and accepted it.
    pub is_accepted: bool,
    pub author: Author,
    /// The first entry of a group that is undone and redone together. By default the changes of one call are
    /// a group.
    pub group: Option<EntryId>,
}

/// The author of a change, for reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// An agent; the user decides on it later.
    Agent,
    /// An agent, and the user has seen and accepted everything.
    ApprovedAgent,
    /// The user takes back this journal entry.
    Undo(EntryId),
    /// The user takes back this entry of an undo.
    Redo(EntryId),
    /// The user's decision in this review.
    Decision(ReviewId),
    /// The user's own text in the place of this hunk, which decides it.
    HunkReplacement(ReviewId, HunkId),
}

/// The result for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedFileChange {
    pub path: ResolvedPath,
    /// The client and URI of the buffer with the change, if the file was open.
    pub client: Option<(ClientId, String)>,
    /// The user had typed since the change was made; it was rebased.
    pub is_rebased: bool,
    /// `None` without a journal.
    pub entry: Option<EntryId>,
    /// The texts before and after, without a byte order mark; `None` for no file.
    pub before: Option<Arc<String>>,
    pub after: Option<Arc<String>>,
    /// The content after.
    pub stamp: Option<ContentStamp>,
    /// The text after is on disk.
    pub is_saved: bool,
    /// Why an editor that should have saved it did not.
    pub save_error: Option<String>,
}

/// One change in terms of the disk.
pub(super) struct PendingDiskChange {
    pub(super) before: Option<FileText>,
    /// `None` for a deletion.
    pub(super) after: Option<(FileText, HashedText)>,
    pub(super) recorded: NewEntryKind,
}

impl FileChangeKind {
    pub(super) fn expect(&self) -> WritePrecondition {
        match self {
            Self::Edit { file, .. } | Self::Delete { file, .. } | Self::Move { file, .. } => {
                WritePrecondition::Unchanged(file.clone())
            }
            Self::Create { .. } => WritePrecondition::New,
        }
    }

    pub(super) fn is_move(&self) -> bool {
        matches!(self, Self::Move { .. })
    }

    /// Whether a file may be created while an editor has it open and keeps its text: an undo, or a decision that
    /// restores a deleted file, leaves the editor with the same text.
    pub(super) fn allows_open_buffer(&self, open: &OpenBuffer, cause: &ChangeCause) -> bool {
        match (self, cause.author) {
            (Self::Create { text, .. }, Author::Undo(_) | Author::Redo(_) | Author::Decision(_)) => {
                open.document.text() == FileText::from(text.clone()).text()
            }
            _ => false,
        }
    }

    /// The stamp of the content that it changes; `None` if it creates a file.
    pub fn stamp(&self) -> Option<ContentStamp> {
        match self {
            Self::Edit { stamp, .. } | Self::Delete { stamp, .. } | Self::Move { stamp, .. } => Some(*stamp),
            Self::Create { .. } => None,
        }
    }

    pub(super) fn mode(&self) -> Option<u32> {
        match self {
            Self::Create { mode, .. } => *mode,
            Self::Edit { .. } | Self::Delete { .. } | Self::Move { .. } => None,
        }
    }

    /// `None` for a move, which changes no content.
    pub(super) fn disk_change(&self, place: &ResolvedPath) -> Result<Option<PendingDiskChange>, FileError> {
        let with_text = |file: FileText| {
            let text = HashedText::from_shared(file.shared_text());
            (file, text)
        };
        Ok(Some(match self {
            Self::Move { .. } => return Ok(None),
            Self::Create { text, .. } => {
                let (file, after) = with_text(text.clone().into());
                let recorded = NewEntryKind::Create { after: after.clone() };
                PendingDiskChange { before: None, after: Some((file, after)), recorded }
            }
            Self::Delete { file, stamp } => {
                let attributes = FileAttributes { mode: place.mode(), bom: file.has_bom() };
                let recorded = NewEntryKind::Delete { before: stamp.text(file), attributes };
                PendingDiskChange { before: Some(file.clone()), after: None, recorded }
            }
            Self::Edit { file, stamp, change } => {
                let stale = |_| FileError::Changed { shown: place.display_path.clone() };
                let (new, after) = with_text(file.with_text(change.apply(file.text()).map_err(stale)?));
                let before = stamp.text(file);
                let recorded = NewEntryKind::Edit { before, change: change.clone(), after: after.clone() };
                PendingDiskChange { before: Some(file.clone()), after: Some((new, after)), recorded }
            }
        }))
    }
}
