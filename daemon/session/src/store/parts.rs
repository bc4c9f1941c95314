//! Parts as rows, and the search over them.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use copydesk_model::MediaPart;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};
use serde::Serialize;

use super::sessions::NEXT;
use super::{Store, StoreError, recover};
use crate::data::{NotePart, Part, PartContent, PartState};
use crate::id::{Id, now};

/// A part that a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionSearchHit {
    pub session: Id,
    pub title: String,
    pub part: Id,
    /// A snippet with the match in brackets.
    pub excerpt: String,
}

impl Store {
    /// Adds or replaces parts, all or none.
    pub async fn put_parts<P>(&self, parts: Vec<P>) -> Result<(), StoreError>
    where
        P: Borrow<Part> + Send + 'static,
    {
        self.run_job(move |connection| {
            let transaction = connection.transaction()?;
            let mut sessions: BTreeMap<&Id, u64> = BTreeMap::new();
            for part in parts.iter().map(Borrow::borrow) {
                put(&transaction, part)?;
                let updated = sessions.entry(&part.session).or_default();
                *updated = part.updated.max(*updated);
            }
            // The number of the last one grows no further: a turn of a thousand parts is one session's.
            let touch = format!(
                "UPDATE session SET updated = max(updated, ?2), sequence = iif(
                     sequence = (SELECT max(sequence) FROM session), sequence, {NEXT}
                 ) WHERE id = ?1"
            );
            for (session, updated) in sessions {
                transaction.prepare_cached(&touch)?.execute(params![session.as_str(), updated])?;
            }
            transaction.commit()?;
            Ok(())
        })
        .await
    }

    /// All parts of a session, in the order in which they were added.
    pub async fn parts(&self, session: &Id) -> Result<Vec<Part>, StoreError> {
        let session = session.clone();
        self.run_job(move |connection| read_all(connection, &session)).await
    }

    /// The part of this id, of any session.
    pub async fn part(&self, id: &str) -> Result<Option<Part>, StoreError> {
        let id = id.to_owned();
        self.run_job(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, session, turn, step, created, updated, state, content FROM part WHERE id = ?1",
            )?;
            statement.query_row([id], |row| Ok(read(row))).optional()?.transpose()
        })
        .await
    }

    /// The images and PDFs of a prompt: the parts that follow it directly.
    pub async fn files_of_prompt(&self, prompt: &Part) -> Result<Vec<MediaPart>, StoreError> {
        let (session, prompt) = (prompt.session.clone(), prompt.id.clone());
        self.run_job(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, session, turn, step, created, updated, state, content FROM part
                 WHERE session = ?1 AND number > (SELECT number FROM part WHERE id = ?2) ORDER BY number",
            )?;
            let mut rows = statement.query(params![session.as_str(), prompt.as_str()])?;
            let mut files = Vec::new();
            while let Some(row) = rows.next()? {
                let PartContent::File(file) = read(row)?.content else { break };
                files.push(file);
            }
            Ok(files)
        })
        .await
    }

    /// Removes discarded parts.
    pub async fn remove_parts(&self, parts: Vec<Id>) -> Result<(), StoreError> {
        self.run_job(move |connection| {
            let transaction = connection.transaction()?;
            for part in &parts {
                transaction.execute("DELETE FROM part WHERE id = ?1", [part.as_str()])?;
            }
            transaction.commit()?;
            Ok(())
        })
        .await
    }

    /// Marks the unfinished parts of a session that no process runs, and of its subagent sessions, as interrupted. Returns
    /// how many there were.
    pub async fn mark_interrupted(&self, session: &Id) -> Result<usize, StoreError> {
        let session = session.clone();
        self.run_job(move |connection| {
            let state = serde_json::to_string(&PartState::Interrupted)?;
            let transaction = connection.transaction()?;
            let update = "WITH RECURSIVE below (id) AS (
                     VALUES (?1) UNION SELECT session.id FROM session JOIN below ON session.parent = below.id
                 )
                 UPDATE part SET state = ?2, updated = ?3
                 WHERE session IN below AND json_extract(state, '$.state') IN ('pending', 'running')
                 RETURNING id, session, turn, step, created, updated, state, content";
            let mut statement = transaction.prepare_cached(update)?;
            let rows = statement.query_map(params![session.as_str(), state, now()], |row| Ok(read(row)))?;
            let changed: Vec<Part> = rows.map(|part| part?).collect::<Result<_, StoreError>>()?;
            drop(statement);
            // What had arrived before the interruption can be found from now on.
            changed.iter().try_for_each(|part| index_words(&transaction, part))?;
            recover::end_last_turn(&transaction, &session)?;
            transaction.commit()?;
            Ok(changed.len())
        })
        .await
    }

    /// Parts that hold all of these words, the best matches first.
    pub async fn search(&self, words: &str, most: usize) -> Result<Vec<SessionSearchHit>, StoreError> {
        // Quotes each word: user input is never query syntax.
        let quoted: Vec<_> =
            words.split_whitespace().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
        if quoted.is_empty() {
            return Ok(Vec::new());
        }
        let query = quoted.join(" ");
        self.run_job(move |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT part.session, session.title, part.id, snippet(words, 0, '[', ']', '…', 16)
                 FROM words JOIN part ON part.number = words.rowid JOIN session ON session.id = part.session
                 WHERE words MATCH ?1 ORDER BY rank LIMIT ?2",
            )?;
            let rows =
                statement.query_map(params![query, i64::try_from(most).unwrap_or(i64::MAX)], |row| {
                    let id = |index: usize| row.get::<_, String>(index).map(|id| Id::from(id.as_str()));
                    Ok(SessionSearchHit {
                        session: id(0)?,
                        title: row.get(1)?,
                        part: id(2)?,
                        excerpt: row.get(3)?,
                    })
                })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

pub(super) fn put(transaction: &Transaction<'_>, part: &Part) -> Result<(), StoreError> {
    transaction
        .prepare_cached(
            "INSERT INTO part (id, session, turn, step, created, updated, state, content)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (id) DO UPDATE SET turn = ?3, step = ?4, updated = ?6, state = ?7, content = ?8",
        )?
        .execute(params![
            part.id.as_str(),
            part.session.as_str(),
            part.turn,
            part.step,
            part.created,
            part.updated,
            serde_json::to_string(&part.state)?,
            serde_json::to_string(&part.content)?
        ])?;
    index_words(transaction, part)
}

/// Makes a settled part's text known to the search.
fn index_words(transaction: &Transaction<'_>, part: &Part) -> Result<(), StoreError> {
    if part.state.is_settled() && !part.searchable_text().is_empty() {
        let replace = "INSERT OR REPLACE INTO words (rowid, text) SELECT number, ?2 FROM part WHERE id = ?1";
        transaction.prepare_cached(replace)?.execute(params![part.id.as_str(), part.searchable_text()])?;
    }
    Ok(())
}

fn read_all(connection: &Connection, session: &Id) -> Result<Vec<Part>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, session, turn, step, created, updated, state, content FROM part WHERE session = ?1 ORDER BY number",
    )?;
    let rows = statement.query_map([session.as_str()], |row| Ok(read(row)))?;
    rows.map(|part| part?).collect()
}

/// A damaged page may hold a text that SQLite cannot know to be wrong. Such a part says so; the others are not hidden.
pub(super) fn read(row: &Row<'_>) -> Result<Part, StoreError> {
    let text = |index: usize| row.get::<_, String>(index);
    let state = text(6).ok().and_then(|state| serde_json::from_str(&state).ok());
    let content = text(7).ok().and_then(|content| serde_json::from_str(&content).ok());
    let (state, content) = state.zip(content).unwrap_or_else(|| {
        let text = "A part of this session cannot be read: the session store is damaged.".to_owned();
        (PartState::Completed, PartContent::Note(NotePart { text }))
    });
    Ok(Part {
        id: Id::from(text(0)?.as_str()),
        session: Id::from(text(1)?.as_str()),
        turn: row.get(2)?,
        step: row.get(3)?,
        created: row.get(4)?,
        updated: row.get(5)?,
        state,
        content,
    })
}
