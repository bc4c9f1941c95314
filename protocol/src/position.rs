//! Places in documents, as LSP has them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct WirePosition {
    /// From 0.
    pub line: u32,
    /// From 0, in the position encoding that LSP negotiated.
    pub character: u32,
}

/// A stretch of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireRange {
    /// Where it begins.
    pub start: WirePosition,
    /// Where it ends; what stands there is not part of it.
    pub end: WirePosition,
}

/// A stretch of text in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WireLocation {
    /// The document.
    pub uri: String,
    /// Where in it.
    pub range: WireRange,
}
