//! Texts as rows: whole, or a change against another row; compressed if that pays.

use std::io::{Read as _, Write as _};

use copydesk_text::{Change, Edit};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::JournalError;
use super::entry::{HashedText, TextHash};
use super::latest_texts::LatestText;

/// How many changes may build on a whole text. Then a text is stored whole again, so that reading stays fast
/// and eviction can free space.
pub(super) const MAX_DEPTH: i64 = 64;

const BLOCK: usize = 4096;

/// Smaller data is not compressed.
const PACK_FROM: usize = 512;

#[derive(Debug, Clone, Copy)]
pub(super) struct TextRow {
    pub(super) id: i64,
    pub(super) depth: i64,
}

/// The row of a text that a change can build on: an existing one or a new one. `latest` is the path's latest
/// text.
pub(super) fn store_text(
    connection: &Connection,
    text: &HashedText,
    latest: Option<&LatestText>,
) -> Result<TextRow, JournalError> {
    let latest = match latest {
        Some(latest) => still_there(connection, latest)?.map(|row| (latest, row)),
        None => None,
    };
    let found = match latest {
        Some((latest, row)) if text.is_same_text(&latest.text) => Some(row),
        _ => find(connection, text.hash())?,
    };
    if let Some(row) = found.filter(|row| row.depth < MAX_DEPTH) {
        return Ok(row);
    }
    if let Some((latest, row)) = latest.filter(|(_, row)| row.depth < MAX_DEPTH - 1)
        && let Some(change) = keystrokes(latest.text.as_str(), text.as_str())
    {
        return put_change(connection, row, &change, text.hash());
    }
    insert(connection, text.hash(), None, text.as_str().as_bytes())
}

/// Stores a text as a change of another.
pub(super) fn put_change(
    connection: &Connection,
    base: TextRow,
    change: &Change,
    hash: TextHash,
) -> Result<TextRow, JournalError> {
    let data = serde_json::to_vec(change).map_err(|error| JournalError::Unreadable(error.to_string()))?;
    insert(connection, hash, Some(base), &data)
}

fn still_there(connection: &Connection, latest: &LatestText) -> rusqlite::Result<Option<TextRow>> {
    let mut query = connection.prepare_cached("SELECT depth FROM text WHERE id = ?1 AND hash = ?2")?;
    let depth =
        query.query_row(params![latest.row, latest.text.hash().bytes()], |row| row.get(0)).optional()?;
    Ok(depth.map(|depth| TextRow { id: latest.row, depth }))
}

fn find(connection: &Connection, hash: TextHash) -> rusqlite::Result<Option<TextRow>> {
    let mut query =
        connection.prepare_cached("SELECT id, depth FROM text WHERE hash = ?1 ORDER BY depth LIMIT 1")?;
    let row = |row: &rusqlite::Row<'_>| Ok(TextRow { id: row.get(0)?, depth: row.get(1)? });
    query.query_row([hash.bytes()], row).optional()
}

fn insert(
    connection: &Connection,
    hash: TextHash,
    base: Option<TextRow>,
    data: &[u8],
) -> Result<TextRow, JournalError> {
    let packed = packed(data);
    let depth = base.map_or(0, |base| base.depth + 1);
    connection
        .prepare_cached(
            "INSERT INTO text (hash, base, depth, length, packed, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            hash.bytes(),
            base.map(|base| base.id),
            depth,
            data.len() as u64,
            packed.is_some(),
            packed.as_deref().unwrap_or(data)
        ])?;
    Ok(TextRow { id: connection.last_insert_rowid(), depth })
}

/// What the user typed since, as one edit of whole lines; `None` if it is hardly smaller than the whole text.
/// Compares only the ends, to be cheap.
fn keystrokes(old: &str, new: &str) -> Option<Change> {
    let is_break = |byte: &u8| *byte == b'\n';
    let head = old.as_bytes().get(..common_start(old.as_bytes(), new.as_bytes()))?;
    let start = head.iter().rposition(is_break).map_or(0, |at| at + 1);
    let (old_rest, new_rest) = (old.as_bytes().get(start..)?, new.as_bytes().get(start..)?);
    let tail = old_rest.get(old_rest.len() - common_end(old_rest, new_rest)..)?;
    let kept = tail.iter().position(is_break).map_or(0, |at| tail.len() - at - 1);
    let text = new.get(start..new.len() - kept)?;
    if text.len() > new.len() / 2 {
        return None;
    }
    Change::from_unchecked_edits(old, vec![Edit { range: start..old.len() - kept, text: text.to_owned() }])
        .ok()
}

/// Compares in blocks, which is many times faster than by bytes.
fn common_start(a: &[u8], b: &[u8]) -> usize {
    let mut common = 0;
    for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        if a != b {
            return common + a.iter().zip(b).take_while(|(a, b)| a == b).count();
        }
        common += a.len();
    }
    common
}

fn common_end(a: &[u8], b: &[u8]) -> usize {
    let mut common = 0;
    for (a, b) in a.rchunks(BLOCK).zip(b.rchunks(BLOCK)) {
        if a != b {
            return common + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        }
        common += a.len();
    }
    common
}

/// A text, rebuilt from the last whole one before it.
pub(super) fn read(connection: &Connection, row: i64, hash: TextHash) -> Result<String, JournalError> {
    let mut changes = Vec::new();
    let mut next = row;
    let mut text = loop {
        let (data, base) = data(connection, next)?;
        let Some(base) = base else { break String::from_utf8(data).map_err(unreadable)? };
        changes.push(serde_json::from_slice::<Change>(&data).map_err(unreadable)?);
        next = base;
        if changes.len() as i64 > MAX_DEPTH {
            return Err(unreadable("it builds on too many others"));
        }
    };
    for change in changes.iter().rev() {
        text = change.apply(&text).map_err(unreadable)?;
    }
    verify_hash(text, hash)
}

/// The change that turns the text of row `base` into that of `row`.
pub(super) fn read_change(connection: &Connection, row: i64, base: i64) -> Result<Change, JournalError> {
    match data(connection, row)? {
        (data, Some(on)) if on == base => serde_json::from_slice(&data).map_err(unreadable),
        _ => Err(unreadable("it does not build on the text before the edit")),
    }
}

pub(super) fn verify_hash(text: String, hash: TextHash) -> Result<String, JournalError> {
    if hash.is_of_text(&text) { Ok(text) } else { Err(unreadable("its hash differs")) }
}

pub(super) fn unreadable(what: impl ToString) -> JournalError {
    JournalError::Unreadable(what.to_string())
}

fn data(connection: &Connection, row: i64) -> Result<(Vec<u8>, Option<i64>), JournalError> {
    let mut query = connection.prepare_cached("SELECT data, base, packed, length FROM text WHERE id = ?1")?;
    let found = query
        .query_row([row], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?, row.get::<_, bool>(2)?, row.get::<_, u64>(3)?))
        })
        .optional()?;
    let (data, base, is_packed, length) =
        found.ok_or_else(|| unreadable("a text that it builds on is missing"))?;
    if !is_packed {
        return Ok((data, base));
    }
    let mut unpacked = Vec::new();
    // Never more than was stored, whatever the row contains.
    DeflateDecoder::new(data.as_slice()).take(length).read_to_end(&mut unpacked).map_err(unreadable)?;
    Ok((unpacked, base))
}

/// Deletes a row that nothing needs any more, and then the rows that only it needed.
pub(super) fn release(connection: &Connection, row: i64) -> rusqlite::Result<()> {
    let mut next = Some(row);
    while let Some(row) = next {
        let used = "SELECT EXISTS (SELECT 1 FROM entry WHERE before = ?1) OR EXISTS (SELECT 1 FROM entry WHERE after = ?1)
                    OR EXISTS (SELECT 1 FROM text WHERE base = ?1)";
        if connection.prepare_cached(used)?.query_row([row], |row| row.get(0))? {
            return Ok(());
        }
        let mut delete = connection.prepare_cached("DELETE FROM text WHERE id = ?1 RETURNING base")?;
        next = delete.query_row([row], |row| row.get(0)).optional()?.flatten();
    }
    Ok(())
}

fn packed(data: &[u8]) -> Option<Vec<u8>> {
    if data.len() < PACK_FROM {
        return None;
    }
    let mut packer = DeflateEncoder::new(Vec::with_capacity(data.len() / 3), Compression::fast());
    let packed = packer.write_all(data).and_then(|()| packer.finish()).ok()?;
    (packed.len() < data.len() / 8 * 7).then_some(packed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Also if the texts differ at the edge of a block, inside a character, or between `\r` and `\n`.
        #[test]
        fn keystrokes_lead_from_one_text_to_the_other(
            unit in "[ab\r\né\n]{1,9}",
            at in 0..9000usize,
            length in 0..40usize,
            typed in "[ab\r\nèé\n]{0,9}",
        ) {
            let old = unit.repeat(9000 / unit.len());
            let start = old.floor_char_boundary(at);
            let mut new = old.clone();
            new.replace_range(start..old.floor_char_boundary(start + length).max(start), &typed);
            match keystrokes(&old, &new) {
                Some(change) => prop_assert_eq!(change.apply(&old).unwrap(), new),
                None => prop_assert!(!unit.contains('\n'), "whole lines can be told"),
            }
        }
    }

    #[test]
    fn what_has_little_in_common_is_stored_whole() {
        assert_eq!(keystrokes("a\nb\nc\n", "x\ny\nc\n"), None);
        assert_eq!(keystrokes("", "a"), None);
        let change = keystrokes("a\nb\nc\nd\n", "a\nB\nc\nd\n").unwrap();
        assert_eq!(change.edits(), [Edit { range: 2..4, text: "B\n".into() }]);
    }
}
