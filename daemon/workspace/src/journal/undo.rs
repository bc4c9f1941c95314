//! Decides how to undo and redo: which entries, in which order, and what to do to the current text.
//!
//! An undo is an edit like any other, recorded with the entry that it `undoes`; a redo undoes the undo. Of
//! several entries for one path, each applies to the text that the one before it left.
//!
//! Invariant: an undo neither deletes nor overwrites what the user wrote; if it would have to, it is an
//! [`UndoError`].

use std::collections::{HashMap, HashSet};

use copydesk_text::{Change, Conflict, RebaseError, rebase};

use super::entry::{EntryId, EntryKind, EntryOutcome, JournalEntry};
use super::read_entries::EntryTexts;

/// How to undo an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoStep {
    /// Nothing to do and nothing to record: the edit is already undone.
    NoChange,
    /// Edit the current text.
    Edit(Change),
    /// Create a file with this text; there must be none.
    Create(String),
    /// Delete the file; its text is the recorded one.
    Delete,
    /// Move the file back to its old path, changed on the way. Nothing may be there.
    MoveBack(Change),
}

/// Why an edit cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    #[error("it no longer exists")]
    Missing,
    #[error("another file has taken its place")]
    Exists,
    /// A created file has been edited since: deleting it would lose those edits.
    #[error("it was changed since it was created")]
    Changed,
    #[error(transparent)]
    Conflict(#[from] Conflict),
    #[error("its recorded texts do not match its recorded change")]
    Broken,
}

/// How to undo `entry`. `now` is the current text at its [final path](JournalEntry::final_path), `None` for
/// no file.
pub fn inverse_step(
    entry: &JournalEntry,
    texts: &EntryTexts,
    now: Option<&str>,
) -> Result<UndoStep, UndoError> {
    match (&entry.kind, now) {
        (EntryKind::Edit, Some(now)) => {
            let change = back(texts, now)?;
            Ok(if change.is_empty() { UndoStep::NoChange } else { UndoStep::Edit(change) })
        }
        (EntryKind::Move { .. }, Some(now)) => back(texts, now).map(UndoStep::MoveBack),
        (EntryKind::Edit | EntryKind::Move { .. }, None) => Err(UndoError::Missing),
        (EntryKind::Create, None) => Ok(UndoStep::NoChange),
        (EntryKind::Create, Some(now)) if texts.after.as_deref() == Some(now) => Ok(UndoStep::Delete),
        (EntryKind::Create, Some(_)) => Err(UndoError::Changed),
        (EntryKind::Delete, Some(now)) if texts.before.as_deref() == Some(now) => Ok(UndoStep::NoChange),
        (EntryKind::Delete, Some(_)) => Err(UndoError::Exists),
        (EntryKind::Delete, None) => texts.before.clone().map(UndoStep::Create).ok_or(UndoError::Broken),
    }
}

fn back(texts: &EntryTexts, now: &str) -> Result<Change, UndoError> {
    let EntryTexts { before: Some(before), after: Some(after), change: Some(change) } = texts else {
        return Err(UndoError::Broken);
    };
    let inverse = change.inverse(before).map_err(|_| UndoError::Broken)?;
    rebase(after, &inverse, now).map_err(|error| match error {
        RebaseError::Conflict(conflict) => UndoError::Conflict(conflict),
        RebaseError::Stale(_) => UndoError::Broken,
    })
}

/// The edits of `calls` that are in effect, in the order of undoing: newest first. `entries` are all of the
/// session, oldest first.
///
/// An edit without an outcome may be in effect: the process was killed just before or just after it made the
/// edit. `WorkspaceFiles::undo_entries` compares the text to find out.
pub fn entries_to_undo<'a>(entries: &'a [JournalEntry], calls: &[String]) -> Vec<&'a JournalEntry> {
    let undone = undone(entries);
    let wanted = |entry: &&JournalEntry| {
        entry.outcome != Some(EntryOutcome::Failed)
            && entry.undoes.is_none()
            && calls.contains(&entry.call)
            && !undone.contains(&entry.id)
    };
    entries.iter().rev().filter(wanted).collect()
}

/// The last undo that was not redone: all entries of its group, in the order of redoing. `entries` are all of
/// the session, oldest first.
pub fn entries_to_redo(entries: &[JournalEntry]) -> Vec<&JournalEntry> {
    let undone = undone(entries);
    let by_id: HashMap<EntryId, &JournalEntry> = entries.iter().map(|entry| (entry.id, entry)).collect();
    // A redo has `undoes` too. An undo is an entry that undoes an agent's edit.
    let is_undo = |entry: &&JournalEntry| {
        let undoes = entry.undoes.and_then(|id| by_id.get(&id));
        is_applied(entry) && !undone.contains(&entry.id) && undoes.is_some_and(|edit| edit.undoes.is_none())
    };
    let undos: Vec<_> = entries.iter().rev().filter(is_undo).collect();
    let group = undos.first().map(|entry| entry.group);
    undos.into_iter().filter(|entry| Some(entry.group) == group).collect()
}

fn is_applied(entry: &JournalEntry) -> bool {
    entry.outcome == Some(EntryOutcome::Applied)
}

/// The entries that a later entry undid, unless that one was undone itself.
fn undone(entries: &[JournalEntry]) -> HashSet<EntryId> {
    let mut undone = HashSet::new();
    // The entry that undoes another is newer, so visit the newest first.
    for entry in entries.iter().rev().filter(|entry| is_applied(entry)) {
        if let (Some(id), false) = (entry.undoes, undone.contains(&entry.id)) {
            undone.insert(id);
        }
    }
    undone
}
