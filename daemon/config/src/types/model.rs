//! One model of a provider: what it can do and what it costs.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{self, Visitor},
};
use serde_json::{Map, Value};

use crate::types::ConfigSecret;

/// A model. What is left out comes from the catalogue, if it knows the model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct ModelConfig {
    /// Its name in requests, where that is not the name used here.
    pub id: Option<String>,
    /// The name to show.
    pub name: Option<String>,
    /// How much it can read and write.
    pub limit: ModelLimitConfig,
    /// What it costs.
    pub cost: ModelCostConfig,
    /// It can call tools.
    pub tool_call: Option<bool>,
    /// It can think before it answers; a text names the way it is asked to.
    pub reasoning: Option<ReasoningConfig>,
    /// It can read attached files.
    pub attachment: Option<bool>,
    /// It can read images.
    pub images: Option<bool>,
    /// It can read PDF files.
    pub pdf: Option<bool>,
    /// It accepts a temperature.
    pub temperature: Option<bool>,
    /// It caches the beginning of a prompt where it is told to.
    pub caching: Option<bool>,
    /// How it changes files: by `replace` (with the tools `edit`, `multiedit` and `write`) or by `patch` (with
    /// `apply_patch`). Where it is left out, models of the GPT family patch.
    pub edits: Option<EditFormatConfig>,
    /// What it can read and write, as lists.
    pub modalities: ModalitiesConfig,
    /// Sent along with every request, as the protocol has it.
    pub options: Map<String, Value>,
    /// Headers to send with every request for this model.
    pub headers: BTreeMap<String, ConfigSecret>,
    /// Do not offer it.
    pub disabled: Option<bool>,
    /// Sets of options to choose between, by name.
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
    /// Of the prompt.
    #[serde(deserialize_with = "price")]
    #[schemars(range(min = 0))]
    pub input: Option<f64>,
    /// Of the answer.
    #[serde(deserialize_with = "price")]
    #[schemars(range(min = 0))]
    pub output: Option<f64>,
    /// Of the part of the prompt that was cached.
    #[serde(deserialize_with = "price")]
    #[schemars(range(min = 0))]
    pub cache_read: Option<f64>,
    /// Of putting a part of the prompt into the cache.
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

/// How a model changes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EditFormatConfig {
    /// One text in the place of another, or a whole file.
    Replace,
    /// By patches.
    Patch,
}

/// Whether a model can think before it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReasoningConfig {
    Plain(bool),
    /// The way it is asked to, by name.
    Named(String),
}

impl<'de> Deserialize<'de> for ReasoningConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ReasoningVisitor;

        impl Visitor<'_> for ReasoningVisitor {
            type Value = ReasoningConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false or a text in double quotes")
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
