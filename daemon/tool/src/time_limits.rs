//! Every time limit of the tools, with its reason. Tool descriptions and parameter schemas repeat some of them for the
//! model.

use std::time::Duration;

use copydesk_workspace::time_limits::EDIT_DEADLINE;

/// How long a cancelled tool may take to end. Then the registry abandons it, so that no cancel hangs. Longer than the
/// deadline of an edit: an editor that does not respond may still make it, and the call would not notice it.
pub(crate) const CANCELLED_TOOL_GRACE: Duration = EDIT_DEADLINE.saturating_add(Duration::from_secs(2));

/// How long a command may run if the model names no timeout. Then it is ended, and the model gets its output so far.
pub(crate) const DEFAULT_COMMAND_TIMEOUT: Duration = Duration::from_secs(120);

/// The longest that one call waits for a command or a background job. A larger number counts as this.
pub(crate) const MAX_COMMAND_WAIT: Duration = Duration::from_secs(600);

/// A command that prints without end is shown at most this often: a view can draw ten pictures a second.
pub(crate) const LIVE_OUTPUT_INTERVAL: Duration = Duration::from_millis(100);

/// How often a call that waits for a language server looks how far it is. A shorter wait is not shown at all.
pub(crate) const LOADING_SHOWN_INTERVAL: Duration = Duration::from_millis(500);

/// How long a stored output is kept for the model, which may read it in a session that a user continues days later. Then
/// the next session that starts deletes it.
pub(crate) const SPILL_MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How long `webfetch` may take if the model names no timeout; the time of asking the user does not count. Then the call
/// fails.
pub(crate) const DEFAULT_FETCH_TIMEOUT: Duration = Duration::from_secs(30);

/// The longest timeout of `webfetch`. A larger number counts as this.
pub(crate) const MAX_FETCH_TIMEOUT: Duration = Duration::from_secs(120);

/// How long a connection to a site or a search engine may take. A server that takes longer is not there.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// How long the goodbye to a search engine may take, which runs in the background. Then it is dropped; the engine forgets
/// the session by itself.
pub(crate) const SEARCH_GOODBYE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a command in the sandbox may take to say what it wants of the proxy, once it has connected.
pub(crate) const PROXY_REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the proxy waits before it accepts the next connection, after it could not.
pub(crate) const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
