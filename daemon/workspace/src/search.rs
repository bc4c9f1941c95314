//! Finding files by name and lines by content, in this process, as quickly as ripgrep does: with its own parts.
//!
//! What git ignores is passed over (`.gitignore` of the project and its folders, `.git/info/exclude`, `.ignore`), `.git`
//! always; links are not followed. Whole trees are walked by several threads, yet the result is always the same: the
//! first matches in the order of paths (see `first`), of which no more than the limit are held at any time.
//!
//! Invariant: nothing is read outside of the folder or file that was given.
//! Invariant: a search that is cancelled, whose future is dropped or whose time is over stops at its next file or block; in
//! the last case it gives what it has found.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub use self::{
    glob::{Globbed, glob},
    grep::{Case, Grep, Grepped, Match, grep},
    overlay::Overlay,
};

mod cut;
mod first;
mod glob;
mod grep;
mod overlay;
mod pattern;
#[cfg(test)]
mod tests;
mod walk;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SearchError {
    #[error("`{}` does not exist", .0.display())]
    NotFound(PathBuf),
    #[error("`{}` is not a folder; give the folder to look in, and the name as the pattern", .0.display())]
    NotAFolder(PathBuf),
    #[error("`{}` is a device, pipe or socket; only regular files can be searched", .0.display())]
    NotRegular(PathBuf),
    #[error("the pattern `{pattern}` is not a valid glob: {reason}")]
    Glob { pattern: String, reason: String },
    #[error("the pattern `{0}` leads out of the folder it is looked for in; give the other folder instead")]
    Escapes(String),
    #[error("the regular expression is not valid: {0}")]
    Regex(String),
    #[error("the pattern has {length} bytes; at most {longest} can be searched for")]
    Long { length: usize, longest: usize },
    #[error("the search was cancelled")]
    Cancelled,
    #[error("the search stopped: {0}")]
    Stopped(String),
}

/// Who searches a whole disk hears of what was found by then.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A disk that takes longer for one file is not waited for.
const GRACE: Duration = Duration::from_secs(5);

/// How long somebody waits for a search.
#[derive(Debug, Clone)]
pub struct Until {
    pub cancel: CancellationToken,
    pub patience: Duration,
}

impl From<CancellationToken> for Until {
    fn from(cancel: CancellationToken) -> Self {
        Self { cancel, patience: PATIENCE }
    }
}

/// Tells the searching threads that nobody waits any more; cheaper to ask for each file than a token.
#[derive(Debug, Clone)]
struct Stop {
    is_cancelled: Arc<AtomicBool>,
    end: Instant,
}

impl Stop {
    fn new(patience: Duration) -> Self {
        Self { is_cancelled: Arc::default(), end: Instant::now() + patience }
    }

    fn is_set(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.is_late()
    }

    fn is_late(&self) -> bool {
        Instant::now() >= self.end
    }
}

/// Sets it when the one who waits goes away.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` on a thread that may block. When cancelled it is told to stop and not waited for.
async fn aside<T: Send + 'static>(
    until: Until,
    work: impl FnOnce(&Stop) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, SearchError> {
    let stop = Stop::new(until.patience);
    let _guard = StopOnDrop(stop.clone());
    let working = tokio::task::spawn_blocking(move || work(&stop));
    let working = timeout(until.patience + GRACE, working);
    match until.cancel.run_until_cancelled(working).await {
        None => Err(SearchError::Cancelled),
        Some(Ok(Ok(result))) => result,
        Some(Ok(Err(error))) => Err(SearchError::Stopped(error.to_string())),
        Some(Err(_)) => Err(SearchError::Stopped("a disk does not answer".to_owned())),
    }
}
