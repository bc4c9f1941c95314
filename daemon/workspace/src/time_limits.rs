//! Every time limit of this crate, with its reason.

use std::time::Duration;

/// How long an editor may take to answer `applyEdit`: the user may have a dialog open there. Then the edit fails.
pub(crate) const APPLY_EDIT_TIMEOUT: Duration = Duration::from_secs(20);

/// An editor makes an edit within this time, or refuses it: one that is stopped meanwhile (Ctrl-Z in a terminal) would
/// make it when it goes on, after the session was told that it failed. Shorter than `APPLY_EDIT_TIMEOUT`, so that the
/// refusal comes before the session gives up.
pub const EDIT_DEADLINE: Duration = Duration::from_secs(15);

/// How long the changed text may take to come after the editor's yes. Neovim collects changes for 150 ms. Then the edit
/// fails, because the daemon does not know whether the editor made it.
pub(crate) const ECHO_TIMEOUT: Duration = Duration::from_secs(5);

/// How long SQLite waits for another process that writes: a slow disk takes seconds for a durable write. Then the write
/// fails.
pub(crate) const DATABASE_BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// A large database is read as a whole once in this time, because that takes seconds.
pub(crate) const DATABASE_CHECK_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the journal keeps texts for undo. Older ones are deleted.
pub(crate) const JOURNAL_MAX_AGE: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// How long a question to git may take; large repositories are slow. Then its answer counts as unknown.
pub(crate) const GIT_TIMEOUT: Duration = Duration::from_secs(5);

/// How far the disk's clock may be behind ours. A file that changed within this time before it was seen may have changed
/// after it.
pub(crate) const DISK_CLOCK_LAG: Duration = Duration::from_millis(50);

/// How long a search may take if the caller says nothing else. A search of a whole disk returns what it has found by then.
pub const SEARCH_TIMEOUT: Duration = Duration::from_secs(30);

/// How long to wait for a search beyond its timeout: only a disk that does not respond takes longer. Then the search fails.
pub(crate) const SEARCH_GRACE: Duration = Duration::from_secs(5);

/// How long a search waits for the watcher of its index, which is behind while a large folder is copied into the tree. Then the
/// search walks.
pub(crate) const INDEX_BARRIER_TIMEOUT: Duration = Duration::from_millis(200);

/// How long the watches of a whole tree may take, in the background. Then there is no index.
pub(crate) const INDEX_WATCH_TIMEOUT: Duration = Duration::from_secs(60);

/// A file that was written more recently may be written again without another time stamp. Its signature is not stored. Disks
/// with the coarsest clock count in steps of two seconds.
pub(crate) const INDEX_SETTLE_TIME: Duration = Duration::from_secs(3);

/// The time between asking a command to end and killing it.
pub const TERMINATE_GRACE: Duration = Duration::from_secs(3);

/// How long killed processes may take to disappear. One that waits for a broken disk may never; it is left behind.
pub(crate) const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a terminated process group is checked; the system notifies only a parent.
pub(crate) const TERMINATED_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How often a background process group is checked, so that the daemon forgets its number long before the system reuses
/// it.
pub(crate) const BACKGROUND_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long to read standard error after the end of a program. It is complete by then, unless a child process has the pipe
/// open.
pub(crate) const STDERR_DRAIN_TIMEOUT: Duration = Duration::from_millis(200);

/// A file that was written more recently may be written again without a change of its time stamp, so the
/// daemon does not remember that a buffer equals it.
pub(crate) const STAMP_SETTLE_TIME: Duration = Duration::from_secs(1);

/// How long the sandbox may take to run nothing at all. Then it does not work here.
pub(crate) const SANDBOX_PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// When the build caches of a workspace's sandbox are removed, counted from their last use: a project that rests for a month is rarely built soon.
pub(crate) const BUILD_CACHE_MAX_AGE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
