//! From a folder to a connection that can be relied on.

use std::fs::{self, DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::check::{self, Depth, is_damage};
use super::{StoreError, schema};
use crate::id::now;

/// SQLite before this can lose writes when two processes reset the log at once.
const OLDEST_SQLITE: i32 = 3_051_003;

/// How the opening went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opened {
    /// The store was damaged; this is where it is now. A new one was begun.
    pub moved_aside: Option<PathBuf>,
}

pub(super) fn file(data_dir: &Path) -> PathBuf {
    data_dir.join("sessions.db")
}

pub(super) fn open(data_dir: &Path) -> Result<(Connection, Opened), StoreError> {
    let path = file(data_dir);
    let unusable = |what: String| StoreError::Unusable { path: path.clone(), what };
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
        Ok(Ok(connection)) => Ok((connection, opened)),
        Ok(Err(version)) => {
            Err(unusable(format!("was written by a newer copydesk (format {version}): update this one")))
        }
        Err(error) => Err(unusable(explain(&error))),
    }
}

/// The folder and the file are the user's alone: sessions hold code and whatever was said.
fn make_private(data_dir: &Path, path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(data_dir)?;
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).map(|_| ())
}

/// Opens, checks and migrates. The inner `Err` tells that a newer version wrote it.
fn connect(path: &Path) -> rusqlite::Result<Result<Connection, i64>> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(30))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // FULL: a commit is on the disk when it returns, power cuts included.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    let depth = check::depth(path);
    check::check(&connection, depth)?;
    if depth != Depth::Cheap {
        check::note_whole(path);
    }
    Ok(schema::migrate(&mut connection)?.map(|()| connection))
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
    let _ = fs::remove_file(check::note(path));
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
