//! Every time limit of navigation, with its reason.

use std::time::Duration;

/// How long one file may take to parse. The largest that is parsed, 4 MB, takes less than two seconds. Then its symbols are not known.
pub(crate) const PARSE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a question waits for a server that still reads the project. Then the syntax trees answer, and the answer says so.
pub(crate) const READY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a server may take to answer once it is ready. The first search for all uses takes rust-analyzer four seconds, pyright twelve.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// How long to search the workspace's files for a name.
pub(crate) const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);

/// How long an edit waits for a server that still reads the project. An edit by a server that knows only a part would be made in part, so
/// the call fails then.
pub(crate) const EDIT_READY_TIMEOUT: Duration = Duration::from_secs(30);

/// How long fixes wait for the diagnostics that they are for. Without them, most servers offer none.
pub(crate) const FIX_DIAGNOSTICS_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a server may take to look at the files that are opened for a rename. What it does not know then, it leaves out, and that is
/// noticed.
pub(crate) const OPEN_FILES_TIMEOUT: Duration = Duration::from_secs(10);

/// The kernel's clock for files may be this much behind. A file that was written just before a question counts as written after it.
pub(crate) const FILE_TIME_STEP: Duration = Duration::from_millis(10);
