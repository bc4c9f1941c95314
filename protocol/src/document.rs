//! Documents on the disk and in the editor, for which LSP has no message.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file that the daemon, or a command of the agent, changed on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentChangedParams {
    /// The file.
    pub uri: String,
    /// How it changed.
    pub reason: ChangeReason,
}

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ChangeReason {
    /// It was created, or a command changed it and it may be new.
    Created,
    /// Its content changed.
    Written,
    /// It was deleted.
    Deleted,
}

/// The text of a document in the editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentVerifyParams {
    /// The document.
    pub uri: String,
    /// Its version.
    pub version: i32,
    /// The length of the text in bytes of UTF-8, with its line ends.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal. It may be missing; then only the length is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// Whether the daemon has the same text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentVerifyResult {
    /// False if its text of this version is another. Then the client closes the document and opens it again.
    pub same: bool,
}

/// What to save.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentSaveParams {
    /// The document.
    pub uri: String,
}

/// Whether the document is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentSaveResult {
    /// Whether the file now has the document's text.
    pub saved: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}
