//! The journal's file.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{JournalError, schema};
use crate::database::{Database, LargeFileCheck, SMALL_FILE_BYTES, describe_error};

/// A large journal is read as a whole only after damage: each text is verified by its hash when it is read,
/// so damage that the start does not see cannot give a wrong text.
pub(super) const FILE: Database = Database {
    name: "journal.db",
    migrations: schema::STEPS,
    large_file_check: LargeFileCheck::AfterDamage,
    prepare,
};

/// How the journal was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JournalOpenReport {
    /// Where the damaged journal is now. A new one was started.
    pub moved_aside: Option<PathBuf>,
    /// How many entries were begun and never settled;
    /// [`Journal::unsettled_entries`](super::Journal::unsettled_entries) lists them.
    pub unsettled: usize,
}

pub(super) fn open(data_dir: &Path) -> Result<(Connection, JournalOpenReport), JournalError> {
    let (connection, moved_aside) = FILE.open(data_dir)?;
    let count = "SELECT count(*) FROM entry WHERE outcome IS NULL";
    let failed = |error| JournalError::Failed { path: FILE.path(data_dir), what: describe_error(&error) };
    let unsettled = connection.query_row(count, [], |row| row.get(0)).map_err(failed)?;
    Ok((connection, JournalOpenReport { moved_aside, unsettled }))
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // Set before there is any table, so that evicted space returns to the disk.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_size_limit", SMALL_FILE_BYTES)
}
