//! What the agent may do without asking. The order of the rules matters, so the types keep it.

use std::{borrow::Cow, fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{
        self, MapAccess, Visitor,
        value::{Error as Unnamed, StrDeserializer},
    },
};

/// Whether an action runs without asking, after asking, or never.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PermissionActionConfig {
    /// Run without asking.
    Allow,
    /// Ask first.
    Ask,
    /// Never run.
    Deny,
}

/// What runs without asking, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PermissionPresetConfig {
    /// Everything that changes or runs something asks.
    Careful,
    /// As `careful`, but commands that only read run unasked.
    Normal,
    /// Edits and commands inside the workspace run unasked; secrets, the network and other folders ask.
    Trusting,
}

/// One action for everything, or one for each permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionConfig {
    All(PermissionActionConfig),
    /// In the order of writing.
    Each(Vec<(String, PermissionRuleConfig)>),
}

/// One action for a permission, or one for each pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionRuleConfig {
    All(PermissionActionConfig),
    /// In the order of writing.
    Each(Vec<(String, PermissionActionConfig)>),
}

impl<'de> Deserialize<'de> for PermissionConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let what = "an action (`allow`, `ask` or `deny`) or an object of permissions";
        Ok(match deserializer.deserialize_any(ActionOrLinesVisitor::new(what))? {
            ActionOrLines::Action(action) => Self::All(action),
            ActionOrLines::Lines(lines) => Self::Each(lines),
        })
    }
}

impl<'de> Deserialize<'de> for PermissionRuleConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let what = "`allow`, `ask` or `deny`, or an object of patterns with one of these";
        Ok(match deserializer.deserialize_any(ActionOrLinesVisitor::new(what))? {
            ActionOrLines::Action(action) => Self::All(action),
            ActionOrLines::Lines(lines) => Self::Each(lines),
        })
    }
}

enum ActionOrLines<T> {
    Action(PermissionActionConfig),
    Lines(Vec<(String, T)>),
}

struct ActionOrLinesVisitor<T> {
    what: &'static str,
    lines: PhantomData<T>,
}

impl<T> ActionOrLinesVisitor<T> {
    fn new(what: &'static str) -> Self {
        Self { what, lines: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ActionOrLinesVisitor<T> {
    type Value = ActionOrLines<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        // The user can only have meant an action, so the message lists only actions.
        let action = PermissionActionConfig::deserialize(StrDeserializer::<Unnamed>::new(text));
        action.map(ActionOrLines::Action).map_err(|_| E::unknown_variant(text, &["allow", "ask", "deny"]))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut lines = Vec::new();
        while let Some(line) = map.next_entry()? {
            lines.push(line);
        }
        Ok(ActionOrLines::Lines(lines))
    }
}

impl JsonSchema for PermissionConfig {
    fn schema_name() -> Cow<'static, str> {
        "Permission".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (action, rule) = (
            generator.subschema_for::<PermissionActionConfig>(),
            generator.subschema_for::<PermissionRuleConfig>(),
        );
        json_schema!({
            "description": "One action for everything, or one for each permission (`edit`, `bash`, `webfetch`, …; `*` for all). The last matching rule decides.",
            "anyOf": [action, { "type": "object", "additionalProperties": rule }]
        })
    }
}

impl JsonSchema for PermissionRuleConfig {
    fn schema_name() -> Cow<'static, str> {
        "Rule".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let action = generator.subschema_for::<PermissionActionConfig>();
        json_schema!({
            "description": "One action, or one for each pattern, such as `git push *`. The last matching rule decides.",
            "anyOf": [action, { "type": "object", "additionalProperties": action }]
        })
    }
}
