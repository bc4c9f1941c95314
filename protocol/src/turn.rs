//! Prompts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;
use crate::part::MediaContent;
use crate::position::WireRange;

/// What a person asks of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnParams {
    /// The session's id.
    pub session: String,
    /// The words.
    pub text: String,
    /// Images and PDFs.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub files: Vec<MediaContent>,
    /// What the person pointed at.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub context: Vec<ContextItem>,
}

/// Something the person pointed at: a file, a stretch of it, or words from elsewhere in the editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextItem {
    /// The document.
    pub uri: String,
    /// Where in it; the whole where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::nested")]
    pub range: Option<WireRange>,
    /// The text as the person saw it; where it is missing, the desk reads the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What became of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnStartResult {
    /// It waits for the end of the running turn.
    pub queued: bool,
    /// The id of the part that the prompt will be. The event `turnStarted` of its turn names it.
    pub prompt: String,
}

/// What became of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnSteerResult {
    /// It joins the running turn; otherwise it began one.
    pub joined: bool,
    /// The id of the part that the prompt will be.
    pub prompt: String,
}
