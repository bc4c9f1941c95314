//! What the user's configuration says of providers and models, in this room's words.
//!
//! Whoever reads the configuration fills these in; nothing here knows of files or their spelling.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::catalogue::{Edits, ModelInfo, Prices, ReasoningControl};
use crate::model::Defaults;
use crate::provider::{Secret, Wire};
use crate::retry::Policy;

#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub providers: BTreeMap<String, ProviderSettings>,
    /// Where given, no other providers exist.
    pub only: Option<Vec<String>>,
    pub disabled: Vec<String>,
    pub policy: Policy,
}

#[derive(Debug, Clone, Default)]
pub struct ProviderSettings {
    pub name: Option<String>,
    pub wire: Option<Wire>,
    /// The AI SDK package that an OpenCode configuration names.
    pub npm: Option<String>,
    pub base_url: Option<Address>,
    pub key: Option<Given<Secret>>,
    /// Environment variables to look for the key in, before the known ones.
    pub key_names: Vec<String>,
    pub headers: Vec<(String, Given<Secret>)>,
    pub query: Vec<(String, Given<String>)>,
    /// `Some(None)`: wait for the first byte without limit.
    pub first_byte: Option<Option<Duration>>,
    pub idle: Option<Duration>,
    pub cache_key: Option<bool>,
    /// Entries of the dialect to replace.
    pub dialect: Map<String, Value>,
    pub models: Vec<(String, ModelSettings)>,
    /// Where not empty, the only models to list.
    pub whitelist: Vec<String>,
    pub blacklist: Vec<String>,
}

/// A value from the configuration, and whether the person vouches for it or only a repository said it.
#[derive(Debug, Clone)]
pub struct Given<T> {
    pub value: T,
    pub trusted: bool,
}

pub type Address = Given<String>;

#[derive(Debug, Clone, Default)]
pub struct ModelSettings {
    /// The name on the wire, where it is not the name in the configuration.
    pub id: Option<String>,
    pub name: Option<String>,
    pub context: Option<u64>,
    pub output: Option<u64>,
    pub cost: Option<Prices>,
    pub tools: Option<bool>,
    pub images: Option<bool>,
    pub pdf: Option<bool>,
    pub temperature: Option<bool>,
    pub caching: Option<bool>,
    pub edits: Option<Edits>,
    pub reasoning: Option<Reasons>,
    pub disabled: bool,
    /// Sent beside the provider's.
    pub headers: Vec<(String, Given<Secret>)>,
    pub defaults: Defaults,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reasons {
    No,
    /// In the way that is usual on the provider's wire.
    Yes,
    By(ReasoningControl),
}

impl ModelSettings {
    /// The catalogue's word, corrected by the user's.
    pub(crate) fn correct(&self, info: ModelInfo, wire: Wire) -> ModelInfo {
        let usual = match wire {
            Wire::Anthropic => ReasoningControl::Adaptive,
            Wire::OpenaiChat | Wire::OpenaiResponses => ReasoningControl::Effort,
            Wire::Gemini => ReasoningControl::Level,
        };
        let reasoning = match self.reasoning {
            None => info.reasoning,
            Some(Reasons::No) => None,
            Some(Reasons::Yes) => info.reasoning.or(Some(usual)),
            Some(Reasons::By(control)) => Some(control),
        };
        ModelInfo {
            id: self.id.clone().unwrap_or(info.id),
            name: self.name.clone().unwrap_or(info.name),
            context: self.context.filter(|tokens| *tokens > 0).unwrap_or(info.context),
            output: self.output.filter(|tokens| *tokens > 0).unwrap_or(info.output),
            cost: self.cost.clone().or(info.cost),
            tools: self.tools.unwrap_or(info.tools),
            images: self.images.unwrap_or(info.images),
            pdf: self.pdf.unwrap_or(info.pdf),
            temperature: self.temperature.unwrap_or(info.temperature),
            caching: self.caching.unwrap_or(info.caching),
            edits: self.edits.unwrap_or(info.edits),
            reasoning,
            known: true,
            ..info
        }
    }
}
