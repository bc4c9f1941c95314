//! Whether the user trusts a folder. In an untrusted one nothing that lies in it runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the user says about a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustSetParams {
    /// The folder, which may lie above a repository. Without it, the repository of the client's first workspace folder. The answer
    /// counts for all below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whether the user trusts it.
    pub trusted: bool,
    /// The editor asked the user itself, some time ago. The answer counts for the repository that contains the folder, and only if the
    /// user has not answered here: the configuration may have changed since, or the user their mind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passed_on: bool,
}

/// Whether the user trusts a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrustInfo {
    /// The folder whose trust counts: the root of the repository, or the folder itself.
    pub folder: String,
    /// What the user said. It counts from the next prompt on.
    pub trust: TrustState,
}

/// What the user said about a folder, or about one above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TrustState {
    /// The user trusts it.
    Trusted,
    /// The user was asked and does not.
    Restricted,
    /// The user has not been asked. A client that can ask does so before its first prompt.
    Unasked,
}
