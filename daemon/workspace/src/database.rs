//! Opens a SQLite file of ours safely.
//!
//! Contract:
//! - several processes may have the file open: writes wait for one another, and none is lost;
//! - only the user can read the folder and the file;
//! - a damaged or emptied file is moved aside together with its log and reported, never deleted or written to: nothing
//!   is written before the check, and a check does not fold in the log;
//! - a file that cannot be written can be read ([`Database::open_read_only`]);
//! - a file written by a newer version is rejected, not misread.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use thiserror::Error;

use crate::time_limits::DATABASE_BUSY_TIMEOUT;

mod check;
mod inspect;
mod read_only;

pub use check::{
    CheckDepth, LargeFileCheck, SMALL_FILE_BYTES, is_damage, note_damage, note_path, required_depth,
};
pub use inspect::DatabaseSummary;

/// Older SQLite can lose writes when two processes reset the log at once.
const OLDEST_SQLITE: i32 = 3_051_003;

/// For users who cannot write the file.
const ADVICE: &str = "check who owns it and its folder, or name another place in XDG_DATA_HOME";

/// A database file and how to open it.
#[derive(Debug, Clone, Copy)]
pub struct Database {
    /// The file name in the user's data folder.
    pub name: &'static str,
    /// The tables, as migrations from one version to the next. A released migration never changes.
    pub migrations: &'static [&'static str],
    /// When to check the whole of a large file.
    pub large_file_check: LargeFileCheck,
    /// Settings to apply before anything is read.
    pub prepare: fn(&Connection) -> rusqlite::Result<()>,
}

#[derive(Debug, Error)]
#[error("{}: {what}", .path.display())]
pub struct DatabaseError {
    pub path: PathBuf,
    pub what: String,
}

/// The page cache, in SQLite's notation: negative means KiB.
const CACHE: i64 = -512;

impl Database {
    pub fn path(&self, data_dir: &Path) -> PathBuf {
        data_dir.join(self.name)
    }

    /// Opens or creates the file in this folder. If the file was damaged, starts a new one and returns where
    /// the old one is now.
    pub fn open(&self, data_dir: &Path) -> Result<(Connection, Option<PathBuf>), DatabaseError> {
        let path = self.path(data_dir);
        let unusable = |what: String| DatabaseError { path: path.clone(), what };
        if rusqlite::version_number() < OLDEST_SQLITE {
            let version = rusqlite::version();
            return Err(unusable(format!("SQLite {version} can lose writes; 3.51.3 or newer is needed")));
        }
        let make = || {
            self.create(data_dir, &path).map_err(unusable)?;
            make_private(data_dir, &path).map_err(|error| unusable(unmade(&path, &error)))
        };
        let move_it = || {
            let immovable = |error| unusable(format!("is damaged, and cannot be moved aside: {error}"));
            move_aside(&path).map(Some).map_err(immovable)
        };
        let mut aside = if is_truncated(&path) { move_it()? } else { None };
        make()?;
        let connection = match self.connect(&path) {
            Err(error) if is_damage(&error) => {
                aside = move_it()?;
                make()?;
                self.connect(&path)
            }
            connected => connected,
        };
        match connection {
            Ok(Ok(connection)) => Ok((connection, aside)),
            Ok(Err(version)) => Err(unusable(read_only::newer_version_message(version))),
            Err(error) => Err(unusable(describe_error(&error))),
        }
    }

    /// Creates the file, if there is none. It has its tables before it has its name, so an empty file of this name is one
    /// that was truncated.
    fn create(&self, data_dir: &Path, path: &Path) -> Result<(), String> {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        if path.exists() {
            return Ok(());
        }
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let new = with_suffix(path, &format!(".new-{}-{serial}", std::process::id()));
        make_private(data_dir, &new).map_err(|error| unmade(path, &error))?;
        let fill = || {
            let mut connection = Connection::open(&new)?;
            connection.busy_timeout(DATABASE_BUSY_TIMEOUT)?;
            (self.prepare)(&connection)?;
            self.migrate(&mut connection).map(|_| ())
        };
        let filled = fill().map_err(|error: rusqlite::Error| describe_error(&error));
        let named = filled.and_then(|()| match rename_new(&new, path) {
            // Another process was first.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            named => named.map_err(|error| unmade(path, &error)),
        });
        let _ = fs::remove_file(&new);
        named
    }

    /// Opens, checks and migrates. The inner `Err` is the version of a file that a newer copydesk wrote.
    fn connect(&self, path: &Path) -> rusqlite::Result<Result<Connection, i64>> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(DATABASE_BUSY_TIMEOUT)?;
        // Most pages are read once, by the check at the start, so the cache stays small.
        connection.pragma_update(None, "cache_size", CACHE)?;
        // The last connection to close folds in the log, but this file may not be writable.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        (self.prepare)(&connection)?;
        check::check_at_start(&connection, path, self.large_file_check)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(self.migrate(&mut connection)?.map(|()| connection))
    }

    fn migrate(&self, connection: &mut Connection) -> rusqlite::Result<Result<(), i64>> {
        // One process migrates; the others wait here and then find nothing to do.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let done = usize::try_from(version).unwrap_or(usize::MAX);
        let Some(missing) = self.migrations.get(done..) else { return Ok(Err(version)) };
        for step in missing {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "user_version", self.migrations.len() as i64)?;
        transaction.commit()?;
        Ok(Ok(()))
    }
}

/// Milliseconds since 1970.
pub fn now_millis() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Whether a file lost all of its content. With a log beside it, SQLite may still find it.
fn is_truncated(path: &Path) -> bool {
    let size = |path: &Path| fs::metadata(path).map_or(0, |meta| meta.len());
    path.exists() && size(path) == 0 && size(&with_suffix(path, "-wal")) == 0
}

/// Renames a file, but replaces none.
fn rename_new(from: &Path, to: &Path) -> std::io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(std::io::Error::from) {
        // Some file systems cannot refuse to replace.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            if to.exists() { Err(ErrorKind::AlreadyExists.into()) } else { fs::rename(from, to) }
        }
        renamed => renamed,
    }
}

/// The files contain code and conversations.
fn make_private(data_dir: &Path, path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(data_dir)?;
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path).map(|_| ())
}

/// Why the file cannot be created or written.
fn unmade(path: &Path, error: &std::io::Error) -> String {
    let what = if path.exists() { "written" } else { "created" };
    format!("cannot be {what}: {error}; {ADVICE}")
}

/// A companion file, as SQLite names it.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The log moves along: together with it the file may still be repaired.
fn move_aside(path: &Path) -> std::io::Result<PathBuf> {
    let with = |suffix: &str| with_suffix(path, suffix);
    let mark = format!(".damaged-{}", now_millis());
    for suffix in ["-wal", "-shm"] {
        let from = with(suffix);
        if from.exists() {
            fs::rename(&from, with(&format!("{mark}{suffix}")))?;
        }
    }
    let aside = with(&mark);
    fs::rename(path, &aside)?;
    check::forget(path);
    Ok(aside)
}

/// What failed, and what to do.
pub fn describe_error(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseBusy, DiskFull, PermissionDenied, ReadOnly, SystemIoFailure,
    };
    match error.sqlite_error_code() {
        Some(DiskFull) => "the disk is full; free some space and try again".to_owned(),
        Some(ReadOnly | PermissionDenied) => format!("cannot be written; {ADVICE}"),
        Some(CannotOpen) => format!("cannot be opened ({error}); {ADVICE}"),
        Some(SystemIoFailure) => {
            format!("cannot be read or written ({error}): the disk may be full or failing")
        }
        Some(DatabaseBusy) => "another program keeps it locked; close that program and try again".to_owned(),
        _ => error.to_string(),
    }
}
