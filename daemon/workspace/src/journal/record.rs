//! Records entries: first the texts, then the entry, in one transaction.

use copydesk_text::Change;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::entry::{EntryId, EntryOutcome, FileAttributes, HashedText, NewEntry, NewEntryKind};
use super::latest_texts::LatestTexts;
use super::text_rows::{self, TextRow};
use super::{JournalError, JournalThread};
use crate::database::now_millis;

impl JournalThread {
    pub(super) fn begin(&mut self, entries: &[NewEntry]) -> Result<Vec<EntryId>, JournalError> {
        // On disk on return, even after a power cut.
        self.connection.pragma_update(None, "synchronous", "FULL")?;
        let ids = begin(&mut self.connection, &mut self.known, entries).inspect_err(|_| {
            // Forget rows that were never committed.
            self.known.clear();
        })?;
        if let Some(first) = ids.first() {
            self.newest = first.0;
            self.has_grown = true;
        }
        Ok(ids)
    }

    pub(super) fn settle(&mut self, ids: &[EntryId], outcome: EntryOutcome) -> Result<(), JournalError> {
        // Do not wait for the disk: after a power cut the hashes show what happened.
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        settle(&mut self.connection, ids, outcome)
    }
}

fn begin(
    connection: &mut Connection,
    known: &mut LatestTexts,
    entries: &[NewEntry],
) -> Result<Vec<EntryId>, JournalError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut ids = Vec::with_capacity(entries.len());
    for entry in entries {
        let id = put(&transaction, known, entry, ids.first().copied())?;
        ids.push(id);
    }
    transaction.commit()?;
    Ok(ids)
}

fn settle(connection: &mut Connection, ids: &[EntryId], outcome: EntryOutcome) -> Result<(), JournalError> {
    let word = match outcome {
        EntryOutcome::Applied => "applied",
        EntryOutcome::Failed => "failed",
    };
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for id in ids {
        let mut update = transaction.prepare_cached("UPDATE entry SET outcome = ?2 WHERE id = ?1")?;
        if update.execute(params![id.0, word])? == 0 {
            return Err(JournalError::NoEntry(*id));
        }
    }
    transaction.commit()?;
    Ok(())
}

/// An entry as columns.
struct EntryColumns<'a> {
    kind: &'a str,
    leads_to: Option<&'a str>,
    before: Option<(&'a HashedText, TextRow)>,
    after: Option<(&'a HashedText, TextRow)>,
}

fn put(
    transaction: &Transaction<'_>,
    known: &mut LatestTexts,
    entry: &NewEntry,
    first: Option<EntryId>,
) -> Result<EntryId, JournalError> {
    let place = entry.path.as_str();
    let (kind, leads_to, before, after) = match &entry.kind {
        NewEntryKind::Edit { before, change, after } => {
            ("edit", None, Some(before), Some((after, Some(change))))
        }
        NewEntryKind::Create { after } => ("create", None, None, Some((after, None))),
        NewEntryKind::Delete { before, .. } => ("delete", None, Some(before), None),
        NewEntryKind::Move { to, before, change, after } => {
            ("move", Some(to.as_str()), Some(before), Some((after, Some(change))))
        }
    };
    if let (Some(before), Some((after, Some(change)))) = (before, after)
        && !change_produces(before.as_str(), change, after.as_str())
    {
        return Err(JournalError::Mismatch(place.to_owned()));
    }
    let before = match before {
        Some(text) => Some((text, text_rows::store_text(transaction, text, known.get(place))?)),
        None => None,
    };
    let after = match (after, before) {
        (Some((text, Some(change))), Some((_, base))) => {
            Some((text, text_rows::put_change(transaction, base, change, text.hash())?))
        }
        (Some((text, _)), _) => Some((text, text_rows::store_text(transaction, text, known.get(place))?)),
        (None, _) => None,
    };
    let id = insert(transaction, entry, first, &EntryColumns { kind, leads_to, before, after })?;
    if let Some((text, row)) = after.or(before) {
        known.put(leads_to.unwrap_or(place), text.clone(), row.id);
    }
    Ok(id)
}

fn insert(
    transaction: &Transaction<'_>,
    entry: &NewEntry,
    first: Option<EntryId>,
    columns: &EntryColumns<'_>,
) -> Result<EntryId, JournalError> {
    let EntryColumns { kind, leads_to, before, after } = columns;
    let hash = |text: &Option<(&HashedText, TextRow)>| text.map(|(text, _)| text.hash());
    let group = entry.group.or(first);
    let attributes = if let NewEntryKind::Delete { attributes, .. } = &entry.kind {
        *attributes
    } else {
        FileAttributes::default()
    };
    transaction
        .prepare_cached(
            "INSERT INTO entry (session, call, part_of, place, kind, leads_to, undoes, time, before_hash, after_hash,
                                before, after, mode, bom)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        )?
        .execute(params![
            entry.session,
            entry.call,
            group.map_or(0, |id| id.0),
            entry.path,
            kind,
            leads_to,
            entry.undoes.map(|id| id.0),
            now_millis(),
            hash(before).as_ref().map(super::TextHash::bytes),
            hash(after).as_ref().map(super::TextHash::bytes),
            before.map(|(_, row)| row.id),
            after.map(|(_, row)| row.id),
            attributes.mode,
            attributes.bom
        ])?;
    let id = transaction.last_insert_rowid();
    if group.is_none() {
        transaction.execute("UPDATE entry SET part_of = id WHERE id = ?1", [id])?;
    }
    Ok(EntryId(id))
}

/// Whether `change` turns `before` into `after`. Copies nothing.
fn change_produces(before: &str, change: &Change, after: &str) -> bool {
    let mut at = 0;
    let mut rest = Some(after);
    for edit in change.edits() {
        let (kept, replaced) = (before.get(at..edit.range.start), before.get(edit.range.clone()));
        let (Some(kept), Some(_)) = (kept, replaced) else { return false };
        rest = rest.and_then(|rest| rest.strip_prefix(kept)?.strip_prefix(edit.text.as_str()));
        at = edit.range.end;
    }
    rest.is_some() && rest == before.get(at..)
}
