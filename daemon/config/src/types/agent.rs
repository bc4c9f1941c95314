//! A named set of prompt, model and permissions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::types::PermissionConfig;

/// A named set of prompt, model and permissions.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct AgentConfig {
    /// What it is for. Other agents choose it by this text.
    pub description: Option<String>,
    /// The model to use, as `provider/model`.
    pub model: Option<String>,
    /// The model's variant to use.
    pub variant: Option<String>,
    /// Its system prompt.
    pub prompt: Option<String>,
    /// Who may call it.
    pub mode: Option<AgentMode>,
    /// Sampling temperature of the model.
    pub temperature: Option<f64>,
    /// Nucleus sampling: the model samples from the most likely tokens up to this total probability.
    pub top_p: Option<f64>,
    /// How many requests to the model it may make in one turn.
    pub steps: Option<u32>,
    /// The colour to show it in.
    pub color: Option<String>,
    /// Hide it from lists.
    pub hidden: Option<bool>,
    /// Disable it.
    pub disable: Option<bool>,
    /// Tools to switch on or off, by name.
    pub tools: BTreeMap<String, bool>,
    /// What it may do without asking. These rules follow those of all agents.
    pub permission: Option<PermissionConfig>,
    /// Options to add to every request, in the provider's own format.
    pub options: Map<String, Value>,
}

/// Who may call an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentMode {
    /// The user.
    Primary,
    /// Other agents.
    Subagent,
    /// Both.
    All,
}
