//! Walks a tree with several threads and skips what is ignored.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::SearchStop;

/// More threads than this only wait for each other.
const MOST_THREADS: usize = 12;

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
        let (wants, unreadable_ref) = (&wants, &unreadable);
        self.builder().build_parallel().run(|| {
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
        unreadable.into_inner()
    }

    fn builder(&self) -> WalkBuilder {
        let threads = thread::available_parallelism().map_or(2, |count| count.get().clamp(2, MOST_THREADS));
        // Outside of a repository a `.gitignore` applies to its own folder and below, but those further up do
        // not: one in a home folder that is kept in git contains `*` and would hide everything.
        let in_git = self.root.ancestors().any(|folder| folder.join(".git").symlink_metadata().is_ok());
        let mut builder = WalkBuilder::new(self.root);
        builder
            .threads(threads)
            .hidden(!self.hidden)
            .parents(in_git)
            .require_git(in_git)
            // git finds the user's own ignore file through the process environment, which is not the
            // client's.
            .git_global(false)
            .current_dir(self.root)
            .filter_entry(|entry| entry.file_name() != OsStr::new(".git"));
        builder
    }
}
