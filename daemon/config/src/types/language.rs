//! Programs that know a language: servers, checkers and formatters; and what is made of what they say.

use std::{borrow::Cow, collections::BTreeMap, fmt, marker::PhantomData, num::NonZeroU64};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::{decode::decode_object, types::ConfigSecret};

/// A language server.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct LanguageServerConfig {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The endings of the files it is for, with the dot.
    pub extensions: Vec<String>,
    /// Do not use it.
    pub disabled: Option<bool>,
    /// Variables to add to its environment.
    pub env: BTreeMap<String, ConfigSecret>,
    /// What it is told when it starts.
    pub initialization: Map<String, Value>,
    /// What it is told when it asks for its settings, by section.
    pub settings: Map<String, Value>,
    /// Files that say where a project begins; the nearest folder that has one of them is meant.
    pub roots: Vec<String>,
    /// Serve beside the server that knows the language, not in its place. For servers that Copydesk does not know.
    pub beside: Option<bool>,
}

/// A program that says what is wrong with files as they are saved.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct CheckerConfig {
    /// The program and its arguments. Where `$FILE` is among them it is run for each file, else for the whole project.
    pub command: Vec<String>,
    /// The endings of the files it is for, with the dot, or whole names.
    pub extensions: Vec<String>,
    /// What it prints.
    pub format: Option<CheckerFormat>,
    /// What it counts within a line; characters if nothing is said.
    pub columns: Option<CheckerColumns>,
    /// Files that say where a project begins; the nearest folder that has one of them is meant.
    pub roots: Vec<String>,
    /// Do not use it.
    pub disabled: Option<bool>,
    /// Variables to add to its environment.
    pub environment: BTreeMap<String, ConfigSecret>,
    /// How long it may take, in milliseconds.
    pub timeout: Option<NonZeroU64>,
}

/// What a checker prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckerFormat {
    /// What `cargo check --message-format=json` prints.
    Cargo,
    /// JSON in which problems are objects with a file, a line and a message, as most linters print it.
    Json,
    /// The standard format of static analysis, version 2.
    Sarif,
    /// A line `file:line:column: severity: message` or `file(line,column): severity code: message` for each problem.
    Lines,
}

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckerColumns {
    Characters,
    Bytes,
    /// As JavaScript counts.
    Utf16,
}

/// What an agent is told of what its edits broke.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct DiagnosticsConfig {
    /// Tell it at all. On unless this is `false`.
    pub enabled: Option<bool>,
    /// How long an edit waits for them, in milliseconds: 3000 if nothing is said.
    pub wait: Option<u64>,
    /// Tell it of new warnings too, not only of errors.
    pub warnings: Option<bool>,
    /// Who is asked; all of them if nothing is said.
    pub sources: Option<Vec<DiagnosticsSourceConfig>>,
    /// `false`: no program that lies in the project is started (except by its whole path), and none is let run the project's code: neither
    /// build scripts, procedural macros and `cargo check` of rust-analyzer, nor servers that load that code themselves. On if nothing is said.
    pub project_programs: Option<bool>,
}

/// Who can say what is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticsSourceConfig {
    /// The editor that is attached, with its own language servers.
    Editor,
    /// Language servers that Copydesk runs.
    Servers,
    /// The `checkers`.
    Checkers,
    /// The grammar of the language.
    Syntax,
}

/// A formatter.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct FormatterConfig {
    /// The program and its arguments; `$FILE` is a copy of the file, which it changes. Without `$FILE` it reads the text and prints the
    /// new one.
    pub command: Vec<String>,
    /// The endings of the files it is for, with the dot.
    pub extensions: Vec<String>,
    /// Do not use it.
    pub disabled: Option<bool>,
    /// Variables to add to its environment.
    pub environment: BTreeMap<String, ConfigSecret>,
}

/// On or off for all of a kind, or a setting for each by name.
#[derive(Debug, Clone, PartialEq)]
pub enum SwitchConfig<T> {
    All(bool),
    Each(BTreeMap<String, T>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SwitchConfig<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SwitchVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for SwitchVisitor<T> {
            type Value = SwitchConfig<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or an object with one entry for each")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<SwitchConfig<T>, E> {
                Ok(SwitchConfig::All(on))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SwitchConfig<T>, A::Error> {
                decode_object(map).map(SwitchConfig::Each)
            }
        }

        deserializer.deserialize_any(SwitchVisitor(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for SwitchConfig<T> {
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
