//! Sessions as rows.

use copydesk_permission::PermissionPreset;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{Store, StoreError};
use crate::data::{Session, SessionReviewTiming};
use crate::id::{Id, now};

const COLUMNS: &str = "id, folder, title, agent, model, parent, created, updated, review, preset";

/// The sequence number of a session that changes now.
pub(super) const NEXT: &str = "(SELECT coalesce(max(sequence), 0) + 1 FROM session)";

impl Store {
    /// Adds or replaces a session.
    pub async fn put_session(&self, session: Session) -> Result<(), StoreError> {
        self.run_job(move |connection| put(connection, &session)).await
    }

    /// Those that changed last first, without subagent sessions.
    pub async fn sessions(&self, most: usize) -> Result<Vec<Session>, StoreError> {
        self.run_job(move |connection| {
            let query =
                format!("SELECT {COLUMNS} FROM session WHERE parent IS NULL ORDER BY sequence DESC LIMIT ?1");
            let mut statement = connection.prepare_cached(&query)?;
            let rows = statement.query_map([i64::try_from(most).unwrap_or(i64::MAX)], read)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The session of this id, or the only one whose id begins or ends with it.
    pub async fn session(&self, id: &str) -> Result<Session, StoreError> {
        let id = id.to_owned();
        self.run_job(move |connection| {
            let query = format!("SELECT {COLUMNS} FROM session WHERE id = ?1");
            if let Some(session) = connection.query_row(&query, [&id], read).optional()? {
                return Ok(session);
            }
            if id.len() < 4 {
                return Err(StoreError::NoSession(id));
            }
            let query = format!(
                "SELECT {COLUMNS} FROM session
                 WHERE substr(id, 1, length(?1)) = ?1 OR substr(id, -length(?1)) = ?1 LIMIT 2"
            );
            let mut statement = connection.prepare_cached(&query)?;
            let mut found = statement.query_map([&id], read)?.collect::<Result<Vec<_>, _>>()?;
            match (found.pop(), found.is_empty()) {
                (Some(session), true) => Ok(session),
                (Some(_), false) => Err(StoreError::Ambiguous(id)),
                (None, _) => Err(StoreError::NoSession(id)),
            }
        })
        .await
    }

    /// The session of this folder that changed last.
    pub async fn latest_session(&self, folder: &std::path::Path) -> Result<Option<Session>, StoreError> {
        let folder = folder.to_string_lossy().into_owned();
        self.run_job(move |connection| {
            let query = format!(
                "SELECT {COLUMNS} FROM session WHERE folder = ?1 AND parent IS NULL ORDER BY sequence DESC LIMIT 1"
            );
            Ok(connection.query_row(&query, [folder], read).optional()?)
        })
        .await
    }

    /// Removes a session, its parts, and its subagent sessions.
    pub async fn delete_session(&self, id: &Id) -> Result<(), StoreError> {
        let id = id.clone();
        self.run_job(move |connection| {
            match connection.execute("DELETE FROM session WHERE id = ?1", [id.as_str()])? {
                0 => Err(StoreError::NoSession(id.to_string())),
                _ => Ok(()),
            }
        })
        .await
    }

    /// Sets the agent and the model.
    pub async fn set_agent(&self, id: &Id, agent: &str, model: &str) -> Result<(), StoreError> {
        let (id, agent, model) = (id.clone(), agent.to_owned(), model.to_owned());
        self.run_job(move |connection| {
            let changed = connection.execute(
                &format!(
                    "UPDATE session SET agent = ?2, model = ?3, updated = ?4, sequence = {NEXT} WHERE id = ?1"
                ),
                params![id.as_str(), agent, model, now()],
            )?;
            if changed == 0 { Err(StoreError::NoSession(id.to_string())) } else { Ok(()) }
        })
        .await
    }

    pub async fn rename_session(&self, id: &Id, title: &str) -> Result<(), StoreError> {
        let (id, title) = (id.clone(), title.to_owned());
        self.run_job(move |connection| {
            let changed = connection.execute(
                &format!("UPDATE session SET title = ?2, updated = ?3, sequence = {NEXT} WHERE id = ?1"),
                params![id.as_str(), title, now()],
            )?;
            if changed == 0 { Err(StoreError::NoSession(id.to_string())) } else { Ok(()) }
        })
        .await
    }
}

pub(super) fn put(connection: &Connection, session: &Session) -> Result<(), StoreError> {
    connection.execute(
        &format!(
            "INSERT INTO session (id, folder, title, agent, model, parent, created, updated, review, preset, sequence)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, {NEXT})
             ON CONFLICT (id) DO UPDATE
             SET folder = ?2, title = ?3, agent = ?4, model = ?5, updated = ?8, review = ?9, preset = ?10,
                 sequence = {NEXT}"
        ),
        params![
            session.id.as_str(),
            session.folder.to_string_lossy(),
            session.title,
            session.agent,
            session.model,
            session.parent.as_ref().map(Id::as_str),
            session.created,
            session.updated,
            session.review.map(name),
            session.preset.map(PermissionPreset::name)
        ],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Session> {
    let text = |index: usize| row.get::<_, String>(index);
    Ok(Session {
        id: Id::from(text(0)?.as_str()),
        folder: text(1)?.into(),
        title: text(2)?,
        agent: text(3)?,
        model: row.get(4)?,
        parent: row.get::<_, Option<String>>(5)?.map(|id| Id::from(id.as_str())),
        created: row.get(6)?,
        updated: row.get(7)?,
        review: row.get::<_, Option<String>>(8)?.as_deref().and_then(named),
        preset: row.get::<_, Option<String>>(9)?.as_deref().and_then(PermissionPreset::from_name),
    })
}

fn name(review: SessionReviewTiming) -> &'static str {
    match review {
        SessionReviewTiming::Before => "before",
        SessionReviewTiming::After => "after",
    }
}

pub(super) fn named(review: &str) -> Option<SessionReviewTiming> {
    [SessionReviewTiming::Before, SessionReviewTiming::After].into_iter().find(|when| name(*when) == review)
}
