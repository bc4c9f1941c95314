//! Every time limit of diagnostics, with its reason. Language servers have their own, in `copydesk-servers`.

use std::time::Duration;

/// How long an edit waits for diagnostics if the configuration does not say. Then the model continues, and what comes
/// later becomes a late report.
pub const DEFAULT_WAIT: Duration = Duration::from_secs(3);

/// How many times as long a change waits that other files depend on: a command, a deletion, a move, a configuration. Servers and
/// compilers need longer for it, and a model that is told nothing runs the compiler itself, which takes as long.
pub(crate) const WIDE_CHANGE_FACTOR: u32 = 3;

/// How long a grammar gets for one text even if the other sources have taken all the time. It needs little. Then the text
/// counts as unknown.
pub(crate) const SYNTAX_TIMEOUT: Duration = Duration::from_millis(50);

/// What the tracker keeps of its time for grammars: one text after the edit, one before it.
pub(crate) const SYNTAX_RESERVE: Duration = SYNTAX_TIMEOUT.saturating_mul(2);

/// The longest that one text is parsed. Then it counts as unknown.
pub(crate) const PARSE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a syntax tree is kept without a question about it. Then it is dropped, for its memory.
pub(crate) const SYNTAX_TREE_IDLE_TIME: Duration = Duration::from_secs(120);

/// How long an editor may take to say whether it serves a project, if no call waits for it. Then it does not count.
pub(crate) const EDITOR_TIMEOUT: Duration = Duration::from_secs(3);

/// How long to wait, before a command runs, for the servers to learn of earlier changes. Then the command starts, and its
/// baseline is less certain.
pub(crate) const CHECKPOINT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long editors may take to reload what a command changed. One in which a user has typed does not reload; then the
/// report says that the editor has another text.
pub(crate) const RELOAD_TIMEOUT: Duration = Duration::from_millis(300);

/// How often the tracker checks whether they have, and the least time for such a check.
pub(crate) const RELOAD_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How long a late report is waited for: a server takes minutes to read a large project. Then there is none.
pub(crate) const LATE_TIMEOUT: Duration = Duration::from_secs(300);

/// How long the warm-up gathers files before it asks about them. All reads of one step fall into it, and no model answers
/// sooner.
pub(crate) const WARM_UP_DEBOUNCE: Duration = Duration::from_millis(5);

/// How long a checker's run waits for more files to be saved, so that one run serves all of them.
pub(crate) const CHECKER_DEBOUNCE: Duration = Duration::from_millis(100);

/// How long a checker may run if neither the table nor the configuration says. Then it is killed, and its files count as
/// unknown.
pub(crate) const CHECKER_TIMEOUT: Duration = Duration::from_secs(60);
