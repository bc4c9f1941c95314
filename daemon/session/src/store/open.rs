//! Opens the database file.

use std::path::{Path, PathBuf};

use copydesk_workspace::database::{Database, LargeFileCheck};
use rusqlite::Connection;

use super::{StoreError, schema};

pub(super) const FILE: Database = Database {
    name: "sessions.db",
    migrations: schema::MIGRATIONS,
    large_file_check: LargeFileCheck::Daily,
    prepare,
};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreRecovery {
    /// The store was damaged and moved here; a new one was created.
    pub moved_aside: Option<PathBuf>,
}

pub(super) fn open(data_dir: &Path) -> Result<(Connection, StoreRecovery), StoreError> {
    let (connection, moved_aside) = FILE.open(data_dir)?;
    Ok((connection, StoreRecovery { moved_aside }))
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // FULL: a commit is on the disk when it returns, power cuts included.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)
}
