//! The keys of a configuration. Users read the doc comments of the fields in their editor: the JSON Schema is
//! generated from them. The schema is the only list of known keys.
//!
//! Every field is optional: a file sets only what it changes. A key has OpenCode's name if it means the same.

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
    permission::{PermissionActionConfig, PermissionConfig, PermissionPresetConfig, PermissionRuleConfig},
    provider::{ProviderConfig, ProviderOptionsConfig, TimeoutConfig, WireConfig},
    sandbox::{SandboxConfig, SandboxModeConfig, SandboxSettingsConfig},
    secret::ConfigSecret,
    web::{AllowPrivateConfig, SearchEngineConfig, SearchEngineKind, WebfetchConfig},
};

mod agent;
mod language;
mod mcp;
mod model;
mod permission;
mod provider;
mod sandbox;
mod secret;
mod web;

/// The configuration of Copydesk.
///
/// Copydesk reads `copydesk.jsonc` of the user and of the project. `null` removes a value that an earlier file set.
/// In every string, `{env:NAME}` stands for an environment variable and `{file:path}` for the content of a file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Config {
    /// The JSON Schema of this file, for your editor.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// The model to use, as `provider/model`.
    pub model: Option<String>,
    /// The model for small jobs such as titles and summaries, as `provider/model`.
    pub small_model: Option<String>,
    /// The agent that answers if a prompt names none.
    pub default_agent: Option<String>,
    /// Providers of models, by a name of your choice or from the catalogue.
    pub provider: BTreeMap<String, ProviderConfig>,
    /// Providers not to use, even if a key for them is found.
    pub disabled_providers: Vec<String>,
    /// If set, the only providers to use.
    pub enabled_providers: Option<Vec<String>>,
    /// What runs without asking, in one word: `careful`, `normal` (the default) or `trusting`. The rules of `permission` come
    /// first.
    pub preset: Option<PermissionPresetConfig>,
    /// What the agent may do without asking. The last matching rule decides.
    pub permission: Option<PermissionConfig>,
    /// Tools to switch on or off, by name; `*` matches any text. `batch` is off by default.
    pub tools: BTreeMap<String, bool>,
    /// Agents, by name. Each is a set of prompt, model and permissions.
    pub agent: BTreeMap<String, AgentConfig>,
    /// Prompts with a short name, to run as `/name`.
    pub command: BTreeMap<String, CommandConfig>,
    /// Files (glob patterns allowed) and URLs with instructions for the model. The lists of all configuration files add up.
    pub instructions: Vec<String>,
    /// MCP servers (Model Context Protocol), by name.
    pub mcp: BTreeMap<String, McpServerConfig>,
    /// Language servers: `true` or `false` for all, or settings by name.
    pub lsp: Option<SwitchConfig<LanguageServerConfig>>,
    /// Formatters: `true` or `false` for all, or settings by name. `server`, without a command, formats with the file's language server.
    pub formatter: Option<SwitchConfig<FormatterConfig>>,
    /// Programs that check saved files, by name. Copydesk runs only those listed here. For those it knows (`cargo`, `tsc`,
    /// `eslint`, `ruff`, `pyright`, `mypy`, `go`, `clang`, `gcc`), `{}` is enough.
    pub checkers: BTreeMap<String, CheckerConfig>,
    /// What the model is told about problems that its edits cause.
    pub diagnostics: DiagnosticsConfig,
    /// What the model may fetch from the web.
    pub webfetch: WebfetchConfig,
    /// The engine for web searches. Without one, the model has no such tool.
    pub websearch: SearchEngineConfig,
    /// The engine for searches of public code and documentation. Without one, the model has no such tool.
    pub codesearch: SearchEngineConfig,
    /// More places with skills.
    pub skills: SkillsConfig,
    /// Whether editors save the buffers that the agent changed. Copydesk always writes files that no editor has open.
    pub save: Option<SaveMode>,
    /// The shell that runs commands, by name or path.
    pub shell: Option<String>,
    /// The sandbox for commands: `auto`, `require` or `off`, or settings; `off` by default.
    pub sandbox: Option<SandboxConfig>,
    /// Which environment variables programs get, by name or pattern (`CORP_*`). By default those whose names tell of a secret
    /// (`*_TOKEN`, `*_PASSWORD`, …) are withheld.
    pub environment: BTreeMap<String, bool>,
    /// What happens when a conversation no longer fits the model's context window.
    pub compaction: CompactionConfig,
    /// What may be spent before you are asked.
    pub limits: CostLimitsConfig,
    /// How much of a tool's output the model sees.
    pub tool_output: ToolOutputConfig,
    /// What may be attached to a prompt.
    pub attachment: AttachmentConfig,
    /// How deep agents may call agents: 1 by default, 0 for not at all, at most 8.
    pub subagent_depth: Option<u32>,
    /// What happens when a request to a model fails.
    pub retry: RetryConfig,
}

/// When editors save the buffers that the agent changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SaveMode {
    /// The user saves.
    #[default]
    Never,
    /// After the user has accepted the change.
    AfterAccept,
    /// After every change.
    Always,
}

/// A prompt with a short name.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct CommandConfig {
    /// The prompt. `$ARGUMENTS` stands for the text after the name; `$1`, `$2`… stand for its words.
    pub template: Option<String>,
    /// One line for the list of commands.
    pub description: Option<String>,
    /// The agent that answers.
    pub agent: Option<String>,
    /// The model to use, as `provider/model`.
    pub model: Option<String>,
    /// Run in a separate session, so that this one stays short.
    pub subtask: Option<bool>,
}

/// More places with skills.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct SkillsConfig {
    /// Folders with skills.
    pub paths: Vec<String>,
    /// URLs of lists of skills.
    pub urls: Vec<String>,
}

/// What happens when a conversation no longer fits the model's context window.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct CompactionConfig {
    /// Whether a summary takes the place of the older conversation by itself when the model's context is nearly full; yes by
    /// default.
    pub auto: Option<bool>,
    /// Whether notes take the place of old outputs of calls when that saves money or room; yes by default. The agent can read
    /// the outputs again.
    pub prune: Option<bool>,
    /// The model that writes the summary, as `provider/model`; by default the session's own, which reads the provider's cache.
    pub model: Option<String>,
    /// How many tokens of the context to keep free; by default what the model may answer, at most a fifth of it.
    pub reserved: Option<u64>,
}

/// What may be spent before you are asked, in US dollars. At a limit the next request waits until you agree.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct CostLimitsConfig {
    /// For one session with its subagents.
    pub session: Option<f64>,
    /// For all sessions of a day (UTC).
    pub day: Option<f64>,
}

/// How much of a tool's output the model sees; a file keeps the rest.
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
    /// Resize larger images to the limits below; otherwise reject them.
    pub auto_resize: Option<bool>,
    /// Maximum width in pixels.
    pub max_width: Option<u32>,
    /// Maximum height in pixels.
    pub max_height: Option<u32>,
    /// Maximum size of the encoded image.
    pub max_base64_bytes: Option<u64>,
}

/// What happens when a request to a model fails.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct RetryConfig {
    /// How often to retry a failed request; 0 for never.
    pub max: Option<u32>,
}
