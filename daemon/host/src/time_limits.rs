//! Every time limit of the host, with its reason.

use std::time::Duration;

/// How long a session's first request waits for instructions from the network. A user waits for it; a page that takes
/// longer is ignored with a warning.
pub(crate) const INSTRUCTIONS_FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// How long `websearch` waits for its engine unless the configuration says otherwise. Then the call fails.
pub(crate) const WEB_SEARCH_TIMEOUT: Duration = Duration::from_secs(25);

/// The same for `codesearch`, whose engine reads more before it answers.
pub(crate) const CODE_SEARCH_TIMEOUT: Duration = Duration::from_secs(30);

/// While the model writes an inline edit, clients get an update at most this often: twenty pictures a second look smooth.
pub(crate) const INLINE_EDIT_INTERVAL: Duration = Duration::from_millis(50);

/// The longest wait for diagnostics after an edit that the configuration can ask for. A larger number counts as this.
pub(crate) const MAX_DIAGNOSTICS_WAIT: Duration = Duration::from_secs(30);

/// How often editors get the progress of language servers, at most.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// How long one editor may take to accept a progress report. Then the report is dropped, so that a blocked editor does not
/// hold up the others.
pub(crate) const PROGRESS_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the host looks for files that depend on a change and that the editor has closed. What it has found by then
/// counts.
pub(crate) const CLOSED_DEPENDENTS_TIMEOUT: Duration = Duration::from_millis(300);

/// How long the host waits for what the editor knows of other files than the edited ones. Then the report is without them.
pub(crate) const OTHER_FILES_TIMEOUT: Duration = Duration::from_millis(1500);

/// How long an editor may wait for its language server to become ready. A server that needs longer is reported as not
/// ready, and its diagnostics come as a late report.
pub(crate) const READY_TIMEOUT: Duration = Duration::from_millis(300);

/// How long an editor's response takes to arrive, at most. The editor gets this much less time than the host waits.
pub(crate) const RESPONSE_LATENCY: Duration = Duration::from_millis(50);

/// How long the host waits for an editor that did not answer the last time, or that only has to say whether it has
/// servers. Then it counts as an editor without.
pub(crate) const SHORT_TIMEOUT: Duration = Duration::from_millis(100);

/// How long a document that an editor closed may take to come back: an editor that reads a file again closes it and opens it. Then what its
/// servers say of it is unknown.
pub(crate) const REOPEN_TIMEOUT: Duration = Duration::from_millis(200);
