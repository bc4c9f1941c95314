//! Opens the database file. If it was damaged, brings over what can be read.

use std::path::{Path, PathBuf};

use copydesk_workspace::database::{Database, LargeFileCheck};
use rusqlite::Connection;

use super::salvage::{SalvagedSessions, salvage};
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
    /// What the new one has of it.
    pub salvaged: SalvagedSessions,
}

/// How many sessions a message names.
const MAX_NAMED: usize = 10;

impl StoreRecovery {
    /// What happened, for the user; `None` if the store was intact.
    pub fn describe(&self) -> Option<String> {
        let aside = self.moved_aside.as_ref()?;
        let SalvagedSessions { sessions, incomplete } = &self.salvaged;
        let count =
            |count: usize| if count == 1 { "1 session".to_owned() } else { format!("{count} sessions") };
        let mut text = format!(
            "the session store was damaged: {} could be read; the damaged file is {}",
            count(*sessions),
            aside.display()
        );
        if !incomplete.is_empty() {
            let named = incomplete.iter().take(MAX_NAMED).map(|(id, title)| format!("{id} ({title})"));
            let named = named.collect::<Vec<_>>().join(", ");
            text.push_str(&format!("; {} lost parts: {named}", count(incomplete.len())));
            if incomplete.len() > MAX_NAMED {
                text.push_str(&format!(" and {} more", incomplete.len() - MAX_NAMED));
            }
        }
        Some(text)
    }
}

pub(super) fn open(data_dir: &Path) -> Result<(Connection, StoreRecovery), StoreError> {
    let (mut connection, moved_aside) = FILE.open(data_dir)?;
    let salvaged = match &moved_aside {
        None => SalvagedSessions::default(),
        // The damaged file is kept: without what is in it, the new store can still be used.
        Some(aside) => salvage(aside, &mut connection).unwrap_or_else(|error| {
            tracing::error!(%error, "nothing could be read from the damaged session store");
            SalvagedSessions::default()
        }),
    };
    Ok((connection, StoreRecovery { moved_aside, salvaged }))
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // FULL: a commit is on the disk when it returns, power cuts included.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)
}
