//! Permission: a call that waits for a person's word.

use copydesk_metadata::PermissionAskMetadata;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// What a call wants to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionAskInfo {
    /// The ask's id. The same ask may come more than once, when a client attaches again.
    pub ask: String,
    /// The id of the call's part, whose event may come later than the ask.
    pub part: String,
    /// The key of the rule that asks, such as `bash` or `edit`.
    pub key: String,
    /// What is to be allowed: each path, each command.
    pub patterns: Vec<String>,
    /// What `always` would allow from now on; empty where that cannot be said, and then `always` is not offered.
    pub always: Vec<String>,
    /// One line for the person.
    pub title: String,
    /// What the user is shown.
    #[serde(default, skip_serializing_if = "PermissionAskMetadata::is_empty")]
    pub metadata: PermissionAskMetadata,
}

/// An ask and its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionAskParams {
    /// The session's id.
    pub session: String,
    /// What is asked.
    #[serde(flatten)]
    pub ask: PermissionAskInfo,
}

/// What a person replied, or that nobody did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reply", rename_all = "camelCase")]
pub enum PermissionReply {
    /// This time.
    Once,
    /// This time, and whatever the ask has under `always` for as long as the session remembers.
    Always,
    /// No. With a reason the model is told it and goes on; without one the turn stops.
    Reject {
        /// What the model is told. One without words is none.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::words")]
        reason: Option<String>,
    },
    /// Nobody is at this client who could be asked, as where a script prompts: the call is refused, and the model is told why and
    /// goes on.
    Nobody,
    /// No reply from this client: the ask was settled, or its window was closed. It stays open for others.
    Cancelled,
}

/// An ask that needs no reply any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionSettledParams {
    /// The session's id.
    pub session: String,
    /// The ask's id.
    pub ask: String,
    /// The name of the client that replied; missing where it was this one, or where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}
