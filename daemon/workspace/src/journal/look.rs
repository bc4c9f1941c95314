//! A look at the journal that leaves it as it is: nothing is made, migrated, mended or moved.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{Journal, open};

/// What there is to say of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    pub path: PathBuf,
    pub bytes: u64,
    /// How many edits; or why nobody can tell.
    pub entries: Result<u64, String>,
}

impl Journal {
    /// `None` where there is no journal yet.
    pub fn look(data_dir: &Path) -> Option<Look> {
        let path = open::file(data_dir);
        let bytes = path.metadata().ok()?.len();
        let entries = count(&path).map_err(|error| error.to_string());
        Some(Look { path, bytes, entries })
    }
}

fn count(path: &Path) -> rusqlite::Result<u64> {
    let connection = Connection::open_with_flags(
        address(path),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    open::verify(&connection, "PRAGMA quick_check(1)")?;
    connection.query_row("SELECT count(*) FROM entry", [], |row| row.get(0))
}

/// Where no log stands beside the file, nobody has it open, and it can be read without the files that even a reader
/// makes otherwise.
fn address(path: &Path) -> String {
    let text = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let alone = if Path::new(&log).exists() { "" } else { "?immutable=1" };
    format!("file:{text}{alone}")
}
