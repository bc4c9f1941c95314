//! The session store: one SQLite file, and one thread that owns it.
//!
//! Contract:
//! - a call that returned `Ok` is on the disk: `kill -9` after it loses nothing;
//! - several processes may have the file open: writes wait for one another, and none is lost;
//! - a file that is found damaged at the start is moved aside, never deleted or written into; what can be read of it
//!   comes into a new one, and the user is told what does not; damage that is met later is an error that says so, and
//!   the next start looks at everything;
//! - a file that a newer version wrote is refused, not misread.
//!
//! The handle is a cheap clone that only sends. The queue is bounded: a caller that writes faster than the disk waits.

mod claim;
mod fork;
mod open;
mod part_page;
mod parts;
mod read_only_store;
mod recover;
mod salvage;
mod schema;
mod sessions;
mod usage;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_workspace::database::{self, DatabaseError, DatabaseSummary};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

pub use claim::SessionClaim;
pub use open::StoreRecovery;
pub use part_page::PartPage;
pub use parts::SessionSearchHit;
pub use read_only_store::ReadOnlyStore;
pub use salvage::SalvagedSessions;
pub(crate) use usage::CostTotals;
pub use usage::UsageRecord;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{}: {what}", .path.display())]
    Unusable { path: PathBuf, what: String },
    #[error("there is no session `{0}`; `copydesk sessions list` shows those there are")]
    NoSession(String),
    #[error("`{0}` is the beginning of several sessions; write more of it")]
    Ambiguous(String),
    #[error(
        "session {session} is being worked on by {}: wait until that is done, or go on with the session there; through the \
         daemon several can",
        .by.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    )]
    SessionInUse { session: String, by: Option<u32> },
    #[error(
        "{}: the session store is damaged ({what}). Start copydesk again: it will check the whole store, move it aside \
         if it is damaged, and bring what can be read into a new one. Nothing is deleted",
        .path.display()
    )]
    Damaged { path: PathBuf, what: rusqlite::Error },
    #[error("{}: the session store failed: {what}", .path.display())]
    Failed { path: PathBuf, what: String },
    /// Inside a job, which does not know the file; the caller gets [`StoreError::Failed`].
    #[error("the session store failed: {0}")]
    Sqlite(rusqlite::Error),
    #[error("a part cannot be read: {0}")]
    Unreadable(serde_json::Error),
    #[error("the session store has been closed")]
    Closed,
}

impl From<DatabaseError> for StoreError {
    fn from(DatabaseError { path, what }: DatabaseError) -> Self {
        Self::Unusable { path, what }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable(error)
    }
}

type StoreJob = Box<dyn FnOnce(&mut Connection) + Send>;

#[derive(Debug, Clone)]
pub struct Store {
    jobs: mpsc::Sender<StoreJob>,
    path: Arc<Path>,
}

impl Store {
    /// Opens or creates the store of this folder. Blocks briefly.
    pub fn open(data_dir: &Path) -> Result<(Self, StoreRecovery), StoreError> {
        let (connection, opened) = open::open(data_dir)?;
        Ok((Self::start(data_dir, connection)?, opened))
    }

    fn start(data_dir: &Path, mut connection: Connection) -> Result<Self, StoreError> {
        let (jobs, mut queue) = mpsc::channel::<StoreJob>(256);
        let thread = std::thread::Builder::new().name("store".to_owned()).spawn(move || {
            while let Some(job) = queue.blocking_recv() {
                job(&mut connection);
            }
        });
        thread.map_err(|error| StoreError::Unusable { path: data_dir.into(), what: error.to_string() })?;
        Ok(Self { jobs, path: open::FILE.path(data_dir).into() })
    }

    /// Reads the whole store without changing it; `None` if there is none. Slow.
    pub fn inspect(data_dir: &Path) -> Option<DatabaseSummary> {
        open::FILE.inspect(data_dir, "session")
    }

    /// Runs a job on the owner thread and waits for its result.
    async fn run_job<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let path = Arc::clone(&self.path);
        let job: StoreJob = Box::new(move |connection| {
            let done = work(connection).map_err(|error| match error {
                StoreError::Sqlite(what) if database::is_damage(&what) => {
                    database::note_damage(&path);
                    StoreError::Damaged { path: path.to_path_buf(), what }
                }
                StoreError::Sqlite(what) => {
                    StoreError::Failed { path: path.to_path_buf(), what: database::describe_error(&what) }
                }
                error @ StoreError::Unreadable(_) => {
                    StoreError::Failed { path: path.to_path_buf(), what: error.to_string() }
                }
                error => error,
            });
            // The caller may be gone; the job is done anyway.
            let _ = answer.send(done);
        });
        self.jobs.send(job).await.map_err(|_| StoreError::Closed)?;
        let done = answered.await.map_err(|_| StoreError::Closed)?;
        if let Err(error @ (StoreError::Damaged { .. } | StoreError::Failed { .. })) = &done {
            // Without its words: what cannot be read is quoted there.
            let is_damaged = matches!(error, StoreError::Damaged { .. });
            tracing::error!(is_damaged, "the session store failed");
        }
        done
    }
}

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod tests;
