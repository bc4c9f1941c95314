//! Permission: calls that wait for the user's approval.

use copydesk_metadata::PermissionAskMetadata;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// What runs unasked, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PermissionPresetInfo {
    /// Everything that changes or runs something asks.
    Careful,
    /// As `careful`, but commands that only read run unasked.
    Normal,
    /// Edits and commands inside the workspace run unasked; secrets, the network and other folders ask.
    Trusting,
}

/// The preset of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSetPresetParams {
    /// The session's id.
    pub session: String,
    /// From the next call on; by default the configuration decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<PermissionPresetInfo>,
}

/// What a call wants to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionAskInfo {
    /// The ask's id. A client that attaches again gets the same ask again.
    pub ask: String,
    /// The id of the call's part, whose event may arrive after the ask.
    pub part: String,
    /// The key of the rule that asks, such as `bash` or `edit`.
    pub key: String,
    /// What the call needs: each path, each command.
    pub patterns: Vec<String>,
    /// What `always` would allow from now on. If it is empty, the client does not offer `always`.
    pub always: Vec<String>,
    /// One line for the user.
    pub title: String,
    /// The rule that asks, and where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the user is shown.
    #[serde(default, skip_serializing_if = "PermissionAskMetadata::is_empty")]
    pub metadata: PermissionAskMetadata,
}

/// An ask and its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionAskParams {
    /// The session's id.
    pub session: String,
    /// The ask.
    #[serde(flatten)]
    pub ask: PermissionAskInfo,
}

/// The reply of the user, or of a client without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reply", rename_all = "camelCase")]
pub enum PermissionReply {
    /// Allow it this time.
    Once,
    /// Allow it this time, and what the ask lists as `always` from now on in this session.
    Always,
    /// Reject it. With a reason, the model is told and continues; without one, the turn stops.
    Reject {
        /// For the model. Blank counts as missing.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::words")]
        reason: Option<String>,
    },
    /// This client has no user, as when a script prompts. The daemon rejects the call; the model is told why and continues.
    Nobody,
    /// No reply from this client: the ask was settled, or the user closed its window. It stays open for other clients.
    Cancelled,
}

/// A settled ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionSettledParams {
    /// The session's id.
    pub session: String,
    /// The ask's id.
    pub ask: String,
    /// The name of the client that replied; missing if it was this one or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}
