//! Inline edits: the user selects a range, says what to do, and reviews the result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;
use crate::position::WireRange;

/// What to rewrite, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InlineStartParams {
    /// The session whose model writes. The edit is not part of the conversation.
    pub session: String,
    /// The document.
    pub uri: String,
    /// The selection.
    pub range: WireRange,
    /// The user's instruction; empty if there is a text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    /// The replacement, if it is written already, such as code from the conversation. Then no model is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The review of the edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InlineStartResult {
    /// The id of a review `before`, which grows as the model writes.
    pub review: String,
}

/// How to change an inline edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InlineRefineParams {
    /// The session's id.
    pub session: String,
    /// The review of the edit.
    pub review: String,
    /// What to change; if blank or missing, the model tries again.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::words")]
    pub instruction: Option<String>,
}

/// The inline edit to drop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InlineCancelParams {
    /// The session's id.
    pub session: String,
    /// The review of the edit.
    pub review: String,
}
