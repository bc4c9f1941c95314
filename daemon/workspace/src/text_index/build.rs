//! Builds an index in the background, on a thread of its own that yields to others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::ignore_rules::IgnoreRulesStamp;
use super::index_file;
use super::indexed_files::{IndexedFile, IndexedFiles};
use super::listing::{FileList, ListedFolders};
use super::{IndexLimits, IndexProblem, ReadyIndex};
use crate::disk_watcher::{DiskWatcher, WatchedFolders};
use crate::time_limits::INDEX_WATCH_TIMEOUT;

/// How often a tree that changes all the time is tried.
const ATTEMPTS: usize = 3;

/// How much a background thread yields to others.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// What a build works on.
pub(super) struct IndexBuild {
    pub(super) root: PathBuf,
    pub(super) limits: IndexLimits,
    /// Where the index is stored.
    pub(super) stored: Option<PathBuf>,
    /// What an earlier index knew.
    pub(super) known: BTreeMap<PathBuf, IndexedFile>,
}

impl IndexBuild {
    pub(super) fn run(mut self, is_stopped: &dyn Fn() -> bool) -> Result<ReadyIndex, IndexProblem> {
        let begun = Instant::now();
        if self.known.is_empty()
            && let Some(stored) = &self.stored
        {
            self.known = index_file::load(stored, &self.root);
        }
        for _ in 0..ATTEMPTS {
            match self.attempt(is_stopped) {
                Err(IndexProblem::Outdated) => {}
                Err(problem) => return Err(problem),
                Ok(mut index) => {
                    if let Some(stored) = &self.stored
                        && index.files.is_worth_storing()
                    {
                        store(stored, &index.files);
                        index.files.note_stored();
                    }
                    let (files, took) = (index.files.files.len(), begun.elapsed());
                    tracing::info!(root = %self.root.display(), files, ?took, "the text index is ready");
                    return Ok(index);
                }
            }
        }
        Err(IndexProblem::WatcherBehind)
    }

    /// Watches first, so that nothing that changes while files are read is missed.
    fn attempt(&mut self, is_stopped: &dyn Fn() -> bool) -> Result<ReadyIndex, IndexProblem> {
        let watcher = DiskWatcher::begin(&self.root, WatchedFolders::Searched, self.limits.watched_folders());
        watcher.take_changes_blocking(INDEX_WATCH_TIMEOUT).ok_or(IndexProblem::WatcherBehind)?;
        if let Some(problem) = watcher.problem() {
            return Err(IndexProblem::Unwatched(problem));
        }
        let rules_before =
            IgnoreRulesStamp::take(&self.root, &BTreeSet::from([PathBuf::new()]), &BTreeSet::new());
        let list = FileList::walk(&self.root, ListedFolders::All, &self.limits)?;
        if list.repositories.len() + list.linked_rules.len() > self.limits.repositories {
            return Err(IndexProblem::TooManyRepositories(self.limits.repositories));
        }
        let rules = IgnoreRulesStamp::take(&self.root, &list.repositories, &list.linked_rules);
        let known = std::mem::take(&mut self.known);
        let files = IndexedFiles::read(&self.root, &list, known, self.limits, is_stopped)?;
        let mut index = ReadyIndex { files, watcher, rules };
        // The rules may have changed between the listing and their stamp.
        let is_same = rules_before.is_current();
        let refreshed = index.refresh(INDEX_WATCH_TIMEOUT);
        if refreshed.is_err() || !is_same {
            self.known = std::mem::take(&mut index.files.files);
            refreshed?;
            return Err(IndexProblem::Outdated);
        }
        Ok(index)
    }
}

/// Runs `work` on a thread of its own. False if the system has no more threads.
pub(super) fn spawn_background(name: &str, work: impl FnOnce() + Send + 'static) -> bool {
    let yielding = move || {
        // On Linux this is the niceness of this thread alone. A thread that is not nice does the same work.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, NICENESS);
        work();
    };
    std::thread::Builder::new().name(name.to_owned()).spawn(yielding).is_ok()
}

/// Stores an index.
pub(super) fn store(path: &Path, files: &IndexedFiles) {
    if let Err(error) = index_file::save(path, files) {
        tracing::warn!(%error, "the text index cannot be stored");
    }
}
