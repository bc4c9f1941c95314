//! The user's settings for providers and models, in this crate's types.
//!
//! The configuration loader fills them in; nothing here knows files or key names.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::catalogue::{EditStyle, ModelPrices, ModelSpec, ReasoningControl};
use crate::model::RequestDefaults;
use crate::provider::{SecretString, WireProtocol};
use crate::retry::RetryPolicy;

#[derive(Debug, Clone, Default)]
pub struct RegistrySettings {
    pub providers: BTreeMap<String, ProviderSettings>,
    /// If set, only these providers exist.
    pub enabled: Option<Vec<String>>,
    pub disabled: Vec<String>,
    pub policy: RetryPolicy,
}

#[derive(Debug, Clone, Default)]
pub struct ProviderSettings {
    pub name: Option<String>,
    pub wire: Option<WireProtocol>,
    /// The AI SDK package that an OpenCode configuration names.
    pub npm: Option<String>,
    pub base_url: Option<AddressSetting>,
    pub key: Option<SettingValue<SecretString>>,
    /// Environment variables for the key, tried before the known ones.
    pub key_names: Vec<String>,
    pub headers: Vec<(String, SettingValue<SecretString>)>,
    pub query: Vec<(String, SettingValue<String>)>,
    /// `Some(None)`: no timeout for the first byte.
    pub first_byte: Option<Option<Duration>>,
    pub idle: Option<Duration>,
    pub cache_key: Option<bool>,
    /// Dialect entries to replace.
    pub dialect: Map<String, Value>,
    pub models: Vec<(String, ModelSettings)>,
    /// If not empty, only these models are listed.
    pub whitelist: Vec<String>,
    pub blacklist: Vec<String>,
}

/// A configured value, and whether the user vouches for it or only a repository set it.
#[derive(Debug, Clone)]
pub struct SettingValue<T> {
    pub value: T,
    pub is_trusted: bool,
}

pub type AddressSetting = SettingValue<String>;

#[derive(Debug, Clone, Default)]
pub struct ModelSettings {
    /// The name on the wire, if it differs from the configuration's.
    pub id: Option<String>,
    pub name: Option<String>,
    pub context: Option<u64>,
    pub output: Option<u64>,
    pub cost: Option<ModelPrices>,
    pub tools: Option<bool>,
    pub images: Option<bool>,
    pub pdf: Option<bool>,
    pub temperature: Option<bool>,
    pub caching: Option<bool>,
    pub edits: Option<EditStyle>,
    pub reasoning: Option<ReasoningSetting>,
    pub disabled: bool,
    /// Sent in addition to the provider's.
    pub headers: Vec<(String, SettingValue<SecretString>)>,
    pub defaults: RequestDefaults,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningSetting {
    Disabled,
    /// The usual control on the provider's wire.
    WireDefault,
    Control(ReasoningControl),
}

impl ModelSettings {
    /// The catalogue's values, overridden by the user's.
    pub(crate) fn apply_to(&self, info: ModelSpec, wire: WireProtocol) -> ModelSpec {
        let usual = match wire {
            WireProtocol::Anthropic => ReasoningControl::Adaptive,
            WireProtocol::OpenaiChat | WireProtocol::OpenaiResponses => ReasoningControl::Effort,
            WireProtocol::Gemini => ReasoningControl::Level,
        };
        let reasoning = match self.reasoning {
            None => info.reasoning,
            Some(ReasoningSetting::Disabled) => None,
            Some(ReasoningSetting::WireDefault) => info.reasoning.or(Some(usual)),
            Some(ReasoningSetting::Control(control)) => Some(control),
        };
        ModelSpec {
            id: self.id.clone().unwrap_or(info.id),
            name: self.name.clone().unwrap_or(info.name),
            context: self.context.filter(|tokens| *tokens > 0).unwrap_or(info.context),
            is_context_assumed: info.is_context_assumed && self.context.is_none_or(|tokens| tokens == 0),
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
