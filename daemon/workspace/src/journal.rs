//! The journal of the agents' edits, with the texts before and after, so that they can be undone: one SQLite
//! file, owned by one thread.
//!
//! Contract:
//! - [`Journal::begin`] comes before an edit is applied. Once it returns `Ok`, its entries are on disk and
//!   survive `kill -9` and a power cut. Several entries are recorded together or not at all;
//! - an entry that was begun but never settled (after a crash) stays readable, and its hashes show whether
//!   its file is as before or as after;
//! - a text that is read back is, to the byte, the recorded one; else there is an error;
//! - the file is bounded ([`JournalLimits`]): the texts of the session that has been idle longest go first.
//!   Their entries stay, to say that they can no longer be undone. A text that a newer entry needs never
//!   goes;
//! - several processes may have the file open; a damaged file is moved aside and reported, never deleted; one
//!   written by a newer version is rejected.
//!
//! The journal keeps [`FileAttributes`] only of deleted files. It touches no file but its own:
//! [`inverse_step`] says how to undo an edit, and callers do it. The handle is a cheap clone that only sends;
//! its queue is bounded.

mod entry;
mod latest_texts;
mod limits;
mod open;
mod read_entries;
mod record;
mod renamed_paths;
mod schema;
mod stored_reviews;
mod text_rows;
mod undo;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::database::{self, DatabaseError, DatabaseSummary};
pub use entry::{
    EntryId, EntryKind, EntryOutcome, FileAttributes, HashedText, JournalEntry, NewEntry, NewEntryKind,
    TextHash,
};
use latest_texts::LatestTexts;
pub use limits::{JournalLimits, JournalUsage};
pub use open::JournalOpenReport;
pub use read_entries::EntryTexts;
pub use stored_reviews::StoredReview;
pub use undo::{UndoError, UndoStep, entries_to_redo, entries_to_undo, inverse_step};

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{}: {what}", .path.display())]
    Unusable { path: PathBuf, what: String },
    #[error(
        "{}: the journal of edits is damaged ({what}). Start copydesk again: it checks the whole journal and, if it \
         finds damage, moves it aside and starts a new one. It deletes nothing",
        .path.display()
    )]
    Damaged { path: PathBuf, what: rusqlite::Error },
    #[error("{}: the journal of edits failed: {what}", .path.display())]
    Failed { path: PathBuf, what: String },
    /// Inside a job, which does not know the file. The caller gets [`JournalError::Failed`].
    #[error("the journal of edits failed: {0}")]
    Sqlite(rusqlite::Error),
    #[error(
        "the journal cannot record a change of `{0}`: applied to the text before, it does not give the text after"
    )]
    Mismatch(String),
    #[error("the journal has no entry {0}")]
    NoEntry(EntryId),
    #[error(
        "the edit of `{place}` can no longer be undone: the journal keeps {limits}, and has dropped its text"
    )]
    Evicted { place: String, limits: JournalLimits },
    #[error("a text in the journal is not what was recorded: {0}")]
    Unreadable(String),
    #[error("the journal has been closed")]
    Closed,
}

impl From<DatabaseError> for JournalError {
    fn from(DatabaseError { path, what }: DatabaseError) -> Self {
        Self::Unusable { path, what }
    }
}

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// The state that the thread owns.
struct JournalThread {
    connection: Connection,
    known: LatestTexts,
    limits: JournalLimits,
    /// The first entry of the last `begin`. The limits never evict it or later ones.
    newest: i64,
    has_grown: bool,
}

type JournalJob = Box<dyn FnOnce(&mut JournalThread) + Send>;

#[derive(Debug, Clone)]
pub struct Journal {
    jobs: mpsc::Sender<JournalJob>,
    path: Arc<Path>,
}

impl Journal {
    /// Opens or creates the journal in this folder. Blocks, but only briefly.
    pub fn open(data_dir: &Path, limits: JournalLimits) -> Result<(Self, JournalOpenReport), JournalError> {
        let (connection, opened) = open::open(data_dir)?;
        let path: Arc<Path> = open::FILE.path(data_dir).into();
        let (jobs, mut queue) = mpsc::channel::<JournalJob>(256);
        let mut owner = JournalThread {
            connection,
            known: LatestTexts::default(),
            limits,
            newest: i64::MAX,
            has_grown: true,
        };
        let at = Arc::clone(&path);
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(move || {
            owner.enforce_limits(&at);
            while let Some(job) = queue.blocking_recv() {
                job(&mut owner);
                owner.enforce_limits(&at);
            }
        });
        thread.map_err(|error| JournalError::Unusable { path: data_dir.into(), what: error.to_string() })?;
        Ok((Self { jobs, path }, opened))
    }

    /// Inspects the journal without changing it; `None` if there is none yet.
    pub fn inspect(data_dir: &Path) -> Option<DatabaseSummary> {
        open::FILE.inspect(data_dir, "entry")
    }

    /// Records what is about to be applied, all or none, in the order of applying. Durable on return.
    pub async fn begin(&self, entries: Vec<NewEntry>) -> Result<Vec<EntryId>, JournalError> {
        self.run_job(move |owner| owner.begin(&entries)).await
    }

    /// Records the outcome; the last call counts. Survives `kill -9` at once; a power cut may leave the
    /// entries unsettled.
    pub async fn settle(&self, ids: Vec<EntryId>, outcome: EntryOutcome) -> Result<(), JournalError> {
        self.run_job(move |owner| owner.settle(&ids, outcome)).await
    }

    /// A session's entries, oldest first.
    pub async fn entries(&self, session: &str) -> Result<Vec<JournalEntry>, JournalError> {
        let session = session.to_owned();
        self.run_job(move |owner| read_entries::entries(&owner.connection, &session)).await
    }

    /// The entries of all sessions that were begun and not settled: in progress now, or interrupted by a
    /// crash.
    pub async fn unsettled_entries(&self) -> Result<Vec<JournalEntry>, JournalError> {
        self.run_job(|owner| read_entries::unsettled(&owner.connection)).await
    }

    /// The texts of an entry, rebuilt and verified.
    pub async fn entry_texts(&self, id: EntryId) -> Result<EntryTexts, JournalError> {
        self.run_job(move |owner| read_entries::texts(&owner.connection, id, owner.limits)).await
    }

    /// How much of the limits is used.
    pub async fn usage(&self) -> Result<JournalUsage, JournalError> {
        self.run_job(|owner| owner.usage()).await
    }

    /// Waits until all earlier jobs are done.
    pub async fn flush(&self) {
        let _ = self.run_job(|_| Ok(())).await;
    }

    /// Deletes everything about a session, except texts that others need.
    pub async fn forget_session(&self, session: &str) -> Result<(), JournalError> {
        let session = session.to_owned();
        self.run_job(move |owner| owner.forget_reviews(&session).and_then(|()| owner.forget(&session))).await
    }

    /// Runs a job on the thread and waits for its result.
    async fn run_job<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut JournalThread) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let (answer, answered) = oneshot::channel();
        let path = Arc::clone(&self.path);
        let job: JournalJob = Box::new(move |owner| {
            let done = work(owner).map_err(|error| match error {
                JournalError::Sqlite(what) if database::is_damage(&what) => {
                    database::note_damage(&path);
                    JournalError::Damaged { path: path.to_path_buf(), what }
                }
                JournalError::Sqlite(what) => {
                    JournalError::Failed { path: path.to_path_buf(), what: database::describe_error(&what) }
                }
                error => error,
            });
            // The caller may be gone; the job is done all the same.
            let _ = answer.send(done);
        });
        self.jobs.send(job).await.map_err(|_| JournalError::Closed)?;
        answered.await.map_err(|_| JournalError::Closed)?
    }
}
