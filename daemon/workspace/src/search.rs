//! Finds files by name and lines by content, in this process, as fast as ripgrep and with its crates.
//!
//! Searches skip what git ignores (`.gitignore` of the project and its folders, `.git/info/exclude`,
//! `.ignore`) and always `.git`; they do not follow symlinks. Several threads walk a tree, yet the result is
//! always the same: the first matches in path order (see `first_matches`), and never more than the limit in
//! memory.
//!
//! Invariant: a search reads and names nothing outside of the given folder or file, except the ignore files above it, also if a
//! folder becomes a symlink meanwhile: each file is opened or looked at by its real path ([`crate::real_file`]).
//! Invariant: a search that is cancelled, dropped or timed out stops at its next file or block; after a
//! timeout it returns what it has found.

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

use crate::time_limits::{SEARCH_GRACE, SEARCH_TIMEOUT};

pub use self::{
    glob::{GlobMatches, glob},
    grep::{CaseSensitivity, GrepMatch, GrepMatches, GrepRequest, grep},
    search_view::SearchView,
    searchable_files::{SearchableFiles, list_files},
};

mod first_matches;
mod glob;
mod glob_pattern;
mod grep;
mod line_excerpt;
mod search_view;
mod searchable_files;
#[cfg(test)]
mod tests;

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

/// How long the caller waits for a search.
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

/// Tells the searching threads to stop; cheaper to check for each file than a token.
#[derive(Debug, Clone)]
struct SearchStop {
    is_cancelled: Arc<AtomicBool>,
    end: Instant,
}

impl SearchStop {
    fn new(timeout: Duration) -> Self {
        Self { is_cancelled: Arc::default(), end: Instant::now() + timeout }
    }

    fn is_set(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed) || self.is_timed_out()
    }

    fn is_timed_out(&self) -> bool {
        Instant::now() >= self.end
    }
}

/// Stops the search when its caller goes away.
struct StopOnDrop(SearchStop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` on a thread that may block. On cancel it is told to stop, and not awaited.
async fn run_blocking<T: Send + 'static>(
    until: SearchDeadline,
    work: impl FnOnce(&SearchStop) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, SearchError> {
    let stop = SearchStop::new(until.timeout);
    let _guard = StopOnDrop(stop.clone());
    let working = tokio::task::spawn_blocking(move || work(&stop));
    let working = timeout(until.timeout + SEARCH_GRACE, working);
    match until.cancel.run_until_cancelled(working).await {
        None => Err(SearchError::Cancelled),
        Some(Ok(Ok(result))) => result,
        Some(Ok(Err(error))) => Err(SearchError::Stopped(error.to_string())),
        Some(Err(_)) => Err(SearchError::Stopped("a disk does not answer".to_owned())),
    }
}
