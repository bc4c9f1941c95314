//! How much the journal keeps, and what it evicts beyond that.
//!
//! Texts go first: those of the session that has been idle longest, its oldest entries first. Their entries
//! stay without texts, up to a number that fits into an eighth of the limit; then the oldest of these go too.
//! Each eviction frees enough that the next edit does not need another.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::text_rows::release;
use super::{JournalError, JournalThread};
use crate::database::{is_damage, note_damage, now_millis};
use crate::time_limits::JOURNAL_MAX_AGE;

/// The rough size of an entry without texts, with its indexes.
const BARE: u64 = 512;

/// How many entries lose their texts between two checks of the size.
const BATCH: usize = 16;

/// How much the journal may keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLimits {
    /// The size of the file, give or take one edit and the log.
    pub bytes: u64,
    /// How long texts are kept.
    pub age: Duration,
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self { bytes: 256 * 1024 * 1024, age: JOURNAL_MAX_AGE }
    }
}

impl fmt::Display for JournalLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes >> 20 {
            0 => write!(f, "{} kB", self.bytes >> 10)?,
            megabytes => write!(f, "{megabytes} MB")?,
        }
        match self.age.as_secs() / (24 * 60 * 60) {
            1 => write!(f, " for a day"),
            days => write!(f, " for {days} days"),
        }
    }
}

/// How much of the limits is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalUsage {
    pub bytes: u64,
    pub limits: JournalLimits,
    pub entries: u64,
    /// How many entries can no longer be undone because their texts are gone.
    pub evicted: u64,
}

impl JournalThread {
    pub(super) fn usage(&self) -> Result<JournalUsage, JournalError> {
        let count = |what: &str| {
            self.connection.query_row(&format!("SELECT count(*) FROM entry {what}"), [], |row| row.get(0))
        };
        let (entries, gone) = (count("")?, count("WHERE before IS NULL AND after IS NULL")?);
        Ok(JournalUsage { bytes: bytes(&self.connection)?, limits: self.limits, entries, evicted: gone })
    }

    pub(super) fn forget(&mut self, session: &str) -> Result<(), JournalError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sql = "DELETE FROM entry WHERE session = ?1 RETURNING before, after";
        let rows =
            transaction.prepare_cached(sql)?.query_map([session], pair)?.collect::<Result<Vec<_>, _>>()?;
        release_all(&transaction, rows)?;
        transaction.commit()?;
        vacuum(&self.connection)?;
        Ok(())
    }

    /// Evicts what exceeds the limits, if anything was added. A failure is retried after the next job.
    pub(super) fn enforce_limits(&mut self, path: &Path) {
        if !self.has_grown {
            return;
        }
        match self.evict() {
            Ok(()) => self.has_grown = false,
            Err(error) if is_damage(&error) => note_damage(path),
            Err(_) => {}
        }
    }

    fn evict(&mut self) -> rusqlite::Result<()> {
        let JournalLimits { bytes: most, age } = self.limits;
        let aged = aged(&self.connection, age, self.newest)?;
        if bytes(&self.connection)? <= most && aged.is_empty() {
            return Ok(());
        }
        let newest = self.newest;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        drop_texts(&transaction, &aged)?;
        if bytes(&transaction)? > most {
            let candidates = candidates(&transaction, newest)?;
            for batch in candidates.chunks(BATCH) {
                if bytes(&transaction)? <= most / 8 * 7 {
                    break;
                }
                drop_texts(&transaction, batch)?;
            }
        }
        transaction.execute(
            "DELETE FROM entry WHERE before IS NULL AND after IS NULL AND id <= (
                 SELECT id FROM entry WHERE before IS NULL AND after IS NULL ORDER BY id DESC LIMIT 1 OFFSET ?1
             )",
            [most / 8 / BARE],
        )?;
        transaction.commit()?;
        vacuum(&self.connection)
    }
}

/// Entries whose texts are too old.
fn aged(connection: &Connection, age: Duration, newest: i64) -> rusqlite::Result<Vec<i64>> {
    let oldest = now_millis().saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
    let mut query = connection.prepare_cached(
        "SELECT id FROM entry WHERE (before IS NOT NULL OR after IS NOT NULL) AND time < ?1 AND id < ?2",
    )?;
    query.query_map(params![oldest, newest], |row| row.get(0))?.collect()
}

/// Entries with texts, in the order of eviction.
fn candidates(connection: &Connection, newest: i64) -> rusqlite::Result<Vec<i64>> {
    let mut query = connection.prepare_cached(
        "SELECT entry.id FROM entry
         JOIN (SELECT session, max(id) AS last FROM entry GROUP BY session) AS rest USING (session)
         WHERE (before IS NOT NULL OR after IS NOT NULL) AND entry.id < ?1 ORDER BY rest.last, entry.id",
    )?;
    query.query_map([newest], |row| row.get(0))?.collect()
}

/// Deletes the texts of entries. Another process may have deleted the entries themselves.
fn drop_texts(connection: &Connection, ids: &[i64]) -> rusqlite::Result<()> {
    for id in ids {
        let mut texts = connection.prepare_cached("SELECT before, after FROM entry WHERE id = ?1")?;
        let texts = texts.query_row([id], pair).optional()?;
        let mut update =
            connection.prepare_cached("UPDATE entry SET before = NULL, after = NULL WHERE id = ?1")?;
        update.execute([id])?;
        release_all(connection, texts)?;
    }
    Ok(())
}

type TextRowPair = (Option<i64>, Option<i64>);

fn pair(row: &rusqlite::Row<'_>) -> rusqlite::Result<TextRowPair> {
    Ok((row.get(0)?, row.get(1)?))
}

fn release_all(connection: &Connection, rows: impl IntoIterator<Item = TextRowPair>) -> rusqlite::Result<()> {
    // The text after is stored as a change of the text before.
    for row in rows.into_iter().flat_map(|(before, after)| [after, before]).flatten() {
        release(connection, row)?;
    }
    Ok(())
}

/// The bytes in use; free pages are about to return to the disk.
fn bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
    Ok(number("page_size")? * number("page_count")?.saturating_sub(number("freelist_count")?))
}

/// Returns free pages to the disk.
fn vacuum(connection: &Connection) -> rusqlite::Result<()> {
    let mut vacuum = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = vacuum.query([])?;
    // Each step frees one page.
    while rows.next()?.is_some() {}
    drop(rows);
    // The file shrinks when the log is folded in; if another process reads it, the next time.
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}
