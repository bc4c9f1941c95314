//! Every time limit of the faces, with its reason.

use std::time::Duration;

/// The limit for ending all work when the daemon ends. A command that ignores its signal is killed after its own grace
/// period, so only a process stuck in the kernel takes this long. Then the daemon ends without it, with a warning.
pub(crate) const WORK_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(20);

/// When the daemon ends, how long all its clients together get to receive their last messages. Then the daemon ends,
/// with a warning. A busy machine takes seconds to write them.
pub(crate) const CLIENTS_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);

/// The pause after a failed accept: no file descriptors are left, and an immediate retry would only burn the CPU.
pub(crate) const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);

/// The limit of each step in which one connection ends: its queued events, its running handlers, its writer. A client
/// that does not read could block forever; after this the step is skipped, and what is left is dropped.
pub(crate) const CONNECTION_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);
