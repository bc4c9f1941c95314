//! Inline edits: a person selects, says what to do, and decides on what comes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;
use crate::position::WireRange;

/// What to rewrite, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InlineStartParams {
    /// The session whose model writes. What it says is not part of the conversation.
    pub session: String,
    /// The document.
    pub uri: String,
    /// What was selected.
    pub range: WireRange,
    /// What the person wants.
    pub instruction: String,
}

/// Where the edit will be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InlineStartResult {
    /// The review in which it stands, `before`, and grows as the model writes.
    pub review: String,
}

/// What else the person wants of an inline edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InlineRefineParams {
    /// The session's id.
    pub session: String,
    /// The review of the edit.
    pub review: String,
    /// What to change about it; without words the model tries again.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::words")]
    pub instruction: Option<String>,
}

/// An inline edit that is not wanted any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InlineCancelParams {
    /// The session's id.
    pub session: String,
    /// The review of the edit.
    pub review: String,
}
