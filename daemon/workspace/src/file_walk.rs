//! Which files below a folder a search sees: what git and `.ignore` files ignore is left out, and always `.git`. Symlinks are
//! not followed.
//!
//! [`FileWalker`] walks with several threads. Below a folder whose ignore files cannot be read, it ignores nothing.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

use ignore::{DirEntry, WalkBuilder, WalkState};

use crate::ignore_files;

/// More threads than this only wait for each other.
const MAX_THREADS: usize = 12;

pub(crate) struct FileWalker<'a> {
    pub(crate) root: &'a Path,
    /// Whether to visit names that begin with a dot.
    pub(crate) hidden: bool,
    pub(crate) is_stopped: &'a (dyn Fn() -> bool + Sync),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WalkCounts {
    pub(crate) files: usize,
    /// Files and folders that could not be read.
    pub(crate) unreadable: u64,
}

impl FileWalker<'_> {
    /// Calls `wants` for each folder, and a visitor for each regular file in the wanted ones. `visitor` makes
    /// one visitor per thread.
    pub(crate) fn run<V: FnMut(PathBuf) + Send>(
        &self,
        wants: impl Fn(&Path) -> bool + Sync,
        visitor: impl Fn() -> V + Sync,
    ) -> WalkCounts {
        let (files, unreadable) = (AtomicUsize::new(0), AtomicU64::new(0));
        let without_rules = Arc::new(Mutex::new(Vec::new()));
        let (wants, files_ref, unreadable_ref) = (&wants, &files, &unreadable);
        let walk = |builder: WalkBuilder| {
            builder.build_parallel().run(|| {
                let mut visit = visitor();
                Box::new(move |entry: Result<DirEntry, ignore::Error>| {
                    if (self.is_stopped)() {
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
                        files_ref.fetch_add(1, Ordering::Relaxed);
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
        for folder in folders.iter().filter(|_| !(self.is_stopped)()) {
            walk(self.without_rules(folder));
        }
        WalkCounts { files: files.into_inner(), unreadable: unreadable.into_inner() }
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
        let mut builder = walk_builder(folder, self.hidden, is_in_repository(self.root));
        builder.threads(threads).current_dir(self.root);
        builder
    }
}

/// A walk of one thread or several by the rules of a search. `in_git`: whether the folder that is searched is in a repository.
pub(crate) fn walk_builder(folder: &Path, hidden: bool, in_git: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(folder);
    builder
        .hidden(!hidden)
        // Outside of a repository a `.gitignore` applies to its own folder and below, but those further up do
        // not: one in a home folder that is kept in git contains `*` and would hide everything.
        .parents(in_git)
        .require_git(in_git)
        // git finds the user's own ignore file through the process environment, which is not the
        // client's.
        .git_global(false)
        .current_dir(folder);
    builder
}

pub(crate) fn is_in_repository(folder: &Path) -> bool {
    folder.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok())
}

fn is_visited(entry: &DirEntry) -> bool {
    entry.file_name() != OsStr::new(".git")
}
