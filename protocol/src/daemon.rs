//! The daemon itself: its models and agents, its status, its log, its end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An object without fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Empty {}

/// Whose default model to name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsParams {
    /// The folder whose configuration applies; by default the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The agent's name; by default the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Also list the models of servers on the daemon's machine, which are asked first. One that hangs costs half a second.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
}

/// The models that can be used now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsResult {
    /// Grouped by provider.
    pub models: Vec<ModelInfo>,
    /// `PROVIDER/MODEL`: the model of a session of this agent in this folder whose user chose none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// A model that can be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelInfo {
    /// `PROVIDER/MODEL`
    pub id: String,
    /// Its name for users.
    pub name: String,
    /// The provider's name for users.
    pub provider: String,
    /// The size of its context window in tokens, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// The most tokens that it can write, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
    /// It runs on the daemon's machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub local: bool,
    /// It is the built-in model, which answers until another is set up and can do little.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
}

/// Which agents to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentsParams {
    /// The folder whose configuration applies; by default the client's first workspace folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// The agents that a user can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentsResult {
    /// The default comes first.
    pub agents: Vec<AgentInfo>,
}

/// A named set of prompt, model and rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInfo {
    /// Its name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// `PROVIDER/MODEL`, if it has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// The state of the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusResult {
    /// The daemon's version.
    pub version: String,
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its process id.
    pub pid: u32,
    /// When it was started, in milliseconds since 1970.
    pub started: u64,
    /// How many clients are attached to it.
    pub clients: u32,
    /// The sessions that it hosts.
    pub sessions: Vec<SessionStatus>,
    /// How many documents the clients have open.
    pub documents: u32,
    /// How strictly the agents' edits matched since the daemon started, the most frequent tier first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<MatchTierCount>,
    /// Its own language servers, sorted by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<ServerInfo>,
    /// Useful language servers that are not installed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingServer>,
}

/// A language server that the daemon runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerInfo {
    /// Its name, such as `rust-analyzer`.
    pub name: String,
    /// The folder that it works in.
    pub root: String,
    /// Its state.
    pub state: ServerState,
    /// What it does now, or why it does nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How much of that is done, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u32>,
    /// How many documents it has open.
    pub documents: u32,
    /// The memory of it and its child processes, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Its process id, while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<i32>,
    /// Whether it runs in the sandbox, while it runs; none if the sandbox is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandboxed: Option<bool>,
}

/// The state of a language server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ServerState {
    /// It has not answered `initialize` yet.
    Starting,
    /// It reads the project; until then it may miss problems.
    Indexing,
    /// It answers requests.
    Ready,
    /// It crashed, and the daemon restarts it soon.
    Resting,
    /// It crashed too often; `servers/restart` starts it again.
    GivenUp,
    /// It is shutting down, because it was unused for a while.
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

/// Which language servers to restart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServersRestartParams {
    /// The name of the server, in whatever folders it works.
    pub name: String,
}

/// How many language servers were restarted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServersRestartResult {
    /// Those of that name; 0 if there is none.
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
    /// In the form of the params.
    pub level: String,
}

/// How often a tier of matching located an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchTierCount {
    /// `exact`, or the difference that it ignores: `indentation`, `typography`, …
    pub tier: String,
    /// How often.
    pub count: u64,
}

/// A session that the daemon hosts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionStatus {
    /// The session's id.
    pub session: String,
    /// Whether a turn runs.
    pub running: bool,
    /// The names of the clients that show it, one for each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<String>,
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
    /// When no turn runs. Until then everything works as before.
    Idle,
    /// At once. The daemon cancels running turns and keeps completed parts.
    Now,
}

/// What the stop waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StopResult {
    /// How many turns still run.
    pub waiting_for: u32,
}
