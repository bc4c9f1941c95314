//! What a session is made of, as a client is shown it. A provider's own marks stay with the desk.

use std::sync::Arc;

use copydesk_metadata::{CallMetadata, TaskUsage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartInfo {
    /// Unique; the order of parts is that in which they are sent, not that of their ids.
    pub id: String,
    /// The session's id.
    pub session: String,
    /// The number of its turn, from 1.
    pub turn: u32,
    /// The number of its step, from 1 within the turn; 0 for what came before the first request to the model.
    pub step: u32,
    /// When it began, in milliseconds since 1970.
    pub created: u64,
    /// When it last changed, in milliseconds since 1970.
    pub updated: u64,
    /// Where it is on its way.
    pub state: PartStateInfo,
    /// What it is.
    pub content: PartContentInfo,
}

/// Where a part is on its way. One that is completed is on the desk's disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PartStateInfo {
    /// It has not begun.
    Pending,
    /// It is under way.
    Running,
    /// It is done.
    Completed,
    /// It failed.
    Error {
        /// Why, for a person.
        message: String,
    },
    /// The desk ended, or the person cancelled, while it ran.
    Interrupted,
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PartContentInfo {
    /// What a person asked.
    Prompt(PromptInfo),
    /// An image or a PDF that came with a prompt.
    File(MediaContent),
    /// What the model said.
    Text(TextContent),
    /// What the model let us see of its thinking.
    Reasoning(TextContent),
    /// A call of a tool.
    Call(Box<CallInfo>),
    /// A request to the model begins.
    StepStart {
        /// `PROVIDER/MODEL`
        model: String,
    },
    /// A request to the model is answered.
    StepFinish(StepFinishInfo),
    /// A request to the model failed, and another attempt will be made.
    Retry {
        /// Which retry this is, from 1.
        attempt: u32,
        /// What went wrong, for a person.
        message: String,
        /// When the next attempt is made, in milliseconds since 1970.
        at: u64,
    },
    /// Something the model is told at its next step without anybody having said it.
    Note(TextContent),
}

/// What a person, or an agent in a person's place, asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptInfo {
    /// The words.
    pub text: String,
    /// It came while the turn ran, and joined it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steers: bool,
}

/// An image or a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MediaContent {
    /// Such as `image/png`.
    pub mime: String,
    /// The bytes, in base64 with padding.
    pub base64: Arc<str>,
    /// The name of the file, where it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextContent {
    /// The words, Markdown where the model wrote them.
    pub text: String,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallInfo {
    /// The model's name for this call, unique within its step.
    pub call: String,
    /// The tool's name; `invalid` where there is none that could have been meant.
    pub name: String,
    /// JSON as the model wrote it, and once the call is made as it was understood. While it is being written it is no valid
    /// JSON.
    pub arguments: String,
    /// The part of the call that stands for this one, as `batch` does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What the running call showed last: the `metadata` of its last `progress` event.
    #[serde(default, skip_serializing_if = "CallMetadata::is_empty")]
    pub progress: CallMetadata,
    /// What came of it; missing until something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Box<CallOutputInfo>>,
}

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallOutputInfo {
    /// One line for the person.
    pub title: String,
    /// What the model reads.
    pub output: String,
    /// Whether the model is told that the call failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// What the user is shown.
    #[serde(default, skip_serializing_if = "CallMetadata::is_empty")]
    pub metadata: CallMetadata,
    /// Images and PDFs that the call gave back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<MediaContent>,
    /// How long it took.
    pub milliseconds: u64,
}

/// How a request to the model ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepFinishInfo {
    /// Why the model stopped.
    pub stop: StopReasonInfo,
    /// What was used.
    pub usage: UsageInfo,
    /// US dollars, where the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StopReasonInfo {
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
    /// The provider asks to be called again.
    Paused,
    /// The stream broke after complete calls had been received: they stand, the rest is lost.
    Broken,
}

/// Tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageInfo {
    /// Read by the model, without what a cache had or took.
    pub input: u64,
    /// Written by the model, its reasoning included.
    pub output: u64,
    /// Written as reasoning.
    pub reasoning: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
    pub cache_write: u64,
}

/// A task tells its tokens in its metadata.
impl From<TaskUsage> for UsageInfo {
    fn from(usage: TaskUsage) -> Self {
        let TaskUsage { input, output, reasoning, cache_read, cache_write } = usage;
        Self { input, output, reasoning, cache_read, cache_write }
    }
}
