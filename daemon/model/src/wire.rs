//! The four wires: each encodes a request as a provider's JSON and decodes a provider's events into a
//! [`ResponseBuilder`].
//!
//! One folder per wire with `encode` and `decode`; wire types are private to it. Encoding is pure and borrows
//! the request; the body is built once and reused on every retry. Decoders are tolerant: they skip what they
//! do not know.

mod anthropic;
mod call_names;
mod gemini;
mod lenient;
mod media;
mod openai_chat;
mod openai_responses;

use serde::Serialize;

use crate::catalogue::ModelSpec;
use crate::error::ModelError;
use crate::provider::{AuthScheme, Provider, WireProtocol};
use crate::request::{AssistantPart, ModelRequest, ProviderMetadata};
use crate::response_builder::{ResponseBuilder, StreamFault};
use crate::sse;

#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestTarget<'a> {
    pub(crate) provider: &'a Provider,
    pub(crate) info: &'a ModelSpec,
}

impl RequestTarget<'_> {
    /// An echo returns only to the model that produced it.
    fn own_metadata<'e>(&self, echo: Option<&'e ProviderMetadata>) -> Option<&'e ProviderMetadata> {
        echo.filter(|echo| echo.provider == self.provider.id && echo.model == self.info.id)
    }
}

#[derive(Debug)]
pub(crate) struct EncodedRequest {
    /// Appended to the provider's address.
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl EncodedRequest {
    fn new(path: impl Into<String>, body: &impl Serialize) -> Result<Self, ModelError> {
        let body = serde_json::to_vec(body).map_err(|error| {
            ModelError::invalid_settings(format!("cannot write the request as JSON: {error}"))
        })?;
        Ok(Self { path: path.into(), headers: Vec::new(), body })
    }
}

/// Decodes one message of the stream into the response.
pub(crate) trait StreamDecoder: Send {
    fn read_message(
        &mut self,
        message: &sse::SseMessage,
        answer: &mut ResponseBuilder,
    ) -> Result<(), StreamFault>;
}

impl WireProtocol {
    pub(crate) fn encode(
        self,
        target: RequestTarget<'_>,
        request: &ModelRequest,
    ) -> Result<EncodedRequest, ModelError> {
        match self {
            Self::Anthropic => anthropic::encode(target, request),
            Self::OpenaiChat => openai_chat::encode(target, request),
            Self::OpenaiResponses => openai_responses::encode(target, request),
            Self::Gemini => gemini::encode(target, request),
        }
    }

    pub(crate) fn decoder(self) -> Box<dyn StreamDecoder> {
        match self {
            Self::Anthropic => Box::<anthropic::AnthropicDecoder>::default(),
            Self::OpenaiChat => Box::<openai_chat::ChatDecoder>::default(),
            Self::OpenaiResponses => Box::<openai_responses::ResponsesDecoder>::default(),
            Self::Gemini => Box::<gemini::GeminiDecoder>::default(),
        }
    }

    pub(crate) fn default_auth(self) -> AuthScheme {
        match self {
            Self::Anthropic => AuthScheme::XApiKey,
            Self::OpenaiChat | Self::OpenaiResponses => AuthScheme::Bearer,
            Self::Gemini => AuthScheme::XGoogApiKey,
        }
    }
}

/// The parts up to the last text or call. A response that was cut off while the model was thinking ends in
/// reasoning, and wires that sign reasoning reject such a message.
fn without_trailing_reasoning(parts: &[AssistantPart]) -> &[AssistantPart] {
    let is_said = |part: &AssistantPart| match part {
        AssistantPart::Text(text) => !text.text.trim().is_empty(),
        AssistantPart::Reasoning(_) => false,
        AssistantPart::Call(_) => true,
    };
    let length = parts.iter().rposition(is_said).map_or(0, |last| last + 1);
    parts.get(..length).unwrap_or_default()
}

/// Parses one event; the error shows its beginning.
fn parse<T: serde::de::DeserializeOwned>(data: &str) -> Result<T, StreamFault> {
    let parsed = serde_json::from_str(data).or_else(|error| match lenient::replace_lone_surrogates(data) {
        Some(repaired) => serde_json::from_str(&repaired),
        None => Err(error),
    });
    parsed.map_err(|error| {
        let beginning: String = data.chars().take(120).collect();
        StreamFault::Malformed(format!("{error} in `{beginning}`"))
    })
}
