//! A look at the store that leaves it as it is: nothing is made, migrated, mended or moved.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::Store;
use super::check::{self, Depth};

/// What there is to say of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    pub path: PathBuf,
    pub bytes: u64,
    /// How many sessions, those that others began included; or why nobody can tell.
    pub sessions: Result<u64, String>,
}

impl Store {
    /// `None` where there is no store yet. Reads all of it, which takes its time.
    pub fn look(data_dir: &Path) -> Option<Look> {
        let path = data_dir.join("sessions.db");
        let bytes = path.metadata().ok()?.len();
        let sessions = count(&path).map_err(|error| error.to_string());
        Some(Look { path, bytes, sessions })
    }
}

fn count(path: &Path) -> rusqlite::Result<u64> {
    let connection = Connection::open_with_flags(
        address(path),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    check::check(&connection, Depth::Whole)?;
    connection.query_row("SELECT count(*) FROM session", [], |row| row.get(0))
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
