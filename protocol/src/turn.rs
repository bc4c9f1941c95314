//! Prompts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;
use crate::part::MediaContent;
use crate::position::WireRange;
use crate::turn_end::TurnEndInfo;

/// A running call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnStopCallParams {
    /// The session's id.
    pub session: String,
    /// The id of the call's part.
    pub part: String,
}

/// A prompt to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnParams {
    /// The session's id.
    pub session: String,
    /// Its text.
    pub text: String,
    /// Images and PDFs.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub files: Vec<MediaContent>,
    /// What the user points at.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub context: Vec<ContextItem>,
    /// The id of an earlier prompt, of any session, whose context and files go with this one, too. A piece that `context`
    /// names is not repeated, nor is a file of `files`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_of: Option<String>,
    /// The client answers the asks of this turn by itself; no user sees them. So the daemon does not check edits before it asks.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unattended: bool,
}

/// Something that the user points at: a document, a range of it, or another text in the editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextItem {
    /// The document.
    pub uri: String,
    /// The range in it; by default the whole document.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::nested")]
    pub range: Option<WireRange>,
    /// The text as the user saw it; by default the daemon reads the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What happened to a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnStartResult {
    /// Whether it waits for the end of the running turn.
    pub queued: bool,
    /// The id of the prompt's part. The event `turnStarted` of its turn names it.
    pub prompt: String,
}

/// What happened to a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnSteerResult {
    /// Whether it joined the running turn; if not, it started one.
    pub joined: bool,
    /// The id of the prompt's part.
    pub prompt: String,
}

/// What a client needs that missed events of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastTurnInfo {
    /// Its number.
    pub turn: u32,
    /// The id of its prompt.
    pub prompt: String,
    /// Why it ended; missing while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<TurnEndInfo>,
}
