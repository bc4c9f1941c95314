//! Programs that know a language: servers and formatters.

use std::{borrow::Cow, collections::BTreeMap, fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::config::{decode::object, types::Secret};

/// A language server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct LanguageServer {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The endings of the files it is for, with the dot.
    pub extensions: Vec<String>,
    /// Do not use it.
    pub disabled: Option<bool>,
    /// Variables to add to its environment.
    pub env: BTreeMap<String, Secret>,
    /// What it is told when it starts.
    pub initialization: Map<String, Value>,
}

/// A formatter.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Formatter {
    /// The program and its arguments; `$FILE` is the file.
    pub command: Vec<String>,
    /// The endings of the files it is for, with the dot.
    pub extensions: Vec<String>,
    /// Do not use it.
    pub disabled: Option<bool>,
    /// Variables to add to its environment.
    pub environment: BTreeMap<String, Secret>,
}

/// On or off for all of a kind, or a setting for each by name.
#[derive(Debug, Clone, PartialEq)]
pub enum Switch<T> {
    All(bool),
    Each(BTreeMap<String, T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Switch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Visit<T> {
            type Value = Switch<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or an object with one entry for each")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<Switch<T>, E> {
                Ok(Switch::All(on))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Switch<T>, A::Error> {
                object(map).map(Switch::Each)
            }
        }

        deserializer.deserialize_any(Visit(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for Switch<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Switch_{}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let each = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": "boolean" }, { "type": "object", "additionalProperties": each }] })
    }
}
