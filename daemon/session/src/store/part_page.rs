//! The parts of a session page by page, from its end: a view shows the last ones first.

use rusqlite::{OptionalExtension as _, params};

use super::parts::read;
use super::{Store, StoreError};
use crate::data::Part;
use crate::id::Id;

/// Consecutive parts of a session, in their order.
#[derive(Debug, Clone)]
pub struct PartPage {
    pub parts: Vec<Part>,
    /// Whether the session has parts before these.
    pub has_earlier: bool,
}

impl Store {
    /// The last parts before one of them, or before the end. `None` where the session has no such part.
    pub async fn part_page(
        &self,
        session: &Id,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Option<PartPage>, StoreError> {
        let (session, before) = (session.clone(), before.map(str::to_owned));
        self.run_job(move |connection| {
            let number = match before {
                None => i64::MAX,
                Some(before) => {
                    let find = "SELECT number FROM part WHERE session = ?1 AND id = ?2";
                    let mut find = connection.prepare_cached(find)?;
                    let number = find.query_row(params![session.as_str(), before], |row| row.get(0));
                    match number.optional()? {
                        Some(number) => number,
                        None => return Ok(None),
                    }
                }
            };
            // One more than asked for tells whether there are earlier ones.
            let rows = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
            let mut statement = connection.prepare_cached(
                "SELECT id, session, turn, step, created, updated, state, content FROM part
                 WHERE session = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3",
            )?;
            let found = statement.query_map(params![session.as_str(), number, rows], |row| Ok(read(row)))?;
            let mut parts: Vec<Part> = found.map(|part| part?).collect::<Result<_, StoreError>>()?;
            let has_earlier = parts.len() > limit;
            parts.truncate(limit);
            parts.reverse();
            Ok(Some(PartPage { parts, has_earlier }))
        })
        .await
    }
}
