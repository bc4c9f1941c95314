//! What comes back while a model answers.
//!
//! Invariant: a stream of events is `(Started Delta* Ended)*` per part, parts may overlap, and ends in exactly one
//! `FinishedCommand` or one error. `RetryNotice` voids every part begun since the last `RetryNotice`; it never comes after a `Call` has
//! ended, so a call that was given out is never given out again.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::error::ModelError;
use crate::request::AssistantPart;

#[derive(Debug, Clone)]
pub enum ModelEvent {
    PartStarted {
        part: usize,
        kind: PartKind,
    },
    PartDelta {
        part: usize,
        text: String,
    },
    /// The part is complete; `content` is the whole of it.
    PartEnded {
        part: usize,
        content: AssistantPart,
    },
    Retry(RetryNotice),
    Finished(StreamFinish),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    Text,
    Reasoning,
    Call { id: String, name: String },
}

/// The attempt failed and another will be made, unless the stream is dropped before.
#[derive(Debug, Clone)]
pub struct RetryNotice {
    /// Which retry this is, from 1.
    pub attempt: u32,
    pub delay: Duration,
    /// When it will be made.
    pub retry_at: SystemTime,
    pub error: ModelError,
    /// What the failed attempt is known to have used.
    pub usage: TokenUsage,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StreamFinish {
    pub reason: FinishReason,
    pub usage: TokenUsage,
    /// US dollars, where the model's prices are known.
    pub cost: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It has said what it wanted to say.
    End,
    /// It waits for the results of its calls.
    Calls,
    /// It ran into the output limit; the last part may be cut.
    Length,
    /// It ran into the end of its context window.
    Context,
    /// The model or a filter of the provider refused.
    Refused,
    /// The provider asks to be called again with what there is (a long server-side step).
    Paused,
    /// The stream broke after complete calls had been received: they stand, the rest is lost.
    Broken,
}

/// Tokens of one request. `input` does not count what was read from or written to a cache; `output` includes
/// `reasoning`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    pub input: u64,
    pub output: u64,
    pub reasoning: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

impl TokenUsage {
    /// All that the model had before it when it began.
    pub fn prompt_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}
