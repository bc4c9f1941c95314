//! The file of the journal.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{JournalError, schema};
use crate::database::{Database, LargeFileCheck, SMALL_FILE_BYTES, describe_error};

/// All of a large one is read only after damage: each text is checked by its hash when it is read, so damage that is not
/// seen at the start cannot give a wrong one.
pub(super) const FILE: Database = Database {
    name: "journal.db",
    migrations: schema::STEPS,
    large_file_check: LargeFileCheck::AfterDamage,
    prepare,
};

/// How the opening went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JournalOpenReport {
    /// The journal was damaged; this is where it is now. A new one was begun.
    pub moved_aside: Option<PathBuf>,
    /// How many entries were begun and never settled; [`Journal::unsettled_entries`](super::Journal::unsettled) gives them.
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
    // Before there is any table: what the bound takes is given back to the disk.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_size_limit", SMALL_FILE_BYTES)
}
