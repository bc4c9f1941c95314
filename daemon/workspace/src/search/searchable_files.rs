//! All files that a search of a folder sees.

use std::path::{Path, PathBuf};

use super::first_matches::FirstMatches;
use super::{SearchDeadline, SearchError, glob, run_blocking};
use crate::file_walk::FileWalker;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchableFiles {
    /// Absolute, in path order.
    pub paths: Vec<PathBuf>,
    /// Whether all are there: neither the limit nor the timeout was reached.
    pub is_complete: bool,
}

/// The regular files below `root`. With `hidden` also those whose name begins with a dot.
pub async fn list_files(
    root: &Path,
    hidden: bool,
    limit: usize,
    until: impl Into<SearchDeadline>,
) -> Result<SearchableFiles, SearchError> {
    let root = root.to_owned();
    run_blocking(until.into(), move |stop| {
        glob::folder(&root)?;
        let first = FirstMatches::new(limit);
        let walk = FileWalker { root: &root, hidden, is_stopped: &|| stop.is_set() };
        walk.run(|path| first.may_include(path), || |path: PathBuf| first.add(path, vec![()]));
        let (found, has_more) = first.finish();
        let paths = found.into_iter().map(|(path, ())| path).collect();
        Ok(SearchableFiles { paths, is_complete: !has_more && !stop.is_timed_out() })
    })
    .await
}
