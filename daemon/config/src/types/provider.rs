//! Providers of models, and how to reach them.

use std::{borrow::Cow, collections::BTreeMap, fmt, num::NonZeroU64};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, Unexpected, Visitor},
};
use serde_json::{Map, Value};

use crate::types::{ConfigSecret, ModelConfig};

/// A provider of models.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ProviderConfig {
    /// The name to show.
    pub name: Option<String>,
    /// The protocol it speaks. Needed only if the catalogue does not know the provider.
    pub wire: Option<WireConfig>,
    /// OpenCode's name for the protocol: the package that speaks it, such as `@ai-sdk/openai-compatible`.
    pub npm: Option<String>,
    /// The base URL of its API; `options.baseURL` overrides it.
    pub api: Option<String>,
    /// Environment variables that may contain its key. Copydesk uses the first that is set.
    pub env: Vec<String>,
    /// How to reach it.
    pub options: ProviderOptionsConfig,
    /// How it differs from its protocol.
    pub dialect: Map<String, Value>,
    /// Its models, by the name used here.
    pub models: BTreeMap<String, ModelConfig>,
    /// If set, the only models to offer.
    pub whitelist: Option<Vec<String>>,
    /// Models not to offer.
    pub blacklist: Vec<String>,
}

/// A protocol between Copydesk and a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WireConfig {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions; most other servers imitate it.
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
    /// The base URL of its API, including the version.
    #[serde(rename = "baseURL")]
    pub base_url: Option<String>,
    /// The API key. Do not write it here: use `{env:NAME}` or `{file:path}`.
    #[serde(rename = "apiKey")]
    pub api_key: Option<ConfigSecret>,
    /// Milliseconds to wait for the first byte of an answer; `false` to wait forever.
    pub timeout: Option<TimeoutConfig>,
    /// Milliseconds that a streamed answer may pause before Copydesk treats it as broken.
    #[serde(rename = "chunkTimeout")]
    pub chunk_timeout: Option<NonZeroU64>,
    /// Headers to send with every request.
    pub headers: BTreeMap<String, ConfigSecret>,
    /// Query parameters to add to the URL of every request.
    pub query: BTreeMap<String, ConfigSecret>,
    /// Tell the provider which requests share a prompt, so that it caches better.
    #[serde(rename = "setCacheKey")]
    pub set_cache_key: Option<bool>,
}

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
