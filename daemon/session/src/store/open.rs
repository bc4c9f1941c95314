//! The file of all sessions.

use std::path::{Path, PathBuf};

use copydesk_workspace::database::{Database, Large};
use rusqlite::Connection;

use super::{StoreError, schema};

pub(super) const FILE: Database =
    Database { name: "sessions.db", steps: schema::STEPS, large: Large::Daily, prepare };

/// How the opening went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opened {
    /// The store was damaged; this is where it is now. A new one was begun.
    pub moved_aside: Option<PathBuf>,
}

pub(super) fn open(data_dir: &Path) -> Result<(Connection, Opened), StoreError> {
    let (connection, moved_aside) = FILE.open(data_dir)?;
    Ok((connection, Opened { moved_aside }))
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // FULL: a commit is on the disk when it returns, power cuts included.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)
}
