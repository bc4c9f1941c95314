//! Every time limit of a session, with its reason.

use std::time::Duration;

/// Calls that end within this time are stored with one write, which takes longer than that. No view sees a call end before
/// it is stored.
pub(crate) const CALL_BATCH_TIME: Duration = Duration::from_millis(1);

/// How long to wait for an earlier claim of this process, which ends soon by itself. Then the session counts as in use.
pub(crate) const CLAIM_TIMEOUT: Duration = Duration::from_secs(5);

/// The pause between two attempts to claim a session.
pub(crate) const CLAIM_RETRY_PAUSE: Duration = Duration::from_millis(2);

/// How long a search for instruction files may take: the user waits for it. What it has found by then counts.
pub(crate) const INSTRUCTIONS_SEARCH_TIMEOUT: Duration = Duration::from_secs(5);

/// A text that the model is writing is stored this long after it has grown: at most so much of it is lost with the process.
pub(crate) const DRAFT_INTERVAL: Duration = Duration::from_secs(1);

/// A slow disk gets drafts less often: storing them takes at most one part in so many of the time.
pub(crate) const DRAFT_COST_DIVISOR: u32 = 20;

/// How long a provider keeps what it has read of a conversation, if it does not say: Anthropic's and OpenAI's usual time.
pub(crate) const PROMPT_CACHE_TTL: Duration = Duration::from_mins(5);
