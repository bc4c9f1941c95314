//! One model of a provider: its abilities and its cost.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, Visitor},
};
use serde_json::{Map, Value};

use crate::types::ConfigSecret;

/// A model. The catalogue supplies what is left out, if it knows the model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ModelConfig {
    /// Its name in requests, if it differs from the name used here.
    pub id: Option<String>,
    /// The name to show.
    pub name: Option<String>,
    /// How much it can read and write.
    pub limit: ModelLimitConfig,
    /// What it costs.
    pub cost: ModelCostConfig,
    /// It can call tools.
    pub tool_call: Option<bool>,
    /// It can reason before it answers; a string names the way to request that.
    pub reasoning: Option<ReasoningConfig>,
    /// It can read attached files.
    pub attachment: Option<bool>,
    /// It can read images.
    pub images: Option<bool>,
    /// It can read PDF files.
    pub pdf: Option<bool>,
    /// It accepts a temperature.
    pub temperature: Option<bool>,
    /// It caches the beginning of a prompt at marked places.
    pub caching: Option<bool>,
    /// How it edits files: `replace` (tools `edit`, `multiedit` and `write`) or `patch` (tool
    /// `apply_patch`). By default, models of the GPT family patch.
    pub edits: Option<EditFormatConfig>,
    /// What it can read and write, as lists.
    pub modalities: ModalitiesConfig,
    /// Options to add to every request, in the provider's own format.
    pub options: Map<String, Value>,
    /// Headers to send with every request for this model.
    pub headers: BTreeMap<String, ConfigSecret>,
    /// Do not offer it.
    pub disabled: Option<bool>,
    /// Sets of options, by name.
    pub variants: Map<String, Value>,
}

/// How much a model can read and write, in tokens.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ModelLimitConfig {
    /// Prompt and answer together.
    pub context: Option<u64>,
    /// The prompt alone.
    pub input: Option<u64>,
    /// The answer alone.
    pub output: Option<u64>,
}

/// What a model costs, in US dollars per million tokens.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ModelCostConfig {
    /// The prompt.
    #[serde(deserialize_with = "price")]
    #[schemars(range(min = 0))]
    pub input: Option<f64>,
    /// The answer.
    #[serde(deserialize_with = "price")]
    #[schemars(range(min = 0))]
    pub output: Option<f64>,
    /// The cached part of the prompt.
    #[serde(deserialize_with = "price")]
    #[schemars(range(min = 0))]
    pub cache_read: Option<f64>,
    /// Writing a part of the prompt to the cache.
    #[serde(deserialize_with = "price")]
    #[schemars(range(min = 0))]
    pub cache_write: Option<f64>,
}

/// What a model can read and write: `text`, `image`, `audio`, `video`, `pdf`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ModalitiesConfig {
    /// What it can read.
    pub input: Vec<String>,
    /// What it can write.
    pub output: Vec<String>,
}

/// How a model edits files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EditFormatConfig {
    /// Replace one text by another, or write a whole file.
    Replace,
    /// Apply patches.
    Patch,
}

/// Whether a model can reason before it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReasoningConfig {
    Plain(bool),
    /// The name of the way to request reasoning.
    Named(String),
}

impl<'de> Deserialize<'de> for ReasoningConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ReasoningVisitor;

        impl Visitor<'_> for ReasoningVisitor {
            type Value = ReasoningConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or a string in double quotes")
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<ReasoningConfig, E> {
                Ok(ReasoningConfig::Plain(on))
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<ReasoningConfig, E> {
                Ok(ReasoningConfig::Named(name.into()))
            }
        }

        deserializer.deserialize_any(ReasoningVisitor)
    }
}

impl JsonSchema for ReasoningConfig {
    fn schema_name() -> Cow<'static, str> {
        "Reasoning".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["boolean", "string"] })
    }
}

fn price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let price = f64::deserialize(deserializer)?;
    if price.is_finite() && price >= 0.0 {
        return Ok(Some(price));
    }
    Err(de::Error::custom("expected a price: a number, 0 or more"))
}
