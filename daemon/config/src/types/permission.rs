//! What the agent may do without asking. The order of the lines is part of the meaning, so it is kept.

use std::{borrow::Cow, fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{
        self, MapAccess, Visitor,
        value::{Error as Unnamed, StrDeserializer},
    },
};

/// Whether something happens without asking, after asking, or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Without asking.
    Allow,
    /// After asking.
    Ask,
    /// Not at all.
    Deny,
}

/// One action for everything, or one by permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    All(Action),
    /// In the order of writing.
    Each(Vec<(String, Rule)>),
}

/// One action for a permission, or one by pattern of what is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    All(Action),
    /// In the order of writing.
    Each(Vec<(String, Action)>),
}

impl<'de> Deserialize<'de> for Permission {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let what = "an action (`allow`, `ask` or `deny`) or an object of permissions";
        Ok(match deserializer.deserialize_any(ActionOr::new(what))? {
            Found::Action(action) => Self::All(action),
            Found::Lines(lines) => Self::Each(lines),
        })
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let what = "`allow`, `ask` or `deny`, or an object of patterns with one of these";
        Ok(match deserializer.deserialize_any(ActionOr::new(what))? {
            Found::Action(action) => Self::All(action),
            Found::Lines(lines) => Self::Each(lines),
        })
    }
}

enum Found<T> {
    Action(Action),
    Lines(Vec<(String, T)>),
}

struct ActionOr<T> {
    what: &'static str,
    lines: PhantomData<T>,
}

impl<T> ActionOr<T> {
    fn new(what: &'static str) -> Self {
        Self { what, lines: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for ActionOr<T> {
    type Value = Found<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        // A text can only have been meant as an action, so only actions are named.
        let action = Action::deserialize(StrDeserializer::<Unnamed>::new(text));
        action.map(Found::Action).map_err(|_| E::unknown_variant(text, &["allow", "ask", "deny"]))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut lines = Vec::new();
        while let Some(line) = map.next_entry()? {
            lines.push(line);
        }
        Ok(Found::Lines(lines))
    }
}

impl JsonSchema for Permission {
    fn schema_name() -> Cow<'static, str> {
        "Permission".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (action, rule) = (generator.subschema_for::<Action>(), generator.subschema_for::<Rule>());
        json_schema!({
            "description": "One action for everything, or one by permission (`edit`, `bash`, `webfetch`, …; `*` for all). The last matching line decides.",
            "anyOf": [action, { "type": "object", "additionalProperties": rule }]
        })
    }
}

impl JsonSchema for Rule {
    fn schema_name() -> Cow<'static, str> {
        "Rule".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let action = generator.subschema_for::<Action>();
        json_schema!({
            "description": "One action, or one by pattern of what is to be done, such as `git push *`. The last matching line decides.",
            "anyOf": [action, { "type": "object", "additionalProperties": action }]
        })
    }
}
