//! What undoing and redoing come to: which entries, in which order, and what is to be done to the text that is there now.
//!
//! An undo is an edit like any other, recorded with the entry that it `undoes`; a redo undoes the undo. Where there are
//! several for one place, each is made for the text that the one before it left.
//!
//! Invariant: what a person wrote is neither deleted nor overwritten; where an edit cannot be taken back without that,
//! it is [`UndoError`].

use std::collections::{HashMap, HashSet};

use copydesk_text::{Change, Conflict, RebaseError, rebase};

use super::entry::{EntryId, EntryKind, EntryOutcome, JournalEntry};
use super::read_entries::EntryTexts;

/// What takes an edit back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoStep {
    /// Nothing, and nothing to record: it is as if it had not been made.
    NoChange,
    /// To the text at the place.
    Edit(Change),
    /// A file with this text, where there is none.
    Create(String),
    /// The file goes; its text is the one that was recorded.
    Delete,
    /// The file goes from where the entry leads to back to its place, changed on the way. Nothing may be there.
    MoveBack(Change),
}

/// Why an edit cannot be taken back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    #[error("it is gone")]
    Missing,
    #[error("there is a file in its place by now")]
    Exists,
    /// A file that was created and worked on since: deleting it would take that along.
    #[error("it was changed since it was created")]
    Changed,
    #[error(transparent)]
    Conflict(#[from] Conflict),
    #[error("its texts do not fit its change")]
    Broken,
}

/// What takes `entry` back from what is there now: the text where it [leads to](Entry::leads_to), `None` for no file.
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

/// Those edits of some calls that are in effect, in the order of undoing: the newest first. `entries` are all of the
/// session, the oldest first.
pub fn entries_to_undo<'a>(entries: &'a [JournalEntry], calls: &[String]) -> Vec<&'a JournalEntry> {
    let undone = undone(entries);
    let wanted = |entry: &&JournalEntry| {
        is_applied(entry)
            && entry.undoes.is_none()
            && calls.contains(&entry.call)
            && !undone.contains(&entry.id)
    };
    entries.iter().rev().filter(wanted).collect()
}

/// The undo that was made last and not redone: all entries of its group, in the order of taking them back. `entries` are
/// all of the session, the oldest first.
pub fn entries_to_redo(entries: &[JournalEntry]) -> Vec<&JournalEntry> {
    let undone = undone(entries);
    let by_id: HashMap<EntryId, &JournalEntry> = entries.iter().map(|entry| (entry.id, entry)).collect();
    // A redo undoes as well: an undo is what undoes an edit of an agent.
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

/// Entries that a later one took back, which was not taken back itself.
fn undone(entries: &[JournalEntry]) -> HashSet<EntryId> {
    let mut undone = HashSet::new();
    // What takes an entry back is newer than it, so it is decided first.
    for entry in entries.iter().rev().filter(|entry| is_applied(entry)) {
        if let (Some(id), false) = (entry.undoes, undone.contains(&entry.id)) {
            undone.insert(id);
        }
    }
    undone
}
