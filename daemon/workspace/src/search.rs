//! Finding files by name and lines by content, in this process, as quickly as ripgrep does: with its own parts.
//!
//! What git ignores is passed over (`.gitignore` of the project and its folders, `.git/info/exclude`, `.ignore`), `.git`
//! always; links are not followed. Whole trees are walked by several threads, yet the result is always the same: the
//! first matches in the order of paths (see `first`), of which no more than the limit are held at any time.
//!
//! Invariant: nothing is read outside of the folder or file that was given.
//! Invariant: a search that is cancelled, or whose future is dropped, stops at its next file or block.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

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
    #[error("the search was cancelled")]
    Cancelled,
    #[error("the search stopped: {0}")]
    Stopped(String),
}

/// Tells the searching threads that nobody waits any more; cheaper to ask for each file than a token.
#[derive(Debug, Clone, Default)]
struct Stop(Arc<AtomicBool>);

impl Stop {
    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Sets it when the one who waits goes away.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` on a thread that may block. When cancelled it is told to stop and not waited for.
async fn aside<T: Send + 'static>(
    cancel: CancellationToken,
    work: impl FnOnce(&Stop) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, SearchError> {
    let stop = Stop::default();
    let _guard = StopOnDrop(stop.clone());
    let working = tokio::task::spawn_blocking(move || work(&stop));
    match cancel.run_until_cancelled(working).await {
        None => Err(SearchError::Cancelled),
        Some(Ok(result)) => result,
        Some(Err(error)) => Err(SearchError::Stopped(error.to_string())),
    }
}
