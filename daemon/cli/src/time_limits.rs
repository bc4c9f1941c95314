//! Every time limit of the command line, the shim and the daemon process, with its reason.

use std::time::Duration;

/// How long a daemon without clients and without work stays. A user who opens the editor again within ten minutes finds
/// it warm; then it exits. `--idle-exit` and `COPYDESK_IDLE_EXIT` change it.
pub(crate) const DEFAULT_IDLE_EXIT: Duration = Duration::from_secs(600);

/// How long the daemon's runtime waits for its threads at the end. A task that hangs on a disk or a pipe must not keep
/// the process alive: after this it is dropped.
pub(crate) const RUNTIME_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a started daemon may take to listen; a healthy one does at once. Then the user is told that it does not.
pub(crate) const START_TIMEOUT: Duration = Duration::from_secs(10);

/// Pauses between attempts to connect when another daemon was faster: it may be about to listen, or about to end. After
/// the last, three seconds in all, the user is told.
pub(crate) const CONNECT_PAUSES: [Duration; 7] = [
    Duration::from_millis(5),
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1600),
];

/// How long a new daemon may take to answer `initialize`. Then the shim gives it up.
pub(crate) const INITIALIZE_TIMEOUT: Duration = Duration::from_secs(10);

/// Without a daemon, the editor's messages trigger another attempt, but not more often than this.
pub(crate) const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// A daemon that lived longer crashed for its own reasons; one that lived shorter may have crashed because of the shim's
/// replay, and counts as one crash more in a row.
pub(crate) const STEADY_UPTIME: Duration = Duration::from_secs(10);

/// The pause before a daemon that crashed soon after its start is replaced; it doubles with each such crash in a row.
pub(crate) const CRASH_PAUSE: Duration = Duration::from_millis(50);

/// How long the shim's peer gets to read its last messages. Then they are dropped.
pub(crate) const FINISH_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a command such as `copydesk status` waits for the daemon's response; a healthy daemon responds at once. Then
/// the command fails, and names the log.
pub(crate) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);

/// How often `copydesk log` looks for new lines. A user does not see a tenth of a second.
pub(crate) const LOG_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How long a user who presses Ctrl-C twice waits until the cancellation has arrived. Then the command leaves without it.
pub(crate) const CANCEL_TIMEOUT: Duration = Duration::from_secs(1);

/// How often `copydesk run` redraws its status line, which shows seconds, and checks that standard output is still open.
pub(crate) const STATUS_INTERVAL: Duration = Duration::from_secs(1);

/// In milliseconds. The duration of a faster call is not shown: it would only be noise.
pub(crate) const MIN_SHOWN_MS: u64 = 100;
