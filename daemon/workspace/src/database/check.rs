//! Whether a file is whole, without reading all of it at every start.
//!
//! SQLite keeps the file whole through crashes of ours, whoever is killed when: what damages it comes from outside (a
//! disk, a power cut that the disk lied about, another program, a copy that went wrong). So all of a small file is read
//! at every start, and all of a large one as its [`LargeFileCheck`] says, and when SQLite has met damage since. Otherwise only what
//! costs the same for any size: header, length, schema, free pages. The last check is noted beside the file, not in it:
//! the note is about this file on this disk, and must not travel with a copy.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::ffi::{self, SQLITE_CORRUPT};

use super::now_millis;

/// Bytes that are read within a few milliseconds.
pub const SMALL_FILE_BYTES: u64 = 4 * 1024 * 1024;

const DAY: u64 = 24 * 60 * 60 * 1000;

/// What the note says when SQLite has met damage.
const DAMAGE: &str = "damage";

/// When all of a large file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LargeFileCheck {
    /// When the last such check is a day old, was made before the machine was started, or of another file.
    Daily,
    /// Only when SQLite met damage: whoever reads it checks what comes out.
    AfterDamage,
}

/// How much of the file has to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckDepth {
    /// Nothing that grows with it.
    Cheap,
    /// Every page.
    Whole,
    /// Also whether indexes and tables agree: something was wrong before.
    Thorough,
}

/// What has to be read at this start is read, and noted. An error of SQLite's own kind for damage, if there is any.
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

/// The same without a trace. Gives what was read.
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

/// What the next start has to do, by the note of the last check.
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
        let age = now_millis().checked_sub(time.parse().ok()?)?;
        Some(age < DAY && circumstances == self::circumstances(path))
    };
    match large {
        LargeFileCheck::AfterDamage => CheckDepth::Cheap,
        LargeFileCheck::Daily if is_recent() == Some(true) => CheckDepth::Cheap,
        LargeFileCheck::Daily => CheckDepth::Whole,
    }
}

/// Every page.
pub(super) fn check_pages(connection: &Connection) -> rusqlite::Result<()> {
    verdict(connection, "PRAGMA quick_check(1)")
}

fn verdict(connection: &Connection, query: &str) -> rusqlite::Result<()> {
    let verdict: String = connection.query_row(query, [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(damaged(verdict)) }
}

/// SQLite itself compares header and length when it begins to read, and takes the schema apart.
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

/// Whether SQLite says that the file is not what it wrote.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

/// Notes that all of it was read and is whole. Where that cannot be written, the next start reads it again.
fn note_whole(path: &Path) {
    if path.metadata().is_ok_and(|metadata| metadata.len() > SMALL_FILE_BYTES) {
        let _ = fs::write(note_path(path), format!("{} {}", now_millis(), circumstances(path)));
    } else {
        let _ = fs::remove_file(note_path(path));
    }
}

/// Notes that SQLite met damage: the next start looks at everything.
pub fn note_damage(path: &Path) {
    let _ = fs::write(note_path(path), DAMAGE);
}

/// The file is another from now on.
pub(super) fn forget(path: &Path) {
    let _ = fs::remove_file(note_path(path));
}

/// Where the last check is noted.
pub fn note_path(path: &Path) -> PathBuf {
    path.with_extension("checked")
}

/// Which file it is, and since when the machine runs. A system that does not tell leaves it to the day.
fn circumstances(path: &Path) -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let file = path.metadata().map_or((0, 0), |metadata| (metadata.dev(), metadata.ino()));
    format!("{}:{} {}", file.0, file.1, boot.trim())
}
