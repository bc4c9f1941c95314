//! Events of a model's response stream.
//!
//! Invariant: each part's events are `PartStarted PartDelta* PartEnded`, parts may overlap, and the stream
//! ends in exactly one `Finished` or one error. `Retry` voids every part started since the last `Retry`. It
//! never follows a completed call, so the same call is never emitted twice.

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
    /// The part is complete; `content` is all of it.
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

/// The attempt failed; another follows unless the caller drops the stream.
#[derive(Debug, Clone)]
pub struct RetryNotice {
    /// Counts from 1.
    pub attempt: u32,
    pub delay: Duration,
    /// When the next attempt starts.
    pub retry_at: SystemTime,
    pub error: ModelError,
    /// Usage of the failed attempt, as far as known.
    pub usage: TokenUsage,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StreamFinish {
    pub reason: FinishReason,
    pub usage: TokenUsage,
    /// US dollars; `None` if the model's prices are unknown.
    pub cost: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The response is complete.
    End,
    /// The model waits for tool results.
    Calls,
    /// The output limit; the last part may be cut off.
    Length,
    /// The end of the context window.
    Context,
    /// The model or the provider's filter refused.
    Refused,
    /// The provider wants the request continued (a long server-side step).
    Paused,
    /// The stream broke after complete calls: the calls stand, the rest is lost.
    Broken,
}

/// Tokens of one request. `input` excludes cache reads and writes; `output` includes `reasoning`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    pub input: u64,
    pub output: u64,
    pub reasoning: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

impl TokenUsage {
    /// All tokens of the prompt, cached or not.
    pub fn prompt_tokens(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}
