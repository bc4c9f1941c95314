//! A named set of prompt, model and permissions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::types::PermissionConfig;

/// An agent.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct AgentConfig {
    /// What it is for. Other agents choose it by this.
    pub description: Option<String>,
    /// The model to use, as `provider/model`.
    pub model: Option<String>,
    /// Which of the model's variants to use.
    pub variant: Option<String>,
    /// What it is told before everything else.
    pub prompt: Option<String>,
    /// Who may call it.
    pub mode: Option<AgentMode>,
    /// How much the model's answers vary.
    pub temperature: Option<f64>,
    /// How unlikely the words are that the model chooses from.
    pub top_p: Option<f64>,
    /// How many requests it may make in one turn.
    pub steps: Option<u32>,
    /// The colour to show it in.
    pub color: Option<String>,
    /// Do not show it in lists.
    pub hidden: Option<bool>,
    /// Do not offer it at all.
    pub disable: Option<bool>,
    /// Tools to switch on or off, by name.
    pub tools: BTreeMap<String, bool>,
    /// What it may do without asking; comes after the permissions of all agents.
    pub permission: Option<PermissionConfig>,
    /// Sent along with every request, as the protocol has it.
    pub options: Map<String, Value>,
}

/// Who may call an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentMode {
    /// A person.
    Primary,
    /// Other agents.
    Subagent,
    /// Both.
    All,
}
