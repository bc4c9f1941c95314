//! What a configuration can say. The comments of the fields are what a person reads in their editor (the JSON
//! Schema is made of them), and the schema's keys are the only list of known keys there is.
//!
//! Every field may be missing: a file says only what it changes. Names are OpenCode's where the meaning is.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

pub use self::{
    agent::{AgentConfig, AgentMode},
    language::{
        CheckerColumns, CheckerConfig, CheckerFormat, DiagnosticsConfig, DiagnosticsSourceConfig,
        FormatterConfig, LanguageServerConfig, SwitchConfig,
    },
    mcp::{McpServerConfig, McpServerKind, OAuthConfig},
    model::{
        EditFormatConfig, ModalitiesConfig, ModelConfig, ModelCostConfig, ModelLimitConfig, ReasoningConfig,
    },
    permission::{PermissionActionConfig, PermissionConfig, PermissionRuleConfig},
    provider::{ProviderConfig, ProviderOptionsConfig, TimeoutConfig, WireConfig},
    secret::ConfigSecret,
    web::{AllowPrivateConfig, SearchEngineConfig, SearchEngineKind, WebfetchConfig},
};

mod agent;
mod language;
mod mcp;
mod model;
mod permission;
mod provider;
mod secret;
mod web;

/// The configuration of Copydesk.
///
/// Read from `copydesk.jsonc` of the user and of the project; `null` removes a value that an earlier file set.
/// In every text `{env:NAME}` stands for an environment variable and `{file:path}` for the content of a file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Config {
    /// Where an editor finds the schema of this file.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// The model to use, as `provider/model`.
    pub model: Option<String>,
    /// The model for small jobs such as titles and summaries, as `provider/model`.
    pub small_model: Option<String>,
    /// The agent that answers where none is named.
    pub default_agent: Option<String>,
    /// Who serves models, by a name of your choice or of the catalogue.
    pub provider: BTreeMap<String, ProviderConfig>,
    /// Providers not to use, even where a key for them is found.
    pub disabled_providers: Vec<String>,
    /// If set, the only providers to use.
    pub enabled_providers: Option<Vec<String>>,
    /// What the agent may do without asking. The last matching line decides.
    pub permission: Option<PermissionConfig>,
    /// Tools to switch on or off, by name; `*` matches any text. `batch` is off unless it is switched on.
    pub tools: BTreeMap<String, bool>,
    /// Agents, by name: each a set of prompt, model and permissions.
    pub agent: BTreeMap<String, AgentConfig>,
    /// Prompts to call by a short name, as `/name`.
    pub command: BTreeMap<String, CommandConfig>,
    /// Files (patterns allowed) and URLs with instructions for the model. Those of all configuration files add up.
    pub instructions: Vec<String>,
    /// Servers of the Model Context Protocol, by name.
    pub mcp: BTreeMap<String, McpServerConfig>,
    /// Language servers: `true` or `false` for all, or each by name.
    pub lsp: Option<SwitchConfig<LanguageServerConfig>>,
    /// Formatters: `true` or `false` for all, or each by name. `server`, without a command, is the language server of the file.
    pub formatter: Option<SwitchConfig<FormatterConfig>>,
    /// Programs that check what is saved, by name. None is run unless it stands here; for those that Copydesk knows (`cargo`, `tsc`,
    /// `eslint`, `ruff`, `pyright`, `mypy`, `go`, `clang`, `gcc`) `{}` is enough.
    pub checkers: BTreeMap<String, CheckerConfig>,
    /// What an agent is told of what its edits broke.
    pub diagnostics: DiagnosticsConfig,
    /// What may be fetched from the web.
    pub webfetch: WebfetchConfig,
    /// The engine that searches the web. Without one there is no such tool.
    pub websearch: SearchEngineConfig,
    /// The engine that searches public code and documentation. Without one there is no such tool.
    pub codesearch: SearchEngineConfig,
    /// Where else to look for skills.
    pub skills: SkillsConfig,
    /// Whether editors save what the agent changed in them. A file that is open nowhere is always written.
    pub save: Option<SaveMode>,
    /// The shell that runs commands, by name or path.
    pub shell: Option<String>,
    /// What happens when a conversation outgrows the model.
    pub compaction: CompactionConfig,
    /// How much of a tool's output the model is shown.
    pub tool_output: ToolOutputConfig,
    /// What may be attached to a prompt.
    pub attachment: AttachmentConfig,
    /// How deep agents may call agents: 1 where nothing is said, 0 for not at all, at most 8.
    pub subagent_depth: Option<u32>,
    /// What happens when a request to a model fails.
    pub retry: RetryConfig,
}

/// When editors save what the agent changed in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaveMode {
    /// The person saves.
    #[default]
    Never,
    /// When the person has seen the change and said yes.
    AfterAccept,
    /// After every change.
    Always,
}

/// A prompt to call by a short name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct CommandConfig {
    /// The prompt. `$ARGUMENTS` is what follows the name, `$1`, `$2`… its words.
    pub template: Option<String>,
    /// One line for the list of commands.
    pub description: Option<String>,
    /// The agent that answers.
    pub agent: Option<String>,
    /// The model to use, as `provider/model`.
    pub model: Option<String>,
    /// Answer in a session of its own, so that this one stays short.
    pub subtask: Option<bool>,
}

/// Where else to look for skills.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct SkillsConfig {
    /// Folders.
    pub paths: Vec<String>,
    /// Addresses of lists of skills.
    pub urls: Vec<String>,
}

/// What happens when a conversation outgrows the model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct CompactionConfig {
    /// Summarise when the model's context is nearly full.
    pub auto: Option<bool>,
    /// Drop the output of old tool calls first.
    pub prune: Option<bool>,
    /// Tokens to keep free for the summary.
    pub reserved: Option<u64>,
}

/// How much of a tool's output the model is shown; the rest is kept in a file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ToolOutputConfig {
    /// At most this many lines.
    pub max_lines: Option<u64>,
    /// At most this many bytes.
    pub max_bytes: Option<u64>,
}

/// What may be attached to a prompt.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct AttachmentConfig {
    /// Images.
    pub image: ImageAttachmentConfig,
}

/// How images are prepared for the model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ImageAttachmentConfig {
    /// Make larger images fit the limits below; without it they are refused.
    pub auto_resize: Option<bool>,
    /// In pixels.
    pub max_width: Option<u32>,
    /// In pixels.
    pub max_height: Option<u32>,
    /// Of the encoded image.
    pub max_base64_bytes: Option<u64>,
}

/// What happens when a request to a model fails.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct RetryConfig {
    /// How often a failed request is tried again; 0 for never.
    pub max: Option<u32>,
}
