//! Whether a file is whole, without reading all of it at every start.
//!
//! SQLite keeps the file whole through crashes of ours, whoever is killed when: what damages it comes from outside (a
//! disk, a power cut that the disk lied about, another program, a copy that went wrong). So all of a small store is
//! read at every start, and all of a large one when the last such check is a day old, was made before the machine was
//! started or of another file, or when SQLite has met damage since. Otherwise only what costs the same for any size:
//! header, length, schema, free pages. The last check is noted beside the store, not in it: the note is about this
//! file on this disk, and must not travel with a copy.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::ffi::{self, SQLITE_CORRUPT};

use crate::id::now;

/// Bytes that are read within a few milliseconds.
pub(super) const SMALL: u64 = 4 * 1024 * 1024;

const DAY: u64 = 24 * 60 * 60 * 1000;

/// What the note says when SQLite has met damage.
const DAMAGE: &str = "damage";

/// How much of the file has to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Nothing that grows with it.
    Cheap,
    /// Every page.
    Whole,
    /// Also whether indexes and tables agree: something was wrong before.
    Thorough,
}

/// What this start has to do, by the note of the last check.
pub(super) fn depth(path: &Path) -> Depth {
    let text = fs::read_to_string(note(path)).unwrap_or_default();
    if text == DAMAGE {
        return Depth::Thorough;
    }
    let (Ok(metadata), Some((time, circumstances))) = (path.metadata(), text.split_once(' ')) else {
        return Depth::Whole;
    };
    let age = time.parse().ok().and_then(|time: u64| now().checked_sub(time));
    let is_recent = age.is_some_and(|age| age < DAY) && circumstances == self::circumstances(path);
    if metadata.len() > SMALL && is_recent { Depth::Cheap } else { Depth::Whole }
}

/// An error of SQLite's own kind for damage, if there is any.
pub(super) fn check(connection: &Connection, depth: Depth) -> rusqlite::Result<()> {
    let verdict: String = match depth {
        Depth::Cheap => return cheap(connection),
        Depth::Whole => connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?,
        Depth::Thorough => connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?,
    };
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

pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

/// Notes that all of it was read and is whole. Where that cannot be written, the next start reads it again.
pub(super) fn note_whole(path: &Path) {
    if path.metadata().is_ok_and(|metadata| metadata.len() > SMALL) {
        let _ = fs::write(note(path), format!("{} {}", now(), circumstances(path)));
    } else {
        let _ = fs::remove_file(note(path));
    }
}

/// Notes that SQLite met damage: the next start looks at everything.
pub(super) fn note_damage(path: &Path) {
    let _ = fs::write(note(path), DAMAGE);
}

pub(super) fn note(path: &Path) -> PathBuf {
    path.with_extension("checked")
}

/// Which file it is, and since when the machine runs. A system that does not tell leaves it to the day.
fn circumstances(path: &Path) -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let file = path.metadata().map_or((0, 0), |metadata| (metadata.dev(), metadata.ino()));
    format!("{}:{} {}", file.0, file.1, boot.trim())
}
