//! Who serves models, and how to talk to them.

use std::{borrow::Cow, collections::BTreeMap, fmt, num::NonZeroU64};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, Unexpected, Visitor},
};
use serde_json::{Map, Value};

use crate::types::{ConfigSecret, ModelConfig};

/// Someone who serves models.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ProviderConfig {
    /// The name to show.
    pub name: Option<String>,
    /// The protocol it speaks. Needed only where the catalogue does not know the provider.
    pub wire: Option<WireConfig>,
    /// OpenCode's way to say the protocol: the package that speaks it, such as `@ai-sdk/openai-compatible`.
    pub npm: Option<String>,
    /// The address of its interface; `options.baseURL` wins over it.
    pub api: Option<String>,
    /// Environment variables that may hold its key; the first that is set is used.
    pub env: Vec<String>,
    /// How to reach it.
    pub options: ProviderOptionsConfig,
    /// Where it departs from its protocol.
    pub dialect: Map<String, Value>,
    /// Its models, by the name used here.
    pub models: BTreeMap<String, ModelConfig>,
    /// If set, the only models to offer.
    pub whitelist: Option<Vec<String>>,
    /// Models not to offer.
    pub blacklist: Vec<String>,
}

/// A protocol that models are served over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireConfig {
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
pub struct ProviderOptionsConfig {
    /// The address of its interface, up to and with the version.
    #[serde(rename = "baseURL")]
    pub base_url: Option<String>,
    /// The key. Better not written here: use `{env:NAME}` or `{file:path}`.
    #[serde(rename = "apiKey")]
    pub api_key: Option<ConfigSecret>,
    /// Milliseconds to wait for the first byte of an answer; `false` to wait for ever.
    pub timeout: Option<TimeoutConfig>,
    /// Milliseconds an answer may pause before it counts as broken.
    #[serde(rename = "chunkTimeout")]
    pub chunk_timeout: Option<NonZeroU64>,
    /// Headers to send with every request.
    pub headers: BTreeMap<String, ConfigSecret>,
    /// Parameters to add to the address of every request.
    pub query: BTreeMap<String, ConfigSecret>,
    /// Tell the provider which requests share a prompt, so that it can cache better.
    #[serde(rename = "setCacheKey")]
    pub set_cache_key: Option<bool>,
}

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutConfig {
    Never,
    Milliseconds(NonZeroU64),
}

impl<'de> Deserialize<'de> for TimeoutConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TimeoutVisitor;

        impl Visitor<'_> for TimeoutVisitor {
            type Value = TimeoutConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("milliseconds (a whole number above 0) or false")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<TimeoutConfig, E> {
                if on { Err(E::invalid_value(Unexpected::Bool(on), &self)) } else { Ok(TimeoutConfig::Never) }
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<TimeoutConfig, E> {
                let milliseconds = NonZeroU64::new(value);
                milliseconds
                    .map(TimeoutConfig::Milliseconds)
                    .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(value), &self))
            }
        }

        deserializer.deserialize_any(TimeoutVisitor)
    }
}

impl JsonSchema for TimeoutConfig {
    fn schema_name() -> Cow<'static, str> {
        "Timeout".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": false }] })
    }
}
