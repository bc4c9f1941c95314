//! Every time limit of language servers and formatters, with its reason. What differs between servers is data of their
//! `Quirks`, not a limit here.

use std::time::Duration;

// The life of a server.

/// How long the pool waits until a project's folders are watched, before it starts the server. Then the server starts
/// anyway, and a change in between may be missed.
pub(crate) const WATCH_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a server may take to answer `initialize`; some are written in Java. Then its start has failed.
pub(crate) const INITIALIZE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long the start waits for the exit of a server that closed its output: its exit status says more than its silence.
pub(crate) const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a late report waits for a server to read its project. Then there is no late report.
pub(crate) const INDEXING_TIMEOUT: Duration = Duration::from_secs(900);

/// How long a server may take to answer after it has read its project, if only a late report waits.
pub(crate) const LATE_ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// A server that reloads a project is waited for, for this long, if its last reload was as short.
pub(crate) const SHORT_RELOAD: Duration = Duration::from_secs(3);

/// A reload goes on if its next phase begins within this time.
pub(crate) const RELOAD_PHASE_GAP: Duration = Duration::from_millis(100);

/// A request that is not answered for this long, while nothing else is either, will not be: the server hangs, and is
/// restarted.
pub(crate) const HANG_TIMEOUT: Duration = Duration::from_secs(30);

/// The same for a server that says that it reads its project.
pub(crate) const INDEXING_HANG_TIMEOUT: Duration = Duration::from_secs(600);

/// How often running servers are checked: do they hang, are they idle, how much memory do they use.
pub(crate) const SERVER_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// A server ends after this long without a question, for its memory. The next question starts it again.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// The same if an editor answers for its files.
pub(crate) const REDUNDANT_IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The pause before a server that crashed is started again; each further one in a row is four times as long.
pub(crate) const RESTART_DELAY: Duration = Duration::from_secs(1);

/// A crash after this long counts as the first one in a row.
pub(crate) const STEADY_UPTIME: Duration = Duration::from_secs(600);

/// How long a server gets for `shutdown` and `exit`. Then it is killed.
pub(crate) const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

// One question.

/// How long the pool waits for the disk watcher, and for unsaved texts, before it asks a server. Then the answer proves
/// less.
pub(crate) const DISK_SETTLE_TIMEOUT: Duration = Duration::from_millis(500);

/// The pause before a request that the server itself cancelled is sent again.
pub(crate) const PULL_RETRY_PAUSE: Duration = Duration::from_millis(30);

/// How often a caller that needs a server for itself checks whether it is free. It does not queue, because that would hold
/// up all who come after it.
pub(crate) const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long a server may take to return from a proposed text to the real ones. Then other questions go on.
pub(crate) const RESTORE_TIMEOUT: Duration = Duration::from_secs(10);

/// What a check of a proposed text keeps of its time to collect the answers.
pub(crate) const COLLECT_RESERVE: Duration = Duration::from_millis(10);

// When a publish is the last.

/// Messages that a server sends together arrive within this time, even from several of its threads.
pub(crate) const BURST_TIME: Duration = Duration::from_millis(20);

/// The same for publishes about all files that are open.
pub(crate) const PUBLISH_ALL_TIME: Duration = Duration::from_millis(30);

/// Publishes about several files of a project come within this time of each other.
pub(crate) const OTHER_FILES_GAP: Duration = Duration::from_millis(120);

/// Without a version: servers publish what they find as they find it, and the rest within this time.
pub(crate) const PARTIAL_PUBLISH_GAP: Duration = Duration::from_millis(100);

/// How long a server that has read its project may take to publish by itself. Then it gets the text once more.
pub(crate) const UNPROMPTED_PUBLISH_TIMEOUT: Duration = Duration::from_millis(500);

/// A publish that took longer is recorded as this: no call waits so long.
pub(crate) const MAX_RECORDED_DELAY: Duration = Duration::from_secs(30);

/// A publish that follows later follows something else, and is not recorded.
pub(crate) const MAX_RECORDED_GAP: Duration = Duration::from_secs(1);

/// How long a server takes to read a file that it was told has changed on the disk. What it publishes earlier may be about
/// the old content.
pub(crate) const DISK_READ_TIME: Duration = Duration::from_millis(300);

/// For this long after a server was told of a change on the disk, its answers do not prove that it has read it.
pub(crate) const DISK_UNPROVEN_TIME: Duration = Duration::from_secs(2);

/// How long to wait for publishes after a save's run has ended, if the server cannot be asked.
pub(crate) const SAVE_PUBLISH_TIME: Duration = Duration::from_millis(200);

/// In a folder of several projects, a cancelled run ends, and the next begins within this time.
pub(crate) const RERUN_GAP: Duration = Duration::from_millis(200);

// Files that depend on a change.

/// How long a check looks for them if they are not known yet; meanwhile the server checks the file itself. Then the check
/// is without them, and says so.
pub(crate) const DEPENDENTS_TIMEOUT: Duration = Duration::from_secs(1);

/// How long they are looked for in the background.
pub(crate) const BACKGROUND_DEPENDENTS_TIMEOUT: Duration = Duration::from_secs(2);

/// How long to wait for the search beyond its own timeout: a disk that does not respond is not waited for.
pub(crate) const DEPENDENTS_SEARCH_GRACE: Duration = Duration::from_millis(20);

/// How long their texts are read. Then they are reported as unchecked.
pub const DEPENDENTS_READ_TIMEOUT: Duration = Duration::from_secs(1);

// Formatting.

/// How long a formatter may run, and how long all formatting of one call may take. Then the text stays as it is.
pub const FORMAT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a language server may take to format. Then the text stays as it is.
pub(crate) const SERVER_FORMAT_TIMEOUT: Duration = Duration::from_secs(3);

/// How long after its start a server is waited for until it is ready to format.
pub(crate) const FORMAT_READY_TIMEOUT: Duration = Duration::from_millis(1500);

/// How long formatting waits while others ask the server something: an unformatted text is good, too.
pub(crate) const FORMAT_LOCK_TIMEOUT: Duration = Duration::from_millis(150);

// The servers of editors.

/// A server that has published nothing for this long, and cannot be asked, gives no diagnostics. Reports do not wait for it.
pub(crate) const SILENT_SERVER_TIME: Duration = Duration::from_secs(30);

/// File systems round the times of files to steps of up to this length.
pub(crate) const FILE_TIME_STEP: Duration = Duration::from_millis(10);

/// The pause before a server is asked again that was busy with changes. It is ready again within a few of them.
pub(crate) const ASK_AGAIN_DELAY: Duration = Duration::from_millis(50);
