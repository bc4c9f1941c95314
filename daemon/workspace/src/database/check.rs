//! Checks whether a file is intact, without reading all of it at every start.
//!
//! SQLite keeps the file intact through crashes of ours. Damage comes from outside: a disk, a power cut after
//! a disk lied about a flush, another program, a bad copy. So the daemon reads all of a small file at every
//! start. It reads all of a large one as its [`LargeFileCheck`] says, and after SQLite reported damage.
//! Otherwise it checks only what costs the same for any size: header, length, schema, free pages. A note
//! beside the file records the last check. It is not in the file, because it is about this file on this disk
//! and must not travel with a copy.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::ffi::{self, SQLITE_CORRUPT};

use super::now_millis;
use crate::time_limits::DATABASE_CHECK_INTERVAL;

/// Bytes that a few milliseconds suffice to read.
pub const SMALL_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The note's content after SQLite reported damage.
const DAMAGE: &str = "damage";

/// When to read all of a large file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LargeFileCheck {
    /// If the last whole check is a day old, precedes the machine's start, or was of another file.
    Daily,
    /// Only after SQLite reported damage: readers verify what they read.
    AfterDamage,
}

/// How much of the file to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckDepth {
    /// Nothing that grows with the file.
    Cheap,
    /// Every page.
    Whole,
    /// Every page, and whether indexes and tables agree: there was damage before.
    Thorough,
}

/// Runs the check that is due at this start and notes it. Damage is an error of SQLite's own kind.
pub(super) fn check_at_start(
    connection: &Connection,
    path: &Path,
    large: LargeFileCheck,
) -> rusqlite::Result<()> {
    if run_check(connection, path, large)? != CheckDepth::Cheap {
        note_whole(path);
    }
    Ok(())
}

/// Runs the check without noting it. Returns how much it read.
pub(super) fn run_check(
    connection: &Connection,
    path: &Path,
    large: LargeFileCheck,
) -> rusqlite::Result<CheckDepth> {
    let depth = required_depth(path, large);
    match depth {
        CheckDepth::Cheap => cheap(connection)?,
        CheckDepth::Whole => check_pages(connection)?,
        CheckDepth::Thorough => verdict(connection, "PRAGMA integrity_check(1)")?,
    }
    Ok(depth)
}

/// The check that the next start has to run, by the note of the last one.
pub fn required_depth(path: &Path, large: LargeFileCheck) -> CheckDepth {
    let text = fs::read_to_string(note_path(path)).unwrap_or_default();
    if text == DAMAGE {
        return CheckDepth::Thorough;
    }
    if path.metadata().map_or(true, |metadata| metadata.len() <= SMALL_FILE_BYTES) {
        return CheckDepth::Whole;
    }
    let is_recent = || {
        let (time, circumstances) = text.split_once(' ')?;
        let age = Duration::from_millis(now_millis().checked_sub(time.parse().ok()?)?);
        Some(age < DATABASE_CHECK_INTERVAL && circumstances == self::circumstances(path))
    };
    match large {
        LargeFileCheck::AfterDamage => CheckDepth::Cheap,
        LargeFileCheck::Daily if is_recent() == Some(true) => CheckDepth::Cheap,
        LargeFileCheck::Daily => CheckDepth::Whole,
    }
}

pub(super) fn check_pages(connection: &Connection) -> rusqlite::Result<()> {
    verdict(connection, "PRAGMA quick_check(1)")
}

fn verdict(connection: &Connection, query: &str) -> rusqlite::Result<()> {
    let verdict: String = connection.query_row(query, [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(damaged(verdict)) }
}

/// SQLite itself checks header and length when it starts to read, and parses the schema.
fn cheap(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
    let (pages, free) = (number("page_count")?, number("freelist_count")?);
    if free >= pages {
        return Err(damaged(format!("{free} of {pages} pages are free")));
    }
    Ok(())
}

fn damaged(what: String) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(SQLITE_CORRUPT), Some(what))
}

/// Whether SQLite reports that the file is damaged.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

/// Notes that the whole file was read and is intact. If that cannot be written, the next start reads the file
/// again.
fn note_whole(path: &Path) {
    if path.metadata().is_ok_and(|metadata| metadata.len() > SMALL_FILE_BYTES) {
        let _ = fs::write(note_path(path), format!("{} {}", now_millis(), circumstances(path)));
    } else {
        let _ = fs::remove_file(note_path(path));
    }
}

/// Notes that SQLite reported damage: the next start checks everything.
pub fn note_damage(path: &Path) {
    let _ = fs::write(note_path(path), DAMAGE);
}

/// Removes the note, because a new file takes the place of the old one.
pub(super) fn forget(path: &Path) {
    let _ = fs::remove_file(note_path(path));
}

/// Where the note of the last check is.
pub fn note_path(path: &Path) -> PathBuf {
    path.with_extension("checked")
}

/// Identifies the file and the boot of the machine. If the system has no boot id, only the age counts.
fn circumstances(path: &Path) -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let file = path.metadata().map_or((0, 0), |metadata| (metadata.dev(), metadata.ino()));
    format!("{}:{} {}", file.0, file.1, boot.trim())
}
