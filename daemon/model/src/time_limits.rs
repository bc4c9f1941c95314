//! Every time limit of requests to models, with its reason. A configuration can change those of [`RequestTimeouts`].
//!
//! [`RequestTimeouts`]: crate::provider::RequestTimeouts

use std::time::Duration;

/// How long a connection may take. A server that takes longer is not there; the attempt fails and is retried.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// How long the first byte of a response may take: the largest models think for minutes without output. Then the attempt
/// fails and is retried.
pub(crate) const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a stream may pause between two chunks, for the same reason. Then the attempt fails.
pub(crate) const STREAM_IDLE_TIMEOUT: Duration = Duration::from_secs(600);

/// How long a stream may send keep-alives only: a server that thinks says so, one that hangs behind a proxy does, too. Then
/// the attempt fails. A local server gets this long for everything, because it first loads the model.
pub(crate) const SILENCE_TIMEOUT: Duration = Duration::from_secs(1200);

/// How long to wait for data that follows at once or never: the usage after the last part, the text of an error. Then the
/// response counts without it.
pub(crate) const TRAILER_TIMEOUT: Duration = Duration::from_secs(15);

/// Deltas of a stream are passed on at most this often, joined: once for each frame of a screen. Each costs a wake-up of the session and
/// of every editor that watches it, and a fast model sends thousands a second. A delta after a pause is passed on at once.
pub(crate) const DELTA_INTERVAL: Duration = Duration::from_millis(16);

/// How often an HTTP/2 connection is pinged. After the machine slept, a connection may be dead without an error. Pings
/// reveal that within a minute; without them every retry would wait for its first byte on the same dead connection.
pub(crate) const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(30);

/// How long a ping may be unanswered. Then the connection is closed, and its requests fail and are retried.
pub(crate) const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(20);

/// The pause before the first retry, if the server names none; each further one is twice as long.
pub(crate) const FIRST_RETRY_DELAY: Duration = Duration::from_secs(2);

/// The longest pause before a retry, if the server names none.
pub(crate) const MAX_RETRY_DELAY: Duration = Duration::from_secs(30);

/// The longest server-requested wait that we honour: 2^31 - 1 ms, about 24 days. The user sees it and can cancel.
pub(crate) const MAX_REQUESTED_DELAY: Duration = Duration::from_millis(i32::MAX as u64);

/// How long a search for local servers waits for each port. A local port refuses or accepts at once; only a server that
/// is loading a model may take longer, and is then not listed.
pub const PROBE_TIMEOUT: Duration = Duration::from_millis(500);
