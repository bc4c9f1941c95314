//! A request to a model: the conversation so far and the available tools.
//!
//! Neutral data that every wire can express and that shows no wire's shapes. Order matters everywhere: the
//! longer the prefix that two requests share, the more of it a provider's cache can serve.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Debug, Clone, Default)]
pub struct ModelRequest {
    /// The system prompt in blocks, most stable first.
    pub system: Vec<String>,
    pub messages: Vec<ModelMessage>,
    /// Sent sorted by name, so that the registration order never invalidates a cache.
    pub tools: Vec<ToolSpec>,
    pub tool_choice: ToolChoice,
    /// Token limit of the response; defaults to the model's own limit.
    pub max_output: Option<u64>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    /// Defaults to the provider's setting.
    pub effort: Option<ReasoningEffort>,
    /// Constant within a session: providers route by it, so that requests hit their caches.
    pub cache_key: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelMessage {
    User(Vec<UserPart>),
    /// The parts of one step, in the order the model wrote them.
    Assistant(Vec<AssistantPart>),
    /// The outputs of the previous step's calls.
    Results(Vec<ToolResultPart>),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserPart {
    Text(String),
    /// What the program itself says, marked as such. Only a model without a server has to tell it from what the user says.
    Note(String),
    Media(MediaPart),
}

/// An image or a PDF. A model that does not accept it gets a line of text instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaPart {
    pub mime: String,
    pub base64: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl MediaPart {
    pub fn is_image(&self) -> bool {
        self.mime.starts_with("image/")
    }

    pub fn is_pdf(&self) -> bool {
        self.mime == "application/pdf"
    }

    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.mime, self.base64)
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssistantPart {
    Text(TextPart),
    Reasoning(ReasoningPart),
    Call(ToolCallPart),
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct TextPart {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<ProviderMetadata>,
}

/// The visible part of the model's reasoning, and the signature that the provider wants returned.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ReasoningPart {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<ProviderMetadata>,
}

/// A tool call. `arguments` is the JSON text as the model wrote it; it may be invalid, and the tool runner
/// then reports that to the model. `id` is unique within the step, whatever the server sent.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ToolCallPart {
    pub id: String,
    pub name: String,
    pub arguments: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<ProviderMetadata>,
}

/// Provider data (a signature, an encrypted block) that is echoed byte for byte to the model that produced
/// it, and to no other.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProviderMetadata {
    pub provider: String,
    pub model: String,
    #[serde(with = "as_text")]
    pub data: Box<RawValue>,
}

/// Serialises raw JSON as a string. Inside a tagged enum, serde could not read it back as a value, because it
/// buffers values of its own.
mod as_text {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};
    use serde_json::value::RawValue;

    pub(super) fn serialize<S: Serializer>(data: &RawValue, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(data.get())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RawValue>, D::Error> {
        RawValue::from_string(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ToolResultPart {
    /// The `id` of the call.
    pub id: String,
    pub name: String,
    pub output: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<MediaPart>,
    #[serde(default)]
    pub is_error: bool,
}

/// A tool as the model sees it. `parameters` is a JSON Schema of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub parameters: Arc<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    #[default]
    Auto,
    /// The model must call some tool.
    Required,
    /// The model must respond in text.
    None,
    Named(String),
}

/// How hard the model should think. Each wire uses the nearest level that the model supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReasoningEffort {
    #[serde(alias = "none")]
    Off,
    Minimal,
    Low,
    Medium,
    High,
    XHigh,
    Max,
}

impl ReasoningEffort {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Off => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

impl ModelRequest {
    pub(crate) fn sorted_tools(&self) -> Vec<&ToolSpec> {
        let mut tools: Vec<_> = self.tools.iter().collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        tools
    }
}
