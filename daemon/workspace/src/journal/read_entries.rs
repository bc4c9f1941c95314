//! Reads entries from their rows.

use copydesk_text::Change;
use rusqlite::{Connection, OptionalExtension as _, Row};

use super::entry::{EntryId, EntryKind, EntryOutcome, FileAttributes, JournalEntry, TextHash};
use super::text_rows::{self, unreadable, verify_hash};
use super::{JournalError, JournalLimits};

const COLUMNS: &str =
    "id, session, call, part_of, place, kind, leads_to, outcome, undoes, time, before_hash, after_hash,
                       before, after, mode, bom";

/// The texts before and after an entry; `None` means no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryTexts {
    pub before: Option<String>,
    pub after: Option<String>,
    /// The recorded change from one to the other, if both exist.
    pub change: Option<Change>,
}

pub(super) fn entries(connection: &Connection, session: &str) -> Result<Vec<JournalEntry>, JournalError> {
    let query = format!("SELECT {COLUMNS} FROM entry WHERE session = ?1 ORDER BY id");
    let mut statement = connection.prepare_cached(&query)?;
    let rows = statement.query_map([session], |row| Ok(read(row)))?;
    rows.map(|entry| Ok(entry??.entry)).collect()
}

pub(super) fn unsettled(connection: &Connection) -> Result<Vec<JournalEntry>, JournalError> {
    let query = format!("SELECT {COLUMNS} FROM entry WHERE outcome IS NULL ORDER BY id");
    let mut statement = connection.prepare_cached(&query)?;
    let rows = statement.query_map([], |row| Ok(read(row)))?;
    rows.map(|entry| Ok(entry??.entry)).collect()
}

pub(super) fn texts(
    connection: &Connection,
    id: EntryId,
    limits: JournalLimits,
) -> Result<EntryTexts, JournalError> {
    let query = format!("SELECT {COLUMNS} FROM entry WHERE id = ?1");
    let found = connection.prepare_cached(&query)?.query_row([id.0], |row| Ok(read(row))).optional()?;
    let StoredEntry { entry, before, after } = found.ok_or(JournalError::NoEntry(id))??;
    if !entry.has_texts {
        return Err(JournalError::Evicted { place: entry.path, limits });
    }
    let read = |row: Option<i64>, hash: Option<TextHash>| match (row, hash) {
        (Some(row), Some(hash)) => text_rows::read(connection, row, hash).map(Some),
        _ => Ok(None),
    };
    let (Some(base), Some(row), Some(hash)) = (before, after, entry.after) else {
        let (before, after) = (read(before, entry.before)?, read(after, entry.after)?);
        return Ok(EntryTexts { before, after, change: None });
    };
    let before = read(Some(base), entry.before)?.unwrap_or_default();
    let change = text_rows::read_change(connection, row, base)?;
    let after = verify_hash(change.apply(&before).map_err(unreadable)?, hash)?;
    Ok(EntryTexts { before: Some(before), after: Some(after), change: Some(change) })
}

/// An entry, and the rows of its texts.
struct StoredEntry {
    entry: JournalEntry,
    before: Option<i64>,
    after: Option<i64>,
}

fn read(row: &Row<'_>) -> Result<StoredEntry, JournalError> {
    let kind: String = row.get(5)?;
    let kind = match (kind.as_str(), row.get(6)?) {
        ("edit", _) => EntryKind::Edit,
        ("create", _) => EntryKind::Create,
        ("delete", _) => EntryKind::Delete,
        ("move", Some(to)) => EntryKind::Move { to },
        ("move", None) => return Err(unreadable("a move has no target")),
        _ => return Err(unreadable(format!("an entry of the kind `{kind}` is not known"))),
    };
    let outcome: Option<String> = row.get(7)?;
    let outcome = match outcome.as_deref() {
        None => None,
        Some("applied") => Some(EntryOutcome::Applied),
        Some("failed") => Some(EntryOutcome::Failed),
        Some(word) => return Err(unreadable(format!("an entry's outcome is `{word}`"))),
    };
    let hash = |index| row.get::<_, Option<[u8; 32]>>(index).map(|hash| hash.map(TextHash::from));
    let (before, after): (Option<i64>, Option<i64>) = (row.get(12)?, row.get(13)?);
    let entry = JournalEntry {
        id: EntryId(row.get(0)?),
        session: row.get(1)?,
        call: row.get(2)?,
        group: EntryId(row.get(3)?),
        path: row.get(4)?,
        kind,
        outcome,
        undoes: row.get::<_, Option<i64>>(8)?.map(EntryId),
        time: row.get(9)?,
        before: hash(10)?,
        after: hash(11)?,
        attributes: FileAttributes { mode: row.get(14)?, bom: row.get(15)? },
        has_texts: before.is_some() || after.is_some(),
    };
    Ok(StoredEntry { entry, before, after })
}
