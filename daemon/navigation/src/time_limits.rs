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
