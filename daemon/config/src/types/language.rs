//! Language servers, checkers and formatters, and how Copydesk reports diagnostics.

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
    /// File name extensions that it handles, with the dot.
    pub extensions: Vec<String>,
    /// Do not use it.
    pub disabled: Option<bool>,
    /// Environment variables to add.
    pub env: BTreeMap<String, ConfigSecret>,
    /// The `initializationOptions` to send.
    pub initialization: Map<String, Value>,
    /// The settings to answer `workspace/configuration` with, by section.
    pub settings: Map<String, Value>,
    /// Files that mark a project's root. Copydesk uses the nearest folder that contains one.
    pub roots: Vec<String>,
    /// Run it beside the usual server of the language, not in its place. For servers that Copydesk does not know.
    pub beside: Option<bool>,
}

/// A program that checks saved files.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct CheckerConfig {
    /// The program and its arguments. With `$FILE` among them it runs once for each file, else once for the whole project.
    pub command: Vec<String>,
    /// File name extensions that it handles, with the dot, or whole file names.
    pub extensions: Vec<String>,
    /// The format of its output.
    pub format: Option<CheckerFormat>,
    /// What its columns count; characters by default.
    pub columns: Option<CheckerColumns>,
    /// Files that mark a project's root. Copydesk uses the nearest folder that contains one.
    pub roots: Vec<String>,
    /// Do not use it.
    pub disabled: Option<bool>,
    /// Environment variables to add.
    pub environment: BTreeMap<String, ConfigSecret>,
    /// Timeout in milliseconds.
    pub timeout: Option<NonZeroU64>,
}

/// The format of a checker's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckerFormat {
    /// The output of `cargo check --message-format=json`.
    Cargo,
    /// JSON in which problems are objects with a file, a line and a message; most linters print it.
    Json,
    /// SARIF version 2, the standard format of static analysis.
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
    /// UTF-16 code units, as in JavaScript.
    Utf16,
}

/// What the model is told about problems that its edits cause.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct DiagnosticsConfig {
    /// Report problems to the model. `true` by default.
    pub enabled: Option<bool>,
    /// How long an edit waits for diagnostics, in milliseconds; 3000 by default.
    pub wait: Option<u64>,
    /// Report new warnings too, not only errors.
    pub warnings: Option<bool>,
    /// Where diagnostics come from; all sources by default.
    pub sources: Option<Vec<DiagnosticsSourceConfig>>,
    /// `false`: Copydesk starts no program that lies in the project (except by its absolute path) and lets no server run the project's code:
    /// no build scripts, procedural macros and `cargo check` of rust-analyzer, no servers that load that code themselves. `true` by default.
    pub project_programs: Option<bool>,
}

/// A source of diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticsSourceConfig {
    /// The attached editor, with its own language servers.
    Editor,
    /// Language servers that Copydesk runs.
    Servers,
    /// The `checkers`.
    Checkers,
    /// Syntax errors found by the language's grammar.
    Syntax,
}

/// A formatter.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct FormatterConfig {
    /// The program and its arguments. `$FILE` is a copy of the file, which the program changes. Without `$FILE` it reads the text from
    /// standard input and prints the new text.
    pub command: Vec<String>,
    /// File name extensions that it handles, with the dot.
    pub extensions: Vec<String>,
    /// Do not use it.
    pub disabled: Option<bool>,
    /// Environment variables to add.
    pub environment: BTreeMap<String, ConfigSecret>,
}

/// On or off for all of a kind, or settings by name.
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
