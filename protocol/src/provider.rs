//! The providers of models, and the keys that the user stores for them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose providers to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderListParams {
    /// The folder whose configuration applies; by default the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The providers, usable or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderListResult {
    /// Usable ones first. Servers of the daemon's machine are listed if they answer or are configured; the built-in model is not.
    pub providers: Vec<ProviderInfo>,
}

/// A provider of models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInfo {
    /// As in `PROVIDER/MODEL`.
    pub id: String,
    /// Its name for users.
    pub name: String,
    /// It is a server on the daemon's machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// Its models can be used now.
    pub usable: bool,
    /// Where the key in use comes from, if there is one. Never the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What the user must do before it is usable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The page where users create a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_page: Option<String>,
}

/// A key that the user has typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderSetKeyParams {
    /// The provider's id.
    pub provider: String,
    /// The key. The client keeps no copy and does not log it.
    #[schemars(with = "String")]
    pub key: TypedKey,
}

/// The text of a key, which no log shows.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TypedKey(pub String);

impl fmt::Debug for TypedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// The key is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderSetKeyResult {
    /// It replaced another one.
    pub replaced: bool,
    /// Where the key in use comes from, if another one takes precedence over this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overridden_by: Option<String>,
}
