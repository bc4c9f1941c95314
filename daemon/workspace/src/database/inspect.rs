//! Inspects a file and leaves it as it is: creates, migrates, repairs and moves nothing.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{Database, check, with_suffix};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSummary {
    pub path: PathBuf,
    pub bytes: u64,
    /// The number of rows of the table, or why it cannot be read.
    pub rows: Result<u64, String>,
}

impl Database {
    /// `None` if there is no file yet. Reads the whole file, which takes a while.
    pub fn inspect(&self, data_dir: &Path, table: &str) -> Option<DatabaseSummary> {
        let path = self.path(data_dir);
        let bytes = path.metadata().ok()?.len();
        let rows = count(&path, table).map_err(|error| error.to_string());
        Some(DatabaseSummary { path, bytes, rows })
    }
}

fn count(path: &Path, table: &str) -> rusqlite::Result<u64> {
    let connection = Connection::open_with_flags(
        address(path),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    check::check_pages(&connection)?;
    connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
}

/// Without a log beside it no process has the file open, so SQLite can read it without creating the files
/// that a reader otherwise needs.
pub(super) fn address(path: &Path) -> String {
    let text = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let alone = if with_suffix(path, "-wal").exists() { "" } else { "?immutable=1" };
    format!("file:{text}{alone}")
}
