//! Undoes an agent's edits of files, through the buffers and by merge: what the user wrote stays, and files
//! that the agent did not edit are not touched.

use copydesk_text::FileText;

use super::{Author, ChangeCause, FileChange, FileChangeKind, FileError, READ_LIMIT, WorkspaceFiles};
use crate::journal::{
    EntryId, EntryKind, EntryOutcome, Journal, JournalEntry, UndoError, UndoStep, inverse_step,
};

/// The result for one edit.
#[derive(Debug)]
pub struct UndoneEntry {
    /// An absolute path, or the URI of a buffer without one.
    pub path: String,
    pub outcome: UndoneEntryOutcome,
}

#[derive(Debug)]
pub enum UndoneEntryOutcome {
    Undone,
    /// The edit was already undone by hand.
    AlreadyUndone,
    Blocked(UndoError),
    Failed(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoDirection {
    Undo,
    /// The entries are those of an undo.
    Redo,
}

impl UndoDirection {
    /// What an editor calls the change.
    fn label(self) -> &'static str {
        match self {
            Self::Undo => "Undo",
            Self::Redo => "Redo",
        }
    }
}

impl WorkspaceFiles {
    /// Undoes entries in their order. Each is an edit of its own, so that a conflict in one file does not
    /// stop the others. They form a group: one redo brings them all back.
    pub async fn undo_entries(
        &self,
        journal: &Journal,
        entries: &[&JournalEntry],
        direction: UndoDirection,
    ) -> Vec<UndoneEntry> {
        let mut group = None;
        let mut taken = Vec::new();
        for entry in entries {
            let how = self.take_back_entry(journal, entry, direction, &mut group).await;
            let how = how.unwrap_or_else(UndoneEntryOutcome::Failed);
            taken.push(UndoneEntry { path: entry.path.clone(), outcome: how });
        }
        taken
    }

    async fn take_back_entry(
        &self,
        journal: &Journal,
        entry: &JournalEntry,
        direction: UndoDirection,
        group: &mut Option<EntryId>,
    ) -> Result<UndoneEntryOutcome, String> {
        let texts = journal.entry_texts(entry.id).await.map_err(|error| error.to_string())?;
        let place = self.resolve(entry.final_path());
        // An editor may keep the text of a file that was deleted on disk, and still has it when the file is
        // restored.
        let found = match entry.kind {
            EntryKind::Delete => self.read_from_disk(&place).await,
            EntryKind::Create | EntryKind::Edit | EntryKind::Move { .. } => {
                self.peek(&place, READ_LIMIT).await
            }
        };
        let now = match found {
            Ok(content) => {
                let file = FileText::decode(content.bytes).map_err(|error| error.to_string())?;
                Some((file, content.stamp))
            }
            Err(FileError::NotFound { .. }) => None,
            Err(error) => return Err(error.to_string()),
        };
        let step = inverse_step(entry, &texts, now.as_ref().map(|(file, _)| file.text()));
        if entry.outcome.is_none() {
            // The process was killed while it made the edit. The text says whether it was made.
            let outcome = match step {
                Ok(UndoStep::NoChange) | Err(UndoError::Missing) => EntryOutcome::Failed,
                _ => EntryOutcome::Applied,
            };
            journal.settle(vec![entry.id], outcome).await.map_err(|error| error.to_string())?;
            if outcome == EntryOutcome::Failed {
                return Ok(UndoneEntryOutcome::AlreadyUndone);
            }
        }
        let step = match step {
            Ok(step) => step,
            Err(blocked) => return Ok(UndoneEntryOutcome::Blocked(blocked)),
        };
        let kind = match (step, now) {
            (UndoStep::NoChange, _) => return Ok(UndoneEntryOutcome::AlreadyUndone),
            (UndoStep::Edit(change), Some((file, stamp))) => FileChangeKind::Edit { file, stamp, change },
            (UndoStep::Delete, Some((file, stamp))) => FileChangeKind::Delete { file, stamp },
            (UndoStep::Create(text), None) => FileChangeKind::Create {
                text: entry.attributes.with_byte_order_mark(text),
                mode: entry.attributes.mode,
            },
            // The text that moved was edited by other entries, if at all.
            (UndoStep::MoveBack(_), Some((file, stamp))) => {
                let to = self.resolve(&entry.path);
                if self.peek(&to, READ_LIMIT).await.is_ok() {
                    return Ok(UndoneEntryOutcome::Blocked(UndoError::Exists));
                }
                FileChangeKind::Move { to, file, stamp }
            }
            (UndoStep::MoveBack(_) | UndoStep::Edit(_) | UndoStep::Delete | UndoStep::Create(_), _) => {
                return Ok(UndoneEntryOutcome::Blocked(UndoError::Missing));
            }
        };
        let cause = ChangeCause {
            session: entry.session.clone(),
            call: entry.call.clone(),
            label: direction.label().to_owned(),
            is_accepted: true,
            author: match direction {
                UndoDirection::Undo => Author::Undo(entry.id),
                UndoDirection::Redo => Author::Redo(entry.id),
            },
            group: *group,
        };
        let changed = self
            .apply_changes(&[FileChange { path: place, kind }], &cause)
            .await
            .map_err(|error| error.to_string())?;
        *group = group.or(changed.first().and_then(|changed| changed.entry));
        Ok(UndoneEntryOutcome::Undone)
    }
}
