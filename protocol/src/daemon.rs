//! The desk itself: what it has to offer, how it is, and its end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An object without fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Empty {}

/// The models that can be used now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsResult {
    /// Grouped by provider.
    pub models: Vec<ModelInfo>,
    /// The one that is used where nobody chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// A model that can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelInfo {
    /// `PROVIDER/MODEL`
    pub id: String,
    /// For people.
    pub name: String,
    /// The provider's name, for people.
    pub provider: String,
    /// Tokens that it can have before it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Tokens that it can write, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// It runs on the desk's machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
}

/// Whose agents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentsParams {
    /// The folder whose configuration counts; where it is missing, the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The agents that a person can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentsResult {
    /// The one that is used where nobody chose comes first.
    pub agents: Vec<AgentInfo>,
}

/// A named set of prompt, model and rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInfo {
    /// Its name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// `PROVIDER/MODEL`, where it has one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// How the desk is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusResult {
    /// The desk's version.
    pub version: String,
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its process.
    pub pid: u32,
    /// When it was started, in milliseconds since 1970.
    pub started: u64,
    /// How many clients are attached to it.
    pub clients: u32,
    /// The sessions that it has at hand.
    pub sessions: Vec<SessionStatus>,
    /// How many documents the clients have open.
    pub documents: u32,
    /// How strictly the places of agents' edits were found since the desk began, the most frequent way first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<MatchTierCount>,
    /// The language servers that it runs itself, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerInfo>,
    /// Those that would be of use and are not installed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingServer>,
}

/// A language server of the desk's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerInfo {
    /// Its name, such as `rust-analyzer`.
    pub name: String,
    /// The folder that it works in.
    pub root: String,
    /// How it is.
    pub state: ServerState,
    /// What it is doing, or why it does nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How much of that is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u32>,
    /// How many documents it holds.
    pub documents: u32,
    /// What it uses, in bytes, with all that it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Its process, while there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
}

/// How a language server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ServerState {
    /// It was started, and has not answered.
    Starting,
    /// It reads the project: what it finds nothing in may be wrong.
    Indexing,
    /// It can be asked.
    Ready,
    /// It broke, and is started again soon.
    Resting,
    /// It broke too often; `servers/restart` starts it again.
    GivenUp,
    /// Nobody needed it for a while.
    Ending,
}

/// A language server that is not installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingServer {
    /// Its name.
    pub name: String,
    /// The language that it is for.
    pub language: String,
    /// How to install it.
    pub hint: String,
}

/// Which language servers to start anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServersRestartParams {
    /// The name of the server, in whatever folders it works.
    pub name: String,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServersRestartResult {
    /// How many there were of that name.
    pub servers: u32,
}

/// What the daemon logs from now on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogSetParams {
    /// `off`, `error`, `warn`, `info`, `debug` or `trace`, or for one crate of the daemon `servers=debug`; separated by
    /// commas. Without it, the level that the daemon was started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How long the level holds; without it, until the daemon exits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<LogLevelEnd>,
}

/// How long a log level holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LogLevelEnd {
    /// Until the daemon exits.
    Exit,
    /// Until this client detaches.
    Detach,
}

/// The level that holds now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogSetResult {
    /// As in the params.
    pub level: String,
}

/// How often a tier of matching found the place of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchTierCount {
    /// `exact`, or what was overlooked: `indentation`, `typography`, …
    pub tier: String,
    /// How often.
    pub count: u64,
}

/// A session that the desk has at hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStatus {
    /// The session's id.
    pub session: String,
    /// Whether a turn runs.
    pub running: bool,
}

/// When to stop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StopParams {
    /// When to stop.
    pub when: StopTiming,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StopTiming {
    /// When no turn runs any more. Until then everything works as before.
    Idle,
    /// At once. Running turns are cancelled; what is completed is kept.
    Now,
}

/// What the stop waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StopResult {
    /// How many turns still run.
    pub waiting_for: u32,
}
