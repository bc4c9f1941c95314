//! Undo of the agent's edits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to revert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UndoParams {
    /// The session's id.
    pub session: String,
    /// Which edits. Without it, those of the last turn whose edits are not all undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<UndoScope>,
}

/// Which of the agent's edits to revert. The user's own edits always stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UndoScope {
    /// The edits of one call: the id of its part.
    Call(String),
    /// The edits of one turn: its number.
    Turn(u32),
    /// The edits after a part: its id.
    After(String),
}

/// The outcome for each file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UndoResult {
    /// Empty if there was nothing to revert.
    pub files: Vec<UndoneFile>,
    /// The turn that was found, if the request did not say which edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
}

/// The outcome for one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UndoneFile {
    /// The document.
    pub uri: String,
    /// The outcome.
    pub outcome: UndoOutcome,
    /// Why, for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The outcome for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UndoOutcome {
    /// The agent's edits are reverted.
    Undone,
    /// The user has changed the same lines since; the file stays as it is.
    Conflict,
    /// The file does not exist any more.
    Gone,
    /// None of the agent's edits were left to revert.
    Unchanged,
}
