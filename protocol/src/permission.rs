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
    /// As `careful`, but commands that only read run unasked, and so do those in the sandbox that change no files by their own words.
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
#[serde(rename_all = "camelCase")]
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
    /// Whether `always` may be replied with the scope `project`: the user trusts the folder, and a project may keep such a reply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub project_always: bool,
    /// Why the daemon did not accept this client's last reply. The client asks again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
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

/// Where a reply of `always` counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AlwaysScopeInfo {
    /// In this session.
    #[default]
    Session,
    /// In every session of the project, while the user trusts it. The daemon keeps it outside the repository.
    Project,
}

impl AlwaysScopeInfo {
    fn is_session(&self) -> bool {
        *self == Self::Session
    }
}

/// The reply of the user, or of a client without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reply", rename_all = "camelCase")]
pub enum PermissionReply {
    /// Allow it this time.
    Once,
    /// Allow it this time, and more from now on. If the daemon cannot accept the patterns, it sends the ask again with a `problem`.
    Always {
        /// Where it counts.
        #[serde(default, skip_serializing_if = "AlwaysScopeInfo::is_session")]
        scope: AlwaysScopeInfo,
        /// What to allow: the user's own list. By default what the ask lists as `always`. It need not match this call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        patterns: Option<Vec<String>>,
    },
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

/// The project whose replies to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionListParams {
    /// A folder of the project. By default the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// What the user always allows in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionListResult {
    /// The root of the project.
    pub project: String,
    /// Whether the user trusts it. If not, the project's replies do not count.
    pub trusted: bool,
    /// Those of the project, then those of its running sessions.
    pub replies: Vec<KeptReplyInfo>,
}

/// One pattern that the user always allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptReplyInfo {
    /// The key of the rules, such as `bash`.
    pub key: String,
    /// What is allowed.
    pub pattern: String,
    /// Where it counts.
    pub scope: AlwaysScopeInfo,
    /// The session, for the scope `session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When the user allowed it, in milliseconds since 1970; for the scope `project`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
}

/// Which replies to take back: all of the project and its running sessions that have the given properties.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionRevokeParams {
    /// A folder of the project. By default the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Only this pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Only this key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Only this scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<AlwaysScopeInfo>,
    /// Of the sessions, only this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The replies that were taken back. A waiting call is not affected; the next one is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionRevokeResult {
    /// In the order of the list.
    pub revoked: Vec<KeptReplyInfo>,
}

/// A call to explain without making it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionExplainParams {
    /// Where the call would be made. By default the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The key of the rules: `bash`, `read`, `edit`, `webfetch`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The command, the path or the address. Without `key` as a user types it: such a key and then the call, else a command.
    pub target: String,
    /// For this agent. By default the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Under this preset. By default the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<PermissionPresetInfo>,
}

/// What the rules decide about a call. Replies for a session do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionExplainResult {
    /// The strictest of all decisions.
    pub action: PermissionActionInfo,
    /// The agent whose rules count.
    pub agent: String,
    /// The preset that counts.
    pub preset: PermissionPresetInfo,
    /// Each part of the call. All must be allowed.
    pub decisions: Vec<PermissionDecisionInfo>,
    /// What `always` would allow.
    pub always: Vec<String>,
    /// Where a command would run, if the sandbox is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<PermissionSandboxInfo>,
    /// What the rules alone do not decide, in sentences.
    pub notes: Vec<String>,
}

/// Where a command would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionSandboxInfo {
    /// Whether it would run in the sandbox.
    pub sandboxed: bool,
    /// A sentence: with which rights, or why not in the sandbox.
    pub what: String,
}

/// What is decided about one path or command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PermissionDecisionInfo {
    /// The key of the rules.
    pub key: String,
    /// The path, or the command as it was understood.
    pub pattern: String,
    /// What happens.
    pub action: PermissionActionInfo,
    /// The rule that decides, and where it stands.
    pub why: String,
}

/// Whether a call runs without asking, after asking, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PermissionActionInfo {
    /// It runs without asking.
    Allow,
    /// The user is asked.
    Ask,
    /// It does not run.
    Deny,
}
