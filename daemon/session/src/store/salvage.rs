//! Brings what can be read of a damaged store into a new one.
//!
//! Contract: the damaged file and its log stay as they are; a copy is read and then removed. Every session whose row is
//! readable comes over, with the parts that are readable. A session that lost parts is named, and says so itself.
//! A session's row is stored twice, in its table and in the index `session_copy`, so that no single page holds the only
//! copy of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use copydesk_permission::PermissionPreset;
use rusqlite::{Connection, Transaction};

use super::{StoreError, parts, sessions};
use crate::data::{NotePart, Part, PartContent, PartState, Session};
use crate::id::{Id, now};

mod page_file;
#[cfg(test)]
mod tests;

use page_file::{CellValue, PageFile, PageRow};

/// What came over from a damaged store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SalvagedSessions {
    pub sessions: usize,
    /// The id and title of each session that lost something.
    pub incomplete: Vec<(Id, String)>,
}

/// Reads the damaged file into the new store.
pub(super) fn salvage(aside: &Path, connection: &mut Connection) -> Result<SalvagedSessions, StoreError> {
    let copy = SalvageCopy::new(aside, connection)?;
    let found = FoundRows::read(&copy)?;
    let transaction = connection.transaction()?;
    let salvaged = found.store(&transaction, aside)?;
    transaction.commit()?;
    Ok(salvaged)
}

/// A copy with its log folded in. Dropping it removes it.
struct SalvageCopy(PathBuf);

impl SalvageCopy {
    fn new(aside: &Path, new: &Connection) -> Result<Self, StoreError> {
        let with = |path: &Path, suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
        let copy = Self(with(aside, ".copy"));
        let unusable =
            |error: std::io::Error| StoreError::Unusable { path: aside.into(), what: error.to_string() };
        fs::copy(aside, &copy.0).map_err(unusable)?;
        let log = with(aside, "-wal");
        if log.metadata().is_ok_and(|meta| meta.len() > 0) {
            fs::copy(&log, with(&copy.0, "-wal")).map_err(unusable)?;
            // Without its log the file lacks only the last changes.
            if fold_in_log(&copy.0).is_err() && copy.replace_header(new).is_some() {
                let _ = fold_in_log(&copy.0);
            }
        }
        Ok(copy)
    }

    /// Takes the first page of the new store, whose tables are in the same places: SQLite folds in no log without one.
    fn replace_header(&self, new: &Connection) -> Option<()> {
        use std::os::unix::fs::FileExt as _;
        let mut page = vec![0; 4096];
        fs::File::open(new.path()?).ok()?.read_exact_at(&mut page, 0).ok()?;
        // Another number of changes than the one for which the number of pages holds: the file's size counts.
        page.get_mut(92..96)?.fill(0xff);
        fs::OpenOptions::new().write(true).open(&self.0).ok()?.write_all_at(&page, 0).ok()
    }
}

fn fold_in_log(path: &Path) -> rusqlite::Result<()> {
    Connection::open(path)?.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

impl Drop for SalvageCopy {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{suffix}", self.0.display()));
        }
    }
}

struct FoundRows {
    pages: PageFile,
    /// With their sequence numbers.
    sessions: BTreeMap<Id, (i64, Session)>,
    /// By number, which is their order: when the row was written, and its place. Contents are read when they are stored.
    parts: BTreeMap<i64, (u64, (u32, usize))>,
    /// The numbers of each session's parts, from the index of the parts.
    expected: BTreeMap<Id, BTreeSet<i64>>,
}

impl FoundRows {
    fn read(copy: &SalvageCopy) -> Result<Self, StoreError> {
        let pages = PageFile::open(&copy.0)
            .map_err(|error| StoreError::Unusable { path: copy.0.clone(), what: error.to_string() })?;
        let (mut sessions, mut parts, mut expected) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (place, row) in pages.rows() {
            if let Some((sequence, session)) = session_of(&row) {
                let known: &mut (i64, Session) =
                    sessions.entry(session.id.clone()).or_insert_with(|| (sequence, session.clone()));
                if known.0 < sequence {
                    *known = (sequence, session);
                }
            } else if let Some((number, part)) = part_of(&row) {
                let known = parts.entry(number).or_insert((part.updated, place));
                if known.0 < part.updated {
                    *known = (part.updated, place);
                }
            } else if let (
                None,
                [CellValue::Text(session), CellValue::Integer(number), CellValue::Integer(_)],
            ) = (row.number, &*row.values)
            {
                let numbers: &mut BTreeSet<i64> = expected.entry(Id::from(session.as_str())).or_default();
                numbers.insert(*number);
            }
        }
        Ok(Self { pages, sessions, parts, expected })
    }

    fn store(self, transaction: &Transaction<'_>, aside: &Path) -> Result<SalvagedSessions, StoreError> {
        let Self { pages, sessions, parts, mut expected } = self;
        let mut sessions: Vec<_> = sessions.into_values().collect();
        sessions.sort_by_key(|(sequence, session)| (*sequence, session.updated));
        let mut kept: BTreeMap<Id, (Session, u32)> = BTreeMap::new();
        // A subagent's session comes after its parent; without one, nothing leads to it.
        loop {
            let is_next =
                |session: &Session| session.parent.as_ref().is_none_or(|parent| kept.contains_key(parent));
            let next: Vec<_> = sessions.extract_if(.., |(_, session)| is_next(session)).collect();
            if next.is_empty() {
                break;
            }
            for (_, session) in next {
                sessions::put(transaction, &session)?;
                kept.insert(session.id.clone(), (session, 0));
            }
        }
        for (number, (_, place)) in parts {
            let Some((_, part)) = pages.row_at(place).as_ref().and_then(part_of) else { continue };
            let Some((_, turn)) = kept.get_mut(&part.session) else { continue };
            *turn = part.turn;
            parts::put(transaction, &part)?;
            if let Some(numbers) = expected.get_mut(&part.session) {
                numbers.remove(&number);
            }
        }
        let mut incomplete = Vec::new();
        for (id, (session, turn)) in &kept {
            if expected.get(id).is_some_and(|missing| !missing.is_empty()) {
                parts::put(transaction, &loss_note(id, *turn, aside))?;
                incomplete.push((id.clone(), session.title.clone()));
            }
        }
        incomplete.extend(sessions.into_iter().map(|(_, lost)| (lost.id, lost.title)));
        Ok(SalvagedSessions { sessions: kept.len(), incomplete })
    }
}

/// Tells the model and the user.
fn loss_note(session: &Id, turn: u32, aside: &Path) -> Part {
    let text = format!(
        "The session store was damaged, and parts of this session are lost. The damaged file is {}.",
        aside.display()
    );
    let (id, time) = (Id::new(), now());
    let (state, content) = (PartState::Completed, PartContent::Note(NotePart { text }));
    Part { id, session: session.clone(), turn, step: 0, created: time, updated: time, state, content }
}

fn text(value: &CellValue) -> Option<String> {
    if let CellValue::Text(text) = value { Some(text.clone()) } else { None }
}

fn optional(value: &CellValue) -> Option<Option<String>> {
    if *value == CellValue::Null { Some(None) } else { text(value).map(Some) }
}

fn integer<T: TryFrom<i64>>(value: &CellValue) -> Option<T> {
    if let CellValue::Integer(number) = value { T::try_from(*number).ok() } else { None }
}

/// A row of `session`, or an entry of its copy, which ends with the row's number; with its sequence number.
fn session_of(row: &PageRow) -> Option<(i64, Session)> {
    let values = match (row.number, &*row.values) {
        (None, [values @ .., CellValue::Integer(_)]) => values,
        (None, _) => return None,
        (Some(_), values) => values,
    };
    // Older versions had none of the last three.
    let (columns, later) = values.split_at_checked(8)?;
    let [id, folder, title, agent, model, parent, created, updated] = columns else { return None };
    let (review, sequence, preset) = match later {
        [] => (None, 0, None),
        [review] => (optional(review)?, 0, None),
        [review, sequence] => (optional(review)?, integer(sequence)?, None),
        [review, sequence, preset] => (optional(review)?, integer(sequence)?, optional(preset)?),
        _ => return None,
    };
    let session = Session {
        id: Id::from(text(id)?.as_str()),
        folder: text(folder)?.into(),
        title: text(title)?,
        agent: text(agent)?,
        model: optional(model)?,
        parent: optional(parent)?.map(|parent| Id::from(parent.as_str())),
        created: integer(created)?,
        updated: integer(updated)?,
        review: review.as_deref().and_then(sessions::named),
        preset: preset.as_deref().and_then(PermissionPreset::from_name),
    };
    Some((sequence, session))
}

/// A row of `part`, whose first column is its number.
fn part_of(row: &PageRow) -> Option<(i64, Part)> {
    let [CellValue::Null, id, session, turn, step, created, updated, state, content] = &*row.values else {
        return None;
    };
    let part = Part {
        id: Id::from(text(id)?.as_str()),
        session: Id::from(text(session)?.as_str()),
        turn: integer(turn)?,
        step: integer(step)?,
        created: integer(created)?,
        updated: integer(updated)?,
        state: serde_json::from_str(&text(state)?).ok()?,
        content: serde_json::from_str(&text(content)?).ok()?,
    };
    Some((row.number?, part))
}
