//! Reading and searching: `read`, `list`, `glob`, `grep`, `lsp`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// Lines of a text that `read` showed the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextPageMetadata {
    /// The first line, from 1.
    pub first: u64,
    /// The last line.
    pub last: u64,
    /// How many lines the file has.
    pub total: u64,
    /// Whether the file goes on after the last line.
    pub truncated: bool,
}

/// An image or a PDF that `read` showed the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MediaFileMetadata {
    /// Such as `image/png`.
    pub mime: String,
}

/// Files and folders that `glob`, `list` or `read` listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileListMetadata {
    /// How many are listed.
    pub count: u64,
    /// Whether there are more.
    pub truncated: bool,
}

/// Places in code that `lsp` found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodePlacesMetadata {
    /// Those that are listed, at most 200.
    #[serde(deserialize_with = "lenient::objects")]
    pub places: Vec<CodePlaceMetadata>,
    /// How many there are.
    pub matches: u64,
    /// Whether there are more than listed.
    pub truncated: bool,
    /// What the call waits for, while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub waiting: Option<String>,
}

/// A place in code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodePlaceMetadata {
    /// The absolute path.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
    /// The text of the line, or the name of what is there.
    pub text: String,
}

/// Lines that `grep` found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextSearchMetadata {
    /// How many are listed.
    pub matches: u64,
    /// Whether there are more.
    pub truncated: bool,
}
