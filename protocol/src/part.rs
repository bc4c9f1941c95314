//! The parts of a session, as clients get them. The daemon keeps a provider's own marks to itself.

use std::sync::Arc;

use copydesk_metadata::{CallMetadata, TaskUsage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::turn_end::TurnEndInfo;

/// One part of a session: a prompt, a text of the model, a call, …
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartInfo {
    /// Unique. Parts are ordered as they are sent, not by their ids.
    pub id: String,
    /// The session's id.
    pub session: String,
    /// The number of its turn, from 1.
    pub turn: u32,
    /// The number of its step, from 1 within the turn; 0 before the first model request.
    pub step: u32,
    /// When it began, in milliseconds since 1970.
    pub created: u64,
    /// When it last changed, in milliseconds since 1970.
    pub updated: u64,
    /// Its state.
    pub state: PartStateInfo,
    /// Its content.
    pub content: PartContentInfo,
}

/// The state of a part. The daemon has stored every completed part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PartStateInfo {
    /// It has not started.
    Pending,
    /// It has started.
    Running,
    /// It is done.
    Completed,
    /// It failed.
    Error {
        /// Why, for the user.
        message: String,
    },
    /// The daemon ended, or the user cancelled, while it ran.
    Interrupted,
}

/// The content of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PartContentInfo {
    /// A prompt.
    Prompt(PromptInfo),
    /// An image or a PDF that came with a prompt.
    File(MediaContent),
    /// The model's answer.
    Text(TextContent),
    /// The model's reasoning, as far as the provider shows it.
    Reasoning(TextContent),
    /// A tool call.
    Call(Box<CallInfo>),
    /// A model request starts.
    StepStart {
        /// `PROVIDER/MODEL`
        model: String,
    },
    /// A model request ended.
    StepFinish(StepFinishInfo),
    /// A model request failed, and the daemon will retry it.
    Retry {
        /// The number of the retry, from 1.
        attempt: u32,
        /// Why the request failed, for the user.
        message: String,
        /// When the daemon retries, in milliseconds since 1970.
        at: u64,
    },
    /// A note of the daemon that the model reads at its next step.
    Note(TextContent),
    /// For the model, a summary takes the place of the older part of the conversation. Nothing is removed for the user. While
    /// it runs, the summary is being written.
    Compaction(Box<CompactionInfo>),
    /// For the model, notes take the place of old outputs of calls. Nothing is removed for the user.
    Pruning(PruningInfo),
    /// The end of a turn that the model did not finish. The turn has no later part.
    TurnEnd {
        /// Why it ended.
        end: TurnEndInfo,
    },
}

/// A compaction of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompactionInfo {
    /// Why it is made.
    pub reason: CompactionReasonInfo,
    /// What the model reads instead; empty while it is being written.
    pub summary: String,
    /// The model that wrote the summary, as `PROVIDER/MODEL`; none if the daemon made it by rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why the model's own summary does not count, for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// About how many tokens a request had before.
    pub tokens_before: u64,
    /// About how many tokens it has now; 0 while the summary is being written.
    pub tokens_after: u64,
    /// What the provider charged for the summary, in US dollars, if the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Old outputs that the model does not read any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PruningInfo {
    /// How many there are.
    pub outputs: u64,
    /// About how many tokens a request had before.
    pub tokens_before: u64,
    /// About how many tokens it has now.
    pub tokens_after: u64,
}

/// Why a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompactionReasonInfo {
    /// It comes near the end of the model's context.
    Full,
    /// The provider refused a request because it was too long.
    Refused,
    /// The user asked for it, with the prompt `/compact`.
    Asked,
}

/// A prompt of the user, or of the agent that called a subagent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptInfo {
    /// Its text.
    pub text: String,
    /// It arrived during the turn and joined it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steers: bool,
    /// The path and lines of each piece of context that goes with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
}

/// An image or a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MediaContent {
    /// The MIME type, such as `image/png`.
    pub mime: String,
    /// The bytes, as base64 with padding.
    pub base64: Arc<str>,
    /// The name of the file, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextContent {
    /// Markdown if the model wrote it.
    pub text: String,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallInfo {
    /// The model's id of this call, unique within its step.
    pub call: String,
    /// The tool's name; `invalid` if the model named none that we know.
    pub name: String,
    /// JSON as the model wrote it; once the call runs, as the daemon read it. Incomplete while the model writes it.
    pub arguments: String,
    /// The part of the call that made this one, such as a `batch`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The `metadata` of the running call's last `progress` event.
    #[serde(default, skip_serializing_if = "CallMetadata::is_empty")]
    pub progress: CallMetadata,
    /// Its output; missing until it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<CallOutputInfo>>,
}

/// The output of a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallOutputInfo {
    /// One line for the user.
    pub title: String,
    /// What the model reads.
    pub output: String,
    /// Whether the call failed, as the model sees it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// What the user is shown.
    #[serde(default, skip_serializing_if = "CallMetadata::is_empty")]
    pub metadata: CallMetadata,
    /// Images and PDFs that the call returned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<MediaContent>,
    /// How long the call took.
    pub milliseconds: u64,
}

/// How a model request ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepFinishInfo {
    /// Why the model stopped.
    pub stop: StopReasonInfo,
    /// The tokens it used.
    pub usage: UsageInfo,
    /// The cost in US dollars, if the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// What fills the model's context with this request and its response; missing in sessions of older daemons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextUseInfo>,
}

/// What fills the model's context, in tokens. The sum is the provider's count if it counts; the shares are estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextUseInfo {
    /// The size of the context, as far as known.
    pub window: u64,
    /// The system prompt, with the instruction files.
    pub system: u64,
    /// The descriptions of the tools.
    pub tools: u64,
    /// What `read` returned, and what the user attached.
    pub files: u64,
    /// The outputs of the other calls.
    pub outputs: u64,
    /// Prompts, notes, and what the model wrote.
    pub conversation: u64,
    /// The summary of the older part.
    pub summary: u64,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StopReasonInfo {
    /// It finished its answer.
    End,
    /// It waits for the results of its calls.
    Calls,
    /// It reached the output limit; the last part may be incomplete.
    Length,
    /// It reached the end of its context window.
    Context,
    /// The model or a filter of the provider refused.
    Refused,
    /// The provider asks for another request.
    Paused,
    /// The stream broke after complete calls: those are kept, the rest is lost.
    Broken,
}

/// The tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageInfo {
    /// Read by the model, without those read from or written to a cache.
    pub input: u64,
    /// Written by the model, including its reasoning.
    pub output: u64,
    /// Written as reasoning.
    pub reasoning: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
    pub cache_write: u64,
}

/// The metadata of a `task` call has the subagent's tokens.
impl From<TaskUsage> for UsageInfo {
    fn from(usage: TaskUsage) -> Self {
        let TaskUsage { input, output, reasoning, cache_read, cache_write } = usage;
        Self { input, output, reasoning, cache_read, cache_write }
    }
}
