//! Who serves models, and how to talk to them.

use std::{borrow::Cow, collections::BTreeMap, fmt, num::NonZeroU64};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, Unexpected, Visitor},
};
use serde_json::{Map, Value};

use crate::types::{Model, Secret};

/// Someone who serves models.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct Provider {
    /// The name to show.
    pub name: Option<String>,
    /// The protocol it speaks. Needed only where the catalogue does not know the provider.
    pub wire: Option<Wire>,
    /// OpenCode's way to say the protocol: the package that speaks it, such as `@ai-sdk/openai-compatible`.
    pub npm: Option<String>,
    /// The address of its interface; `options.baseURL` wins over it.
    pub api: Option<String>,
    /// Environment variables that may hold its key; the first that is set is used.
    pub env: Vec<String>,
    /// How to reach it.
    pub options: ProviderOptions,
    /// Where it departs from its protocol.
    pub dialect: Map<String, Value>,
    /// Its models, by the name used here.
    pub models: BTreeMap<String, Model>,
    /// If set, the only models to offer.
    pub whitelist: Option<Vec<String>>,
    /// Models not to offer.
    pub blacklist: Vec<String>,
}

/// A protocol that models are served over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions, which most other servers imitate.
    OpenaiChat,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Gemini.
    Gemini,
}

/// How to reach a provider.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ProviderOptions {
    /// The address of its interface, up to and with the version.
    #[serde(rename = "baseURL")]
    pub base_url: Option<String>,
    /// The key. Better not written here: use `{env:NAME}` or `{file:path}`.
    #[serde(rename = "apiKey")]
    pub api_key: Option<Secret>,
    /// Milliseconds to wait for the first byte of an answer; `false` to wait for ever.
    pub timeout: Option<Timeout>,
    /// Milliseconds an answer may pause before it counts as broken.
    #[serde(rename = "chunkTimeout")]
    pub chunk_timeout: Option<NonZeroU64>,
    /// Headers to send with every request.
    pub headers: BTreeMap<String, Secret>,
    /// Parameters to add to the address of every request.
    pub query: BTreeMap<String, Secret>,
    /// Tell the provider which requests share a prompt, so that it can cache better.
    #[serde(rename = "setCacheKey")]
    pub set_cache_key: Option<bool>,
}

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    Never,
    Milliseconds(NonZeroU64),
}

impl<'de> Deserialize<'de> for Timeout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;

        impl Visitor<'_> for Visit {
            type Value = Timeout;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("milliseconds (a whole number above 0) or false")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<Timeout, E> {
                if on { Err(E::invalid_value(Unexpected::Bool(on), &self)) } else { Ok(Timeout::Never) }
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Timeout, E> {
                let milliseconds = NonZeroU64::new(value);
                milliseconds
                    .map(Timeout::Milliseconds)
                    .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(value), &self))
            }
        }

        deserializer.deserialize_any(Visit)
    }
}

impl JsonSchema for Timeout {
    fn schema_name() -> Cow<'static, str> {
        "Timeout".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": false }] })
    }
}
