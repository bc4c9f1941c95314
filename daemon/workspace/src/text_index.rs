//! An index of the text below a folder: which files may contain something, without reading them.
//!
//! For each file that a search of the folder sees, it has a signature of the text ([`signature`]). `grep` reads only the files
//! that a signature does not rule out, `glob` takes the names, and both find exactly what a walk finds. The first search of a
//! large folder begins the index on a background thread; until it is ready, and whenever it cannot be proven fresh, searches
//! walk.
//!
//! Fresh means: the watcher's barrier has been reached, so that everything that happened before is known; the changed files
//! have been read again, or count as files that may contain anything; and the rules that say which files are ignored are the same.
//! If the watcher missed something or the rules changed, the index is built again, and reads only what has another stamp. It does
//! not see what the watcher does not see: writes through a memory map, through another mount, or through a hard link that was
//! made outside of the folder after the file was read. Disks of other computers are not indexed.
//!
//! Invariant: a search through the index finds what a walk finds. `property_tests.rs` compares the two while files change.
//! Invariant: the index has at most `IndexLimits`; a larger folder has none.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use self::build::{IndexBuild, spawn_background, store};
use self::ignore_rules::IgnoreRulesStamp;
use self::indexed_files::{IndexedFile, IndexedFiles};
pub(crate) use self::trigram_query::TrigramQuery;
use crate::disk_watcher::DiskWatcher;
use crate::file_walk::is_in_repository;
use crate::time_limits::INDEX_BARRIER_TIMEOUT;

mod build;
mod file_names;
mod ignore_rules;
mod index_file;
mod indexed_files;
mod listing;
mod local_disks;
#[cfg(test)]
mod property_tests;
mod signature;
mod trigram_query;

/// How large an index may be.
#[derive(Debug, Clone, Copy)]
pub struct IndexLimits {
    /// A folder with fewer files is walked through in a few milliseconds.
    pub min_files: usize,
    pub files: usize,
    /// The memory for names and signatures: about a thirtieth of the text.
    pub bytes: usize,
    /// Each repository, and each ignore file that is a link, costs a look at it in each search.
    pub repositories: usize,
    /// Watches count against the user's own limit, of which at most an eighth is taken.
    pub folders: usize,
}

impl Default for IndexLimits {
    fn default() -> Self {
        Self { min_files: 2000, files: 300_000, bytes: 64 * 1024 * 1024, repositories: 64, folders: 32_768 }
    }
}

impl IndexLimits {
    fn watched_folders(&self) -> usize {
        let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches");
        let limit: Option<usize> = limit.ok().and_then(|limit| limit.trim().parse().ok());
        limit.map_or(self.folders, |limit| self.folders.min(limit / 8))
    }
}

/// Why there is no index.
#[derive(Debug, thiserror::Error)]
enum IndexProblem {
    /// The watcher missed something, or other files are ignored now: it has to be built again.
    #[error("the folder changed in a way that only another walk can show")]
    Outdated,
    #[error("the watcher does not keep up with the changes")]
    WatcherBehind,
    #[error("all sessions of the folder are closed")]
    Stopped,
    #[error("it has more than {0} files")]
    TooManyFiles(usize),
    #[error("its index would take more than {0} bytes")]
    TooMuchText(usize),
    #[error("it has more than {0} repositories and linked ignore files")]
    TooManyRepositories(usize),
    #[error("`{}` is on a disk whose changes the system may not report", .0.display())]
    RemoteDisk(PathBuf),
    #[error("the ignore files of `{}` cannot be read", .0.display())]
    IgnoreFiles(PathBuf),
    #[error("{0}")]
    Unreadable(String),
    #[error("{0}")]
    Unwatched(String),
}

/// The indexes of the folders that sessions work in. Clones share them. The default has none, so that each search walks.
#[derive(Clone, Default)]
pub struct TextIndexes {
    shared: Option<Arc<IndexRegistry>>,
}

struct IndexRegistry {
    /// The folder in which indexes are stored.
    cache: Option<PathBuf>,
    limits: IndexLimits,
    open: Mutex<HashMap<PathBuf, Weak<TextIndexInner>>>,
}

/// The index of one folder. It lives as long as somebody has this.
#[derive(Clone)]
pub struct TextIndex {
    inner: Arc<TextIndexInner>,
}

struct TextIndexInner {
    root: PathBuf,
    limits: IndexLimits,
    /// Where it is stored.
    stored: Option<PathBuf>,
    state: Mutex<IndexState>,
    /// A build has ended.
    built: Condvar,
}

enum IndexState {
    /// No search has run yet, or the folder is small.
    Absent,
    Building,
    Ready(Box<ReadyIndex>),
    /// It cannot be indexed.
    Unfit {
        /// How many searches have walked since.
        searches: usize,
    },
}

/// After so many searches, another try may succeed: a folder that could not be read can be read now.
const SEARCHES_BEFORE_RETRY: usize = 100;

struct ReadyIndex {
    files: IndexedFiles,
    watcher: DiskWatcher,
    rules: IgnoreRulesStamp,
}

/// The files that a search of a folder sees, as they are now. Other searches wait meanwhile.
pub(crate) struct FreshFiles<'a> {
    state: MutexGuard<'a, IndexState>,
    /// The searched folder, relative to the root of the index.
    folder: PathBuf,
    hidden: bool,
}

impl TextIndexes {
    pub fn new(cache: Option<PathBuf>, limits: IndexLimits) -> Self {
        Self { shared: Some(Arc::new(IndexRegistry { cache, limits, open: Mutex::default() })) }
    }

    /// The index of a folder by its real path. It is not built before a search asks for it.
    pub fn open(&self, root: &Path) -> Option<TextIndex> {
        let shared = self.shared.as_ref()?;
        let mut open = lock(&shared.open);
        open.retain(|_, index| index.strong_count() > 0);
        if let Some(inner) = open.get(root).and_then(Weak::upgrade) {
            return Some(TextIndex { inner });
        }
        let inner = Arc::new(TextIndexInner {
            root: root.to_owned(),
            limits: shared.limits,
            stored: shared.cache.as_ref().map(|cache| index_file::path_for(cache, root)),
            state: Mutex::new(IndexState::Absent),
            built: Condvar::new(),
        });
        open.insert(root.to_owned(), Arc::downgrade(&inner));
        Some(TextIndex { inner })
    }

    /// The open index with the most special root above a folder.
    pub(crate) fn covering(&self, folder: &Path) -> Option<TextIndex> {
        let open = lock(&self.shared.as_ref()?.open);
        let inner = folder.ancestors().find_map(|root| open.get(root).and_then(Weak::upgrade))?;
        Some(TextIndex { inner })
    }
}

impl TextIndex {
    /// The files below a folder, if the index is ready and can be proven fresh. May block for some milliseconds.
    pub(crate) fn fresh_files(&self, folder: &Path, hidden: bool) -> Option<FreshFiles<'_>> {
        let folder = folder.strip_prefix(&self.inner.root).ok()?.to_owned();
        let mut state = lock(&self.inner.state);
        let IndexState::Ready(index) = &mut *state else { return None };
        match index.refresh(INDEX_BARRIER_TIMEOUT) {
            Ok(()) if index.covers(&folder, hidden) => Some(FreshFiles { state, folder, hidden }),
            Ok(()) | Err(IndexProblem::WatcherBehind) => None,
            Err(IndexProblem::Outdated) => {
                let known = std::mem::take(&mut index.files.files);
                self.begin_build(&mut state, known);
                None
            }
            Err(problem) => {
                self.give_up(&mut state, &problem);
                None
            }
        }
    }

    /// A search walked through so many files: begins the index if it pays.
    pub(crate) fn note_walk(&self, files: usize) {
        let mut state = lock(&self.inner.state);
        if let IndexState::Unfit { searches } = &mut *state {
            *searches += 1;
            if *searches >= SEARCHES_BEFORE_RETRY {
                *state = IndexState::Absent;
            }
        }
        if !matches!(*state, IndexState::Absent) || files < self.inner.limits.min_files {
            return;
        }
        // Known before a folder of it is watched.
        if files > self.inner.limits.files {
            return self.give_up(&mut state, &IndexProblem::TooManyFiles(self.inner.limits.files));
        }
        self.begin_build(&mut state, BTreeMap::new());
    }

    fn begin_build(&self, state: &mut IndexState, known: BTreeMap<PathBuf, IndexedFile>) {
        let inner = &self.inner;
        let (root, limits, stored) = (inner.root.clone(), inner.limits, inner.stored.clone());
        let build = IndexBuild { root, limits, stored, known };
        // The thread does not keep the index alive.
        let weak = Arc::downgrade(inner);
        *state = IndexState::Building;
        let is_started = spawn_background("text-index", move || {
            let result = build.run(&|| weak.strong_count() == 0);
            if let Some(inner) = weak.upgrade() {
                TextIndex { inner }.end_build(result);
            }
        });
        if !is_started {
            *state = IndexState::Absent;
        }
    }

    fn end_build(&self, result: Result<ReadyIndex, IndexProblem>) {
        let mut state = lock(&self.inner.state);
        match result {
            Ok(index) => *state = IndexState::Ready(Box::new(index)),
            // A later search tries again.
            Err(IndexProblem::WatcherBehind) => *state = IndexState::Absent,
            Err(problem) => self.give_up(&mut state, &problem),
        }
        self.inner.built.notify_all();
    }

    fn give_up(&self, state: &mut IndexState, problem: &IndexProblem) {
        tracing::info!(root = %self.inner.root.display(), %problem, "no text index; searches walk");
        *state = IndexState::Unfit { searches: 0 };
    }

    /// Waits for a build that is under way. Whether the index is ready then. For tests and measurements.
    pub fn wait_until_built(&self) -> bool {
        let state = lock(&self.inner.state);
        let built = self.inner.built.wait_while(state, |state| matches!(state, IndexState::Building));
        matches!(*built.unwrap_or_else(PoisonError::into_inner), IndexState::Ready(_))
    }
}

impl ReadyIndex {
    /// Brings the index up to date. `WatcherBehind` if the watcher does not answer in time: it may do so at the next call.
    fn refresh(&mut self, timeout: Duration) -> Result<(), IndexProblem> {
        let changes = self.watcher.take_changes_blocking(timeout).ok_or(IndexProblem::WatcherBehind)?;
        if let Some(problem) = self.watcher.problem() {
            return Err(IndexProblem::Unwatched(problem));
        }
        if !self.rules.is_current() {
            return Err(IndexProblem::Outdated);
        }
        self.files.apply(changes)
    }

    /// Whether a search of this folder sees there what a search of the root sees.
    fn covers(&self, folder: &Path, hidden: bool) -> bool {
        if folder.as_os_str().is_empty() {
            return true;
        }
        let root = &self.files.root;
        let is_hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
        // Hidden files are found below a hidden folder that is searched itself.
        if !self.files.folders.contains(folder) || !hidden && folder.iter().any(is_hidden) {
            return false;
        }
        // Outside of a repository, ignore files above the searched folder do not count.
        is_in_repository(root)
            || !is_in_repository(&root.join(folder))
                && folder.ancestors().skip(1).all(|above| {
                    let has = |name: &str| root.join(above).join(name).symlink_metadata().is_ok();
                    !has(".gitignore") && !has(".ignore")
                })
    }
}

impl FreshFiles<'_> {
    /// All of them, in path order, relative to the searched folder.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let files = self.files().into_iter();
        files.flat_map(|files| files.names_below(&self.folder, self.hidden)).filter_map(self.relative())
    }

    /// Those whose text a query does not rule out, in path order, relative to the searched folder.
    pub(crate) fn candidates(&self, query: &TrigramQuery) -> impl Iterator<Item = &Path> {
        let files = self.files().into_iter().flat_map(|files| files.below(&self.folder));
        let wanted =
            files.filter(|(_, file)| (self.hidden || file.is_visible) && query.allows(&file.signature));
        wanted.map(|(path, _)| path.as_path()).filter_map(self.relative())
    }

    fn files(&self) -> Option<&IndexedFiles> {
        match &*self.state {
            IndexState::Ready(index) => Some(&index.files),
            _ => None,
        }
    }

    fn relative(&self) -> impl Fn(&Path) -> Option<&Path> {
        let is_root = self.folder.as_os_str().is_empty();
        move |path| if is_root { Some(path) } else { path.strip_prefix(&self.folder).ok() }
    }

    /// Whether a file, relative to the searched folder, is among them whatever its text.
    pub(crate) fn contains(&self, path: &Path) -> bool {
        let file = self.files().and_then(|files| files.files.get(&self.folder.join(path)));
        file.is_some_and(|file| self.hidden || file.is_visible)
    }
}

/// What was read since the index was last stored is not lost if the daemon goes on.
impl Drop for TextIndexInner {
    fn drop(&mut self) {
        let state = std::mem::replace(&mut *lock(&self.state), IndexState::Absent);
        if let (IndexState::Ready(index), Some(path)) = (state, self.stored.take())
            && index.files.is_worth_storing()
        {
            spawn_background("text-index", move || store(&path, &index.files));
        }
    }
}

impl fmt::Debug for TextIndexes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.shared.as_ref().map(|shared| lock(&shared.open).len());
        f.debug_struct("TextIndexes").field("open", &open).finish()
    }
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextIndex").field("root", &self.inner.root).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
