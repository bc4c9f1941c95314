//! Reading and searching: `read`, `list`, `glob`, `grep`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// Lines that `grep` found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextSearchMetadata {
    /// How many are listed.
    pub matches: u64,
    /// Whether there are more.
    pub truncated: bool,
}
