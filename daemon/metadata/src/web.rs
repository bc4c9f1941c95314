//! The web: `webfetch`, `websearch`, `codesearch`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// What `webfetch` loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebPageMetadata {
    /// The address, after redirects.
    pub url: String,
    /// The title of an HTML page.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub title: Option<String>,
    /// The media type; may be empty.
    #[serde(rename = "type")]
    pub mime: String,
    /// The size of the body.
    pub bytes: u64,
    /// The HTTP status.
    pub status: u16,
}

/// What `websearch` or `codesearch` found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebSearchMetadata {
    /// What was searched for.
    pub query: String,
    /// How many results there are; missing if the search engine does not say.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub count: Option<u64>,
}
