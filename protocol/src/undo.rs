//! Taking back what the agent did to files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What to take back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UndoParams {
    /// The session's id.
    pub session: String,
    /// How much.
    pub what: UndoScope,
}

/// How much to take back. What a person wrote is never taken along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UndoScope {
    /// What one call did: the id of its part.
    Call(String),
    /// What one turn did: its number.
    Turn(u32),
    /// What was done after a part: its id.
    After(String),
}

/// What became of it, file by file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UndoResult {
    /// Empty where there was nothing to take back.
    pub files: Vec<UndoneFile>,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UndoneFile {
    /// The document.
    pub uri: String,
    /// What became of it.
    pub outcome: UndoOutcome,
    /// Why, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What became of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum UndoOutcome {
    /// What the agent did is taken back.
    Undone,
    /// A person has since changed the same lines; the file is left as it is.
    Conflict,
    /// The file is not there any more.
    Gone,
    /// There was nothing of it left to take back.
    Unchanged,
}
