//! Walks a tree with several threads and skips what is ignored. Below a folder whose ignore files cannot be read, nothing
//! is ignored.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::SearchStop;
use crate::ignore_files;

/// More threads than this only wait for each other.
const MAX_THREADS: usize = 12;

#[derive(Debug)]
pub(super) struct FileWalker<'a> {
    pub(super) root: &'a Path,
    /// Whether to visit names that begin with a dot.
    pub(super) hidden: bool,
    pub(super) stop: &'a SearchStop,
}

impl FileWalker<'_> {
    /// Calls `wants` for each folder, and a visitor for each regular file in the wanted ones. `visitor` makes
    /// one visitor per thread. Returns how many entries could not be read.
    pub(super) fn run<V: FnMut(PathBuf) + Send>(
        &self,
        wants: impl Fn(&Path) -> bool + Sync,
        visitor: impl Fn() -> V + Sync,
    ) -> u64 {
        let unreadable = AtomicU64::new(0);
        let without_rules = Arc::new(Mutex::new(Vec::new()));
        let (wants, unreadable_ref) = (&wants, &unreadable);
        let walk = |builder: WalkBuilder| {
            builder.build_parallel().run(|| {
                let mut visit = visitor();
                Box::new(move |entry: Result<DirEntry, ignore::Error>| {
                    if self.stop.is_set() {
                        return WalkState::Quit;
                    }
                    let Ok(entry) = entry else {
                        unreadable_ref.fetch_add(1, Ordering::Relaxed);
                        return WalkState::Continue;
                    };
                    let kind = entry.file_type();
                    if !wants(entry.path()) {
                        return WalkState::Skip;
                    }
                    if kind.is_some_and(|kind| kind.is_file()) {
                        visit(entry.into_path());
                    }
                    WalkState::Continue
                })
            });
        };
        if ignore_files::are_readable_for_walk(self.root) {
            walk(self.with_rules(&without_rules));
        } else {
            walk(self.without_rules(self.root));
        }
        let folders = std::mem::take(&mut *without_rules.lock().unwrap_or_else(PoisonError::into_inner));
        for folder in folders.iter().filter(|_| !self.stop.is_set()) {
            walk(self.without_rules(folder));
        }
        unreadable.into_inner()
    }

    /// Leaves out the folders whose ignore files cannot be read, and puts them into `others`.
    fn with_rules(&self, others: &Arc<Mutex<Vec<PathBuf>>>) -> WalkBuilder {
        let mut builder = self.builder(self.root);
        let others = Arc::clone(others);
        builder.filter_entry(move |entry| {
            let is_folder = entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
            if !is_visited(entry) || !is_folder || ignore_files::are_readable(entry.path()) {
                return is_visited(entry);
            }
            others.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
            false
        });
        builder
    }

    fn without_rules(&self, folder: &Path) -> WalkBuilder {
        let mut builder = self.builder(folder);
        builder.ignore(false).git_ignore(false).git_exclude(false).parents(false).filter_entry(is_visited);
        builder
    }

    fn builder(&self, folder: &Path) -> WalkBuilder {
        let threads = thread::available_parallelism().map_or(2, |count| count.get().clamp(2, MAX_THREADS));
        // Outside of a repository a `.gitignore` applies to its own folder and below, but those further up do
        // not: one in a home folder that is kept in git contains `*` and would hide everything.
        let in_git = self.is_in_repository();
        let mut builder = WalkBuilder::new(folder);
        builder
            .threads(threads)
            .hidden(!self.hidden)
            .parents(in_git)
            .require_git(in_git)
            // git finds the user's own ignore file through the process environment, which is not the
            // client's.
            .git_global(false)
            .current_dir(self.root);
        builder
    }

    fn is_in_repository(&self) -> bool {
        self.root.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok())
    }
}

fn is_visited(entry: &DirEntry) -> bool {
    entry.file_name() != OsStr::new(".git")
}
