//! Documents on the disk and in the editor, where LSP's own messages do not reach.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file that was changed on the disk, by the desk or by a command of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentChangedParams {
    /// The file.
    pub uri: String,
    /// What was done to it.
    pub reason: ChangeReason,
}

/// What was done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeReason {
    /// It was made, or a command changed it and nobody knows whether it was there before.
    Created,
    /// It has another content.
    Written,
    /// It is not there any more.
    Deleted,
}

/// What to save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentSaveParams {
    /// The document.
    pub uri: String,
}

/// Whether it is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentSaveResult {
    /// Whether the disk has the document's text now.
    pub saved: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
