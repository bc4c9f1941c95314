//! Sessions: what they are, and what a client may do with them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::job::JobInfo;
use crate::part::PartInfo;
use crate::permission::PermissionAskInfo;
use crate::question::QuestionAskInfo;
use crate::review::ReviewTimingInfo;

/// A conversation with an agent. The desk owns it; it outlives every window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionInfo {
    /// Unique; later ones sort after earlier ones.
    pub id: String,
    /// The folder it works in: an absolute path on the desk's machine.
    pub folder: String,
    /// Missing until there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The agent's name.
    pub agent: String,
    /// `PROVIDER/MODEL`, where one was chosen for this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The session whose call began this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// When its edits are reviewed, where a person chose that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewTimingInfo>,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// When anything last happened in it, in milliseconds since 1970.
    pub updated: u64,
}

/// Names a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionParams {
    /// The session's id.
    pub session: String,
}

/// The session as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionResult {
    /// The session as it is now.
    pub session: SessionInfo,
}

/// What a new session is to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionNewParams {
    /// The folder to work in; where it is missing, the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The agent's name; where it is missing, the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// `PROVIDER/MODEL`; where it is missing, the agent's or the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Which sessions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionListParams {
    /// Only those that work in this folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// At most so many; where it is missing, 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only those last used before this session: the id of the last one of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionListResult {
    /// The one that was used last first. A page that is not full is the last.
    pub sessions: Vec<SessionInfo>,
}

/// Which session to attach to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionLoadParams {
    /// The session's id.
    pub session: String,
    /// At most so many parts, the last ones; where it is missing, 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// All that a client needs to show a session, as of `seq`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionLoadResult {
    /// The session as it is now.
    pub session: SessionInfo,
    /// The last parts in their order, those under way included, with what they have so far.
    pub parts: Vec<PartInfo>,
    /// Whether there are parts before these: see `copydesk/session/parts`.
    pub earlier: bool,
    /// The number of the turn that runs; missing where none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<u32>,
    /// The last event that is contained in this. Events up to it are dropped, whenever they come.
    pub seq: u64,
    /// Asks that wait for a reply. Each is also sent to this client as a request.
    pub asks: Vec<PermissionAskInfo>,
    /// Questions that wait for a reply. They are also sent to this client as requests.
    pub questions: Vec<QuestionAskInfo>,
    /// Commands that run in the background.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobInfo>,
    /// What the user was warned of since the daemon has the session at hand: see the event `warning`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Which page of a session's parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPartsParams {
    /// The session's id.
    pub session: String,
    /// Only parts before this one: the id of the first part that the client has.
    pub before: String,
    /// At most so many, the last ones; where it is missing, 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionPartsResult {
    /// In their order.
    pub parts: Vec<PartInfo>,
    /// Whether there are parts before these.
    pub earlier: bool,
}

/// A session, and where another one goes its own way.
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

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSearchParams {
    /// Words; all of them must be there.
    pub query: String,
    /// At most so many; where it is missing, 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSearchResult {
    /// The latest first.
    pub found: Vec<SessionSearchMatch>,
}

/// One place where the words stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSearchMatch {
    /// The session's id.
    pub session: String,
    /// The session's title; missing where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The id of the part in which they stand.
    pub part: String,
    /// A line or so around them.
    pub excerpt: String,
}
