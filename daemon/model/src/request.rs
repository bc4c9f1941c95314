//! What a model is asked: the conversation so far and the tools it may call.
//!
//! Neutral data: every wire can say it, none of its shapes show. Order matters everywhere: the longer the prefix that
//! two requests share, the more of it a provider's cache can serve.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Debug, Clone, Default)]
pub struct ModelRequest {
    /// The system prompt in blocks, the most stable first.
    pub system: Vec<String>,
    pub messages: Vec<ModelMessage>,
    /// Sent sorted by name, so that the order in which tools were registered never spoils a cache.
    pub tools: Vec<ToolSpec>,
    pub tool_choice: ToolChoice,
    /// Tokens the answer may have; the model's own limit where none is given.
    pub max_output: Option<u64>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    /// How hard to think; the provider's default where none is given.
    pub effort: Option<ReasoningEffort>,
    /// The same for all requests of one session: providers route by it, so that their caches are hit.
    pub cache_key: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelMessage {
    User(Vec<UserPart>),
    /// The parts of one step, in the order in which the model wrote them.
    Assistant(Vec<AssistantPart>),
    /// The outputs of the calls of the step before.
    Results(Vec<ToolResultPart>),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserPart {
    Text(String),
    Media(MediaPart),
}

/// An image or a PDF. A model that cannot take it gets a line of text in its place.
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

/// One part of what a model wrote.
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

/// What the model let us see of its thinking, and the proof of it that the provider wants back.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ReasoningPart {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<ProviderMetadata>,
}

/// A call of a tool. `arguments` is the JSON text as the model wrote it, which may be invalid: the one who runs the
/// call tells the model so. `id` is unique within the step, whatever the server sent.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ToolCallPart {
    pub id: String,
    pub name: String,
    pub arguments: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<ProviderMetadata>,
}

/// Something of the provider's own (a signature, an encrypted block) that goes back to the model that made it, byte for
/// byte, and to no other.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProviderMetadata {
    pub provider: String,
    pub model: String,
    #[serde(with = "as_text")]
    pub data: Box<RawValue>,
}

/// Raw JSON as a text. Kept as a value it could not be read back from inside a tagged enum, which serde reads by way of
/// values of its own.
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

/// A tool as the model is told of it. `parameters` is a JSON Schema of an object.
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
    /// It must call some tool.
    Required,
    /// It must answer in text.
    None,
    Named(String),
}

/// How hard a model is asked to think. Each wire takes the nearest level that the model knows.
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
