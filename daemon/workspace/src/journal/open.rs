//! From a folder to a connection that can be relied on.
//!
//! SQLite keeps the file whole through crashes of ours; what damages it comes from outside. All of a small file is looked
//! at when it is opened, all of a large one only when SQLite met damage before: each text is checked by its hash when it
//! is read, so damage that is not seen here cannot give a wrong one.

use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::Connection;
use rusqlite::ffi::{self, SQLITE_CORRUPT};

use super::{JournalError, schema};

/// SQLite before this can lose writes when two processes reset the log at once.
const OLDEST_SQLITE: i32 = 3_051_003;

/// Bytes that are read within a few milliseconds.
const SMALL: u64 = 4 * 1024 * 1024;

/// How the opening went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opened {
    /// The journal was damaged; this is where it is now. A new one was begun.
    pub moved_aside: Option<PathBuf>,
    /// How many entries were begun and never settled; [`Journal::unsettled`](super::Journal::unsettled) gives them.
    pub unsettled: usize,
}

pub(super) fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("journal.db")
}

pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

pub(super) fn open(data_dir: &Path) -> Result<(Connection, Opened), JournalError> {
    let path = file(data_dir);
    let unusable = |what: String| JournalError::Unusable { path: path.clone(), what };
    if rusqlite::version_number() < OLDEST_SQLITE {
        let version = rusqlite::version();
        return Err(unusable(format!("SQLite {version} can lose writes; 3.51.3 or newer is needed")));
    }
    make_private(data_dir, &path).map_err(|error| unusable(format!("cannot be made: {error}")))?;
    let mut opened = Opened::default();
    let connection = match connect(&path) {
        Err(error) if is_damage(&error) => {
            opened.moved_aside = Some(
                move_aside(&path)
                    .map_err(|error| unusable(format!("is damaged, and cannot be moved aside: {error}")))?,
            );
            make_private(data_dir, &path).map_err(|error| unusable(format!("cannot be made: {error}")))?;
            connect(&path)
        }
        connected => connected,
    };
    match connection {
        Ok(Ok(connection)) => {
            let count = "SELECT count(*) FROM entry WHERE outcome IS NULL";
            opened.unsettled = connection.query_row(count, [], |row| row.get(0))?;
            Ok((connection, opened))
        }
        Ok(Err(version)) => {
            Err(unusable(format!("was written by a newer copydesk (format {version}): update this one")))
        }
        Err(error) => Err(unusable(explain(&error))),
    }
}

/// The folder and the file are the user's alone: they hold code.
fn make_private(data_dir: &Path, path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(data_dir)?;
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).map(|_| ())
}

/// Opens, checks and migrates. The inner `Err` tells that a newer version wrote it.
fn connect(path: &Path) -> rusqlite::Result<Result<Connection, i64>> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(30))?;
    // Before there is any table: what the bound takes is given back to the disk.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_size_limit", SMALL)?;
    check(path, &connection)?;
    Ok(schema::migrate(&mut connection)?.map(|()| connection))
}

/// A query that answers `ok`, or what is wrong.
pub(super) fn verify(connection: &Connection, query: &str) -> rusqlite::Result<()> {
    let verdict: String = connection.query_row(query, [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(SQLITE_CORRUPT), Some(verdict)));
    }
    Ok(())
}

fn check(path: &Path, connection: &Connection) -> rusqlite::Result<()> {
    let was_damaged = note(path).exists();
    let is_small = path.metadata().is_ok_and(|metadata| metadata.len() <= SMALL);
    let pragma = match (was_damaged, is_small) {
        (true, _) => "PRAGMA integrity_check(1)",
        (false, true) => "PRAGMA quick_check(1)",
        // SQLite itself compares header and length, and takes the schema apart.
        (false, false) => "SELECT iif(count(*) >= 0, 'ok', '') FROM sqlite_schema",
    };
    verify(connection, pragma)?;
    if was_damaged {
        let _ = fs::remove_file(note(path));
    }
    Ok(())
}

pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

/// Notes that SQLite met damage: the next start looks at everything.
pub(super) fn note_damage(path: &Path) {
    let _ = fs::write(note(path), "");
}

fn note(path: &Path) -> PathBuf {
    path.with_extension("damage")
}

/// The log goes along: together they may still be mended.
fn move_aside(path: &Path) -> std::io::Result<PathBuf> {
    let with = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let mark = format!(".damaged-{}", now());
    for suffix in ["-wal", "-shm"] {
        let from = with(suffix);
        if from.exists() {
            fs::rename(&from, with(&format!("{mark}{suffix}")))?;
        }
    }
    let aside = with(&mark);
    fs::rename(path, &aside)?;
    let _ = fs::remove_file(note(path));
    Ok(aside)
}

fn explain(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode::{CannotOpen, DatabaseBusy, DiskFull, PermissionDenied, ReadOnly};
    match error.sqlite_error_code() {
        Some(DiskFull) => "the disk is full; free some space and try again".to_owned(),
        Some(ReadOnly | PermissionDenied) => "cannot be written: check who owns it and its folder".to_owned(),
        Some(CannotOpen) => format!("cannot be opened: {error}"),
        Some(DatabaseBusy) => "another program holds it and does not let go".to_owned(),
        _ => error.to_string(),
    }
}
