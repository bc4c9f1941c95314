//! Stores undecided reviews across restarts: one row for each review, rewritten when it changes. Row number
//! 0, which no review has, contains the feedback that the model has not received yet.
//!
//! A review is deleted when every hunk in it is decided or its session goes. Undecided reviews take at most
//! [`MAX_REVIEW_BYTES`]; beyond that the oldest go, and count as kept.

use copydesk_text::review::{Review, SavedReview};
use rusqlite::{OptionalExtension as _, params};
use serde::Serialize;

use super::{FileAttributes, Journal, JournalError, JournalJob, JournalThread};
use crate::review_feedback::ReviewFeedback;

/// The cap on all reviews together.
const MAX_REVIEW_BYTES: i64 = 128 * 1024 * 1024;

/// The number of the row with the feedback.
const FEEDBACK_NUMBER: u64 = 0;

/// A review as stored.
#[derive(Debug)]
pub struct StoredReview {
    pub number: u64,
    /// The real path of its document.
    pub path: String,
    /// Of its document, if that was deleted.
    pub attributes: FileAttributes,
    pub saved: SavedReview,
}

impl Journal {
    /// Stores a review, or deletes one that is over. Does not wait: returns false if the queue is full.
    pub fn store_review(
        &self,
        session: &str,
        number: u64,
        review: Option<(String, FileAttributes, Review)>,
    ) -> bool {
        let session = session.to_owned();
        let job: JournalJob = Box::new(move |owner| {
            // If this fails, the user decides again: only decisions made since are lost.
            let _ = owner.store_review(&session, number, review);
        });
        self.jobs.try_send(job).is_ok()
    }

    /// Stores the feedback that a session's model has not received yet, or deletes it. Does not wait.
    pub fn store_feedback(&self, session: &str, feedback: Option<ReviewFeedback>) {
        let session = session.to_owned();
        let job: JournalJob = Box::new(move |owner| {
            // A model that misses a decision still reads the file as it is.
            let _ = owner.store_feedback(&session, feedback.as_ref());
        });
        let _ = self.jobs.try_send(job);
    }

    pub async fn load_reviews(
        &self,
        session: &str,
    ) -> Result<(Vec<StoredReview>, ReviewFeedback), JournalError> {
        let session = session.to_owned();
        self.run_job(move |owner| Ok((owner.load_reviews(&session)?, owner.load_feedback(&session)?))).await
    }
}

impl Journal {
    /// The sessions that have undecided reviews.
    pub async fn reviewed_sessions(&self) -> Result<Vec<String>, JournalError> {
        self.run_job(|owner| {
            let sql = "SELECT DISTINCT session FROM review WHERE number > 0";
            let mut statement = owner.connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }
}

impl JournalThread {
    fn store_review(
        &mut self,
        session: &str,
        number: u64,
        review: Option<(String, FileAttributes, Review)>,
    ) -> Result<(), JournalError> {
        let Some((place, attributes, review)) = review else {
            let sql = "DELETE FROM review WHERE session = ?1 AND number = ?2";
            self.connection.prepare_cached(sql)?.execute(params![session, number])?;
            return Ok(());
        };
        self.write_review(session, number, (&place, attributes), &review.to_saved())
    }

    fn store_feedback(
        &mut self,
        session: &str,
        feedback: Option<&ReviewFeedback>,
    ) -> Result<(), JournalError> {
        match feedback {
            Some(feedback) => {
                self.write_review(session, FEEDBACK_NUMBER, ("", FileAttributes::default()), feedback)
            }
            None => self.store_review(session, FEEDBACK_NUMBER, None),
        }
    }

    fn write_review(
        &mut self,
        session: &str,
        number: u64,
        (place, attributes): (&str, FileAttributes),
        saved: &impl Serialize,
    ) -> Result<(), JournalError> {
        let saved =
            serde_json::to_string(saved).map_err(|error| JournalError::Unreadable(error.to_string()))?;
        let sql =
            "INSERT INTO review (session, number, place, saved, mode, bom) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                   ON CONFLICT (session, number) DO UPDATE SET place = ?3, saved = ?4, mode = ?5, bom = ?6";
        let row = params![session, number, place, saved, attributes.mode, attributes.bom];
        self.connection.prepare_cached(sql)?.execute(row)?;
        self.evict_old_reviews(MAX_REVIEW_BYTES)
    }

    /// The newest stays, whatever its size.
    pub(super) fn evict_old_reviews(&mut self, most: i64) -> Result<(), JournalError> {
        let sql = "DELETE FROM review WHERE rowid IN (
                       SELECT rowid FROM (
                           SELECT rowid, SUM(octet_length(saved)) OVER (ORDER BY rowid DESC) AS total,
                                  ROW_NUMBER() OVER (ORDER BY rowid DESC) AS place
                           FROM review
                       ) WHERE total > ?1 AND place > 1
                   )";
        self.connection.prepare_cached(sql)?.execute([most])?;
        Ok(())
    }

    fn load_feedback(&mut self, session: &str) -> Result<ReviewFeedback, JournalError> {
        let sql = "SELECT saved FROM review WHERE session = ?1 AND number = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let saved = statement
            .query_row(params![session, FEEDBACK_NUMBER], |row| row.get::<_, String>(0))
            .optional()?;
        Ok(saved.and_then(|saved| serde_json::from_str(&saved).ok()).unwrap_or_default())
    }

    /// Skips a review that cannot be read, so that the others are not lost.
    fn load_reviews(&mut self, session: &str) -> Result<Vec<StoredReview>, JournalError> {
        let sql = "SELECT number, place, saved, mode, bom FROM review WHERE session = ?1 AND number > 0
                   ORDER BY number";
        let mut statement = self.connection.prepare_cached(sql)?;
        let row = |row: &rusqlite::Row<'_>| {
            let (number, place, saved): (u64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let attributes = FileAttributes { mode: row.get(3)?, bom: row.get(4)? };
            let saved = serde_json::from_str(&saved).ok();
            Ok(saved.map(|saved| StoredReview { number, path: place, attributes, saved }))
        };
        let rows = statement.query_map([session], row)?;
        Ok(rows.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    pub(super) fn forget_reviews(&self, session: &str) -> Result<(), JournalError> {
        let sql = "DELETE FROM review WHERE session = ?1";
        self.connection.prepare_cached(sql)?.execute([session])?;
        Ok(())
    }
}
