//! Finding files by name and lines by content, in this process, as quickly as ripgrep does: with its own parts.
//!
//! What git ignores is passed over (`.gitignore` of the project and its folders, `.git/info/exclude`, `.ignore`), `.git`
//! always; links are not followed. Whole trees are walked by several threads, yet the result is always the same: the
//! first matches in the order of paths (see `first_matches`), of which no more than the limit are held at any time.
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
    glob::{GlobMatches, glob},
    grep::{CaseSensitivity, GrepMatch, GrepMatches, GrepRequest, grep},
    overlay::BufferOverlay,
};

mod first_matches;
mod glob;
mod glob_pattern;
mod grep;
mod line_excerpt;
mod overlay;
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
    PatternEscapes(String),
    #[error("the regular expression is not valid: {0}")]
    Regex(String),
    #[error("the pattern has {length} bytes; at most {longest} can be searched for")]
    PatternTooLong { length: usize, longest: usize },
    #[error("the search was cancelled")]
    Cancelled,
    #[error("the search stopped: {0}")]
    Stopped(String),
}

/// Who searches a whole disk hears of what was found by then.
pub const SEARCH_TIMEOUT: Duration = Duration::from_secs(30);

/// A disk that takes longer for one file is not waited for.
const GRACE: Duration = Duration::from_secs(5);

/// How long somebody waits for a search.
#[derive(Debug, Clone)]
pub struct SearchDeadline {
    pub cancel: CancellationToken,
    pub timeout: Duration,
}

impl From<CancellationToken> for SearchDeadline {
    fn from(cancel: CancellationToken) -> Self {
        Self { cancel, timeout: SEARCH_TIMEOUT }
    }
}

/// Tells the searching threads that nobody waits any more; cheaper to ask for each file than a token.
#[derive(Debug, Clone)]
struct SearchStop {
    is_cancelled: Arc<AtomicBool>,
    end: Instant,
}

impl SearchStop {
    fn new(patience: Duration) -> Self {
        Self { is_cancelled: Arc::default(), end: Instant::now() + patience }
    }

    fn is_set(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.is_timed_out()
    }

    fn is_timed_out(&self) -> bool {
        Instant::now() >= self.end
    }
}

/// Sets it when the one who waits goes away.
struct StopOnDrop(SearchStop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` on a thread that may block. When cancelled it is told to stop and not waited for.
async fn run_blocking<T: Send + 'static>(
    until: SearchDeadline,
    work: impl FnOnce(&SearchStop) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, SearchError> {
    let stop = SearchStop::new(until.timeout);
    let _guard = StopOnDrop(stop.clone());
    let working = tokio::task::spawn_blocking(move || work(&stop));
    let working = timeout(until.timeout + GRACE, working);
    match until.cancel.run_until_cancelled(working).await {
        None => Err(SearchError::Cancelled),
        Some(Ok(Ok(result))) => result,
        Some(Ok(Err(error))) => Err(SearchError::Stopped(error.to_string())),
        Some(Err(_)) => Err(SearchError::Stopped("a disk does not answer".to_owned())),
    }
}
