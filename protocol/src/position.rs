//! Positions and ranges in documents, as in LSP.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A position between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct WirePosition {
    /// From 0.
    pub line: u32,
    /// From 0, in the position encoding that LSP negotiated.
    pub character: u32,
}

/// A range of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireRange {
    /// Its start.
    pub start: WirePosition,
    /// Its end, exclusive.
    pub end: WirePosition,
}

/// A range of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireLocation {
    /// The document.
    pub uri: String,
    /// The range in it.
    pub range: WireRange,
}
