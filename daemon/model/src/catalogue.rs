//! The catalogue of known models: limits, prices, abilities.
//!
//! `catalogue/models.json` is the data; a user's configuration extends or corrects it. A model that is not
//! listed works too, with careful defaults: it may call tools, gets no images, and has no price.

mod families;
mod prices;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use families::EditStyle;
pub use prices::{LongPromptPrices, ModelPrices, TokenPrices};

use crate::request::{MediaPart, ReasoningEffort};

/// Of a model that is not known, on this machine: the smallest context that local servers give coding models by default, if they are
/// not asked for more.
const UNKNOWN_LOCAL_CONTEXT: u64 = 32_768;
/// The same, of a vendor: the smallest context that vendors give coding models.
const UNKNOWN_REMOTE_CONTEXT: u64 = 128_000;
/// No model works with less.
pub(crate) const MIN_CONTEXT: u64 = 1_024;
const UNKNOWN_OUTPUT: u64 = 8_192;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelSpec {
    pub id: String,
    pub name: String,
    /// Prompt and response together, in tokens.
    pub context: u64,
    /// Neither the catalogue nor the user nor the server says how large the context is.
    #[serde(skip)]
    pub is_context_assumed: bool,
    /// Response limit, in tokens.
    pub output: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<ModelPrices>,
    pub tools: bool,
    pub images: bool,
    pub pdf: bool,
    pub caching: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<ReasoningControl>,
    /// The efforts it accepts; empty if unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub efforts: Vec<ReasoningEffort>,
    /// Whether it accepts `temperature` and `top_p`.
    pub temperature: bool,
    /// Whether a request can force a tool call; some models reject that while they reason.
    pub forced_tool: bool,
    /// The kind of edit tool it is trained on.
    #[serde(skip_serializing_if = "EditStyle::is_usual")]
    pub edits: EditStyle,
    /// The last day on which the provider serves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retired: Option<String>,
    /// False for the defaults of an unlisted model.
    pub known: bool,
}

impl ModelSpec {
    pub fn accepts_media(&self, media: &MediaPart) -> bool {
        (media.is_image() && self.images) || (media.is_pdf() && self.pdf)
    }
}

/// How a request controls the model's reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReasoningControl {
    /// The model decides; an effort guides it (Anthropic).
    Adaptive,
    /// A number of tokens (older Anthropic and Gemini models).
    Budget,
    /// A named level (newer Gemini models).
    Level,
    /// A named effort (OpenAI and compatible servers).
    Effort,
    /// It always reasons and accepts no control.
    Always,
}

/// One entry of `models.json`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueEntry {
    name: String,
    context: u64,
    output: u64,
    cost: Option<ModelPrices>,
    #[serde(default)]
    abilities: Vec<ModelAbility>,
    reasoning: Option<ReasoningControl>,
    #[serde(default)]
    efforts: Vec<ReasoningEffort>,
    temperature: Option<bool>,
    forced_tool: Option<bool>,
    edits: Option<EditStyle>,
    #[serde(default)]
    aliases: Vec<String>,
    retired: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ModelAbility {
    Tools,
    Images,
    Pdf,
    Reasoning,
    Caching,
}

/// Provider to models, in the file's order.
type CatalogueTable = BTreeMap<String, Vec<(String, CatalogueEntry)>>;

static TABLE: LazyLock<CatalogueTable> = LazyLock::new(|| {
    let parsed: Result<BTreeMap<String, serde_json::Map<String, serde_json::Value>>, _> =
        serde_json::from_str(include_str!("catalogue/models.json"));
    // A test parses every entry strictly; in production an unreadable entry is skipped, not fatal.
    parsed
        .unwrap_or_default()
        .into_iter()
        .map(|(provider, models)| {
            let entries =
                models.into_iter().filter_map(|(id, value)| Some((id, serde_json::from_value(value).ok()?)));
            (provider, entries.collect())
        })
        .collect()
});

/// The catalogue's models of a provider, most used first.
pub fn models_of(provider: &str) -> Vec<ModelSpec> {
    TABLE.get(provider).into_iter().flatten().map(|(id, entry)| entry.info(id)).collect()
}

/// Looks up a model. If the provider has no entry for it, another provider's entry supplies limits and
/// abilities, but not prices: each seller has its own.
pub fn look_up(provider: &str, id: &str) -> ModelSpec {
    let own = TABLE
        .get(provider)
        .and_then(|models| models.iter().find(|(name, entry)| entry.matches_name(name, id)));
    if let Some((_, entry)) = own {
        return entry.info(id);
    }
    // Resellers write `vendor/model`, and local servers `model:tag`.
    let bare = id.rsplit('/').next().unwrap_or(id).split(':').next().unwrap_or(id);
    let elsewhere = TABLE.values().flatten().find(|(name, entry)| entry.matches_name(name, bare));
    match elsewhere {
        Some((_, entry)) => ModelSpec { cost: None, ..entry.info(id) },
        None => ModelSpec::unknown(id),
    }
}

impl CatalogueEntry {
    fn matches_name(&self, name: &str, id: &str) -> bool {
        name == id || self.aliases.iter().any(|alias| alias == id)
    }

    fn info(&self, id: &str) -> ModelSpec {
        let can = |ability| self.abilities.contains(&ability);
        ModelSpec {
            id: id.to_owned(),
            name: self.name.clone(),
            context: self.context,
            is_context_assumed: false,
            output: self.output,
            cost: self.cost.clone(),
            tools: can(ModelAbility::Tools),
            images: can(ModelAbility::Images),
            pdf: can(ModelAbility::Pdf),
            caching: can(ModelAbility::Caching),
            reasoning: self
                .reasoning
                .or_else(|| can(ModelAbility::Reasoning).then_some(ReasoningControl::Always)),
            efforts: self.efforts.clone(),
            temperature: self.temperature.unwrap_or(true),
            forced_tool: self.forced_tool.unwrap_or(true),
            edits: self.edits.unwrap_or_else(|| families::edit_style(id)),
            retired: self.retired.clone(),
            known: true,
        }
    }
}

impl ModelSpec {
    pub fn unknown(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            name: id.to_owned(),
            context: UNKNOWN_LOCAL_CONTEXT,
            is_context_assumed: true,
            output: UNKNOWN_OUTPUT,
            cost: None,
            tools: true,
            images: false,
            pdf: false,
            caching: false,
            reasoning: None,
            efforts: Vec::new(),
            temperature: true,
            forced_tool: true,
            edits: families::edit_style(id),
            retired: None,
            known: false,
        }
    }

    /// For a server on another machine.
    #[must_use]
    pub(crate) fn served_remotely(self) -> Self {
        let context = if self.is_context_assumed { UNKNOWN_REMOTE_CONTEXT } else { self.context };
        Self { context, ..self }
    }

    /// The nearest effort that the model accepts; the lower one on a tie. Never picks `Off` unless the
    /// request asks for it.
    pub(crate) fn nearest_effort(&self, wanted: ReasoningEffort) -> ReasoningEffort {
        let distance = |effort: &ReasoningEffort| (*effort as i32 - wanted as i32).abs();
        let fit = self
            .efforts
            .iter()
            .copied()
            .filter(|effort| *effort != ReasoningEffort::Off || wanted == ReasoningEffort::Off);
        fit.min_by_key(distance).unwrap_or(wanted)
    }
}

#[cfg(test)]
mod tests;
