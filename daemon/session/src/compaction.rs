//! Compaction: for the model, a summary takes the place of the older part of a conversation.
//!
//! Nothing is removed: the parts stay in the store, where they can be read, searched, undone and forked from. The user's own prompts
//! and the last steps stay word for word. A summary that is empty, cut off, or not smaller than what it replaces does not count; then
//! the program makes one by rule, so a conversation can always be made shorter.
//!
//! Pruning comes before: notes take the place of old outputs of calls. It removes nothing, either.

pub(crate) mod context_meter;
pub(crate) mod context_use;
pub(crate) mod plan;
pub(crate) mod pruning;
pub(crate) mod pruning_note;
pub(crate) mod rule_summary;
#[cfg(test)]
pub(crate) mod sample_parts;

use crate::data::CompactionPart;

impl CompactionPart {
    /// The summary as the model reads it, behind the prompts and before the parts that stay.
    pub(crate) fn note(&self) -> String {
        let prompts = if self.prompts.is_empty() {
            ""
        } else {
            " The user's newest prompts stand above, word for word."
        };
        let follows = if self.kept_from.is_some() { "What follows is word for word, and newer." } else { "" };
        format!(
            "The older part of this conversation did not fit any more. A summary takes its place.{prompts} {follows} Files may have \
             changed since: read what you edit. Go on with the work where it stands; do not begin again, and do not remark on this \
             note.\n\n{}",
            self.whole_summary()
        )
    }

    /// The summary with what the daemon adds to it.
    pub fn whole_summary(&self) -> String {
        let texts = [self.summary.as_str(), self.state.as_str()];
        texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

/// The user's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionSettings {
    /// Whether a conversation is compacted by itself when it comes near the end of the model's context.
    pub is_automatic: bool,
    /// Whether old outputs are left out of requests when that pays.
    pub prunes: bool,
    /// How many tokens stay free; none: as many as the response may have, but no more than a fifth.
    pub reserved: Option<u64>,
}

/// What fits the model's context, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContextBudget {
    pub(crate) window: u64,
    /// A request of more tokens leaves too little for the response.
    pub(crate) limit: u64,
}

/// The share of the window that is kept for the response, at most.
const MAX_RESERVE_SHARE: u64 = 5;
/// And at least: a summary needs room.
const MIN_RESERVE_SHARE: u64 = 10;
/// The share of the window that an estimate may be off by.
pub(crate) const ERROR_SHARE: u64 = 100;
/// Tokens are about four bytes.
pub(crate) const BYTES_PER_TOKEN: u64 = 4;

impl ContextBudget {
    /// `output` is the response limit of the model.
    pub(crate) fn new(window: u64, output: u64, reserved: Option<u64>) -> Self {
        let usual = output.max(window / MIN_RESERVE_SHARE).min(window / MAX_RESERVE_SHARE);
        let reserve = reserved.unwrap_or(usual).min(window / 2);
        Self { window, limit: window.saturating_sub(reserve + window / ERROR_SHARE) }
    }

    /// What the kept steps may have.
    pub(crate) fn tail(self) -> u64 {
        (self.window / 7).min(20_000)
    }

    /// What the kept prompts may have.
    pub(crate) fn prompts(self) -> u64 {
        (self.window / 8).min(20_000)
    }
}
