//! The output of `copydesk config`, as data: every value with its origin, secrets masked.

use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    mask::{looks_secret, mask, mask_secrets_in},
    merged_config::MergedConfig,
    source::ConfigOrigin,
    tree::{ConfigNode, ConfigNodeKind, ConfigPathStep, format_path},
};

/// Objects whose values are all treated as secrets, whatever their names.
pub(crate) const SECRET_MAPS: &[&str] = &["headers", "query", "environment", "env"];

/// Keys whose value is shown even if it came from `{env:…}` or `{file:…}`.
const PLAIN_KEYS: &[&str] = &[
    "model",
    "small_model",
    "default_agent",
    "name",
    "id",
    "npm",
    "api",
    "baseURL",
    "url",
    "prompt",
    "template",
    "description",
    "instructions",
    "shell",
    "cwd",
    "paths",
    "urls",
];

/// Top-level objects whose keys are names chosen by the user; such a name says nothing about secrecy.
const NAMED: &[&str] = &["provider", "agent", "command", "mcp", "lsp", "formatter"];

/// One value of the merged configuration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigEntry {
    /// For example `provider.x.models["gpt-4.1"].limit.context`.
    pub path: String,
    /// With secrets masked; `null` for a removed value.
    pub value: Value,
    pub origin: ConfigOrigin,
}

/// Every value, in the order of writing.
pub fn config_entries(merged: &MergedConfig) -> Vec<ConfigEntry> {
    let mut entries = Vec::new();
    let mut before = None;
    merged.root.visit_leaves(&mut |path, leaf| {
        let value = shown(path, leaf, before);
        before = Some(leaf);
        if !path.is_empty() {
            entries.push(ConfigEntry {
                path: format_path(path.iter().copied()),
                value,
                origin: leaf.origin.clone(),
            });
        }
    });
    entries
}

fn shown(path: &[ConfigPathStep<'_>], leaf: &ConfigNode, before: Option<&ConfigNode>) -> Value {
    match &leaf.kind {
        ConfigNodeKind::Null => Value::Null,
        ConfigNodeKind::Bool(value) => json!(value),
        ConfigNodeKind::Number(_) if is_secret(path, leaf) => json!("(set)"),
        ConfigNodeKind::Number(number) => json!(number),
        ConfigNodeKind::String(text) if is_secret(path, leaf) || follows_secret_flag(path, before) => {
            json!(mask(text))
        }
        ConfigNodeKind::String(text) => json!(mask_secrets_in(text)),
        ConfigNodeKind::Array(_) => json!([]),
        ConfigNodeKind::Object(_) => json!({}),
    }
}

fn is_secret(path: &[ConfigPathStep<'_>], leaf: &ConfigNode) -> bool {
    let keys: Vec<&str> = path.iter().filter_map(ConfigPathStep::key).collect();
    let by_name = match keys.as_slice() {
        // Names of variables, tools and fields, and patterns: never secret.
        ["provider", _, "env" | "dialect", ..] | ["permission" | "tools", ..] => false,
        ["agent", _, "permission" | "tools", ..] => false,
        ["provider", _, "models", _, keys @ ..] => names_secret(keys, leaf),
        [first, _, keys @ ..] if NAMED.contains(first) => names_secret(keys, leaf),
        keys => names_secret(keys, leaf),
    };
    by_name || (leaf.is_substituted && !keys.last().is_some_and(|key| PLAIN_KEYS.contains(key)))
}

fn names_secret(keys: &[&str], leaf: &ConfigNode) -> bool {
    let count =
        matches!(leaf.kind, ConfigNodeKind::Number(_)) && keys.last().is_some_and(|key| is_count(key));
    !count && keys.iter().any(|key| looks_secret(key) || SECRET_MAPS.contains(key))
}

/// `max_tokens`, `budgetTokens`: a number of tokens is no secret.
fn is_count(key: &str) -> bool {
    key.to_lowercase().ends_with("tokens")
}

/// `["server", "--token", "…"]`
fn follows_secret_flag(path: &[ConfigPathStep<'_>], before: Option<&ConfigNode>) -> bool {
    let [.., ConfigPathStep::Key("command"), ConfigPathStep::Index(1..)] = path else { return false };
    match before.map(|node| &node.kind) {
        Some(ConfigNodeKind::String(flag)) => {
            flag.starts_with('-') && !flag.contains('=') && looks_secret(flag)
        }
        _ => false,
    }
}
