//! Sessions, and what a client can do with them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::job::JobInfo;
use crate::part::PartInfo;
use crate::permission::{PermissionAskInfo, PermissionPresetInfo};
use crate::question::QuestionAskInfo;
use crate::review::{FeedbackInfo, ReviewTimingInfo};
use crate::trust::TrustInfo;
use crate::turn::LastTurnInfo;

/// A conversation with an agent. The daemon owns it; it outlives every window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// Unique; later ones sort after earlier ones.
    pub id: String,
    /// The folder it works in: an absolute path on the daemon's machine.
    pub folder: String,
    /// Missing until the session has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The agent's name.
    pub agent: String,
    /// `PROVIDER/MODEL`, if the user chose one for this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The session whose call started this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// When its edits are reviewed, if the user chose that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewTimingInfo>,
    /// What runs unasked, if the user chose that for this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<PermissionPresetInfo>,
    /// What runs unasked: the user's choice or else the configuration's, as far as the trust of the folder lets it count. Missing
    /// in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_preset: Option<PermissionPresetInfo>,
    /// When it was created, in milliseconds since 1970.
    pub created: u64,
    /// When it last changed, in milliseconds since 1970.
    pub updated: u64,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionParams {
    /// The session's id.
    pub session: String,
}

/// The present state of the session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionResult {
    /// The present state of the session.
    pub session: SessionInfo,
}

/// The properties of a new session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionNewParams {
    /// The folder to work in; by default the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The agent's name; by default the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// `PROVIDER/MODEL`; by default the agent's or the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Which sessions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionListParams {
    /// Only sessions in this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The most to return; by default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only sessions last used before this one: the id of the last session of the previous page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionListResult {
    /// Last used first. A page that is not full is the last.
    pub sessions: Vec<SessionInfo>,
}

/// Where to look for sessions that need the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPendingParams {
    /// The sessions' folder; by default the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The sessions that run or need the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPendingResult {
    /// Last used first, at most 20.
    pub sessions: Vec<PendingSessionInfo>,
}

/// A session that runs, waits for the user, or has undecided hunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PendingSessionInfo {
    /// The present state of the session.
    pub session: SessionInfo,
    /// Whether a turn runs.
    pub running: bool,
    /// How many asks and questions wait for the user.
    pub waiting: u32,
    /// How many hunks of applied edits are undecided.
    pub undecided: u32,
}

/// Which session to attach to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionLoadParams {
    /// The session's id.
    pub session: String,
    /// The most parts to return, counted from the last; by default 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Everything that a client needs to show a session, as of `seq`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionLoadResult {
    /// The present state of the session.
    pub session: SessionInfo,
    /// The last parts in order, including unfinished ones with their content so far.
    pub parts: Vec<PartInfo>,
    /// Whether there are parts before these: see `copydesk/session/parts`.
    pub earlier: bool,
    /// The number of the running turn; missing if none runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u32>,
    /// The last turn, if one began since the daemon hosts the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_turn: Option<LastTurnInfo>,
    /// The last event that this includes. The client drops events up to it, whenever they arrive.
    pub seq: u64,
    /// Open asks. The daemon also sends each to this client as a request.
    pub asks: Vec<PermissionAskInfo>,
    /// Open questions. The daemon also sends them to this client as requests.
    pub questions: Vec<QuestionAskInfo>,
    /// Decisions and comments that the model has not read yet: see the event `feedback`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feedback: Vec<FeedbackInfo>,
    /// Running background commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobInfo>,
    /// The warnings since the daemon hosts the session: see the event `warning`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether the user trusts its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<TrustInfo>,
}

/// Which page of a session's parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPartsParams {
    /// The session's id.
    pub session: String,
    /// Only parts before this one: the id of the first part that the client has.
    pub before: String,
    /// The most to return, counted from the last; by default 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPartsResult {
    /// In order.
    pub parts: Vec<PartInfo>,
    /// Whether there are parts before these.
    pub earlier: bool,
}

/// A session, and where to fork it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionForkParams {
    /// The session's id.
    pub session: String,
    /// The id of the first part that the new session does not have.
    pub before: String,
}

/// A session and its new title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionRenameParams {
    /// The session's id.
    pub session: String,
    /// The new title.
    pub title: String,
}

/// A session and its new model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSetModelParams {
    /// The session's id.
    pub session: String,
    /// `PROVIDER/MODEL`
    pub model: String,
}

/// A session and its new agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSetAgentParams {
    /// The session's id.
    pub session: String,
    /// The agent's name.
    pub agent: String,
}

/// What to search for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSearchParams {
    /// Words, all of which must occur.
    pub query: String,
    /// The most to return; by default 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSearchResult {
    /// The latest first.
    pub found: Vec<SessionSearchMatch>,
}

/// A part that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSearchMatch {
    /// The session's id.
    pub session: String,
    /// The session's title; missing if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The id of the part.
    pub part: String,
    /// The text around the match, about a line.
    pub excerpt: String,
}
