//! The four wires: a request into a provider's JSON, a provider's events into an [`Answer`].
//!
//! One folder per wire with `encode` and `decode`; wire types are private to it. Encoding is pure and borrows the
//! request: the body is built once and sent again as it is on every retry. Decoders are tolerant: what they do not know
//! they pass over.

mod anthropic;
mod gemini;
mod lenient;
mod media;
mod names;
mod openai_chat;
mod openai_responses;

use serde::Serialize;

use crate::answer::{Answer, Fault};
use crate::catalogue::ModelInfo;
use crate::error::Error;
use crate::provider::{Auth, Provider, Wire};
use crate::request::{Echo, Part, Request};
use crate::sse;

/// Whom a request is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) provider: &'a Provider,
    pub(crate) info: &'a ModelInfo,
}

impl Target<'_> {
    /// An echo goes back only to the model that made it.
    fn own<'e>(&self, echo: Option<&'e Echo>) -> Option<&'e Echo> {
        echo.filter(|echo| echo.provider == self.provider.id && echo.model == self.info.id)
    }
}

#[derive(Debug)]
pub(crate) struct Encoded {
    /// Appended to the provider's address.
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Encoded {
    fn new(path: impl Into<String>, body: &impl Serialize) -> Result<Self, Error> {
        let body = serde_json::to_vec(body)
            .map_err(|error| Error::settings(format!("the request cannot be written as JSON: {error}")))?;
        Ok(Self { path: path.into(), headers: Vec::new(), body })
    }
}

/// Reads one message of the stream into the answer.
pub(crate) trait Decoder: Send {
    fn read(&mut self, message: &sse::Message, answer: &mut Answer) -> Result<(), Fault>;
}

impl Wire {
    pub(crate) fn encode(self, target: Target<'_>, request: &Request) -> Result<Encoded, Error> {
        match self {
            Self::Anthropic => anthropic::encode(target, request),
            Self::OpenaiChat => openai_chat::encode(target, request),
            Self::OpenaiResponses => openai_responses::encode(target, request),
            Self::Gemini => gemini::encode(target, request),
        }
    }

    pub(crate) fn decoder(self) -> Box<dyn Decoder> {
        match self {
            Self::Anthropic => Box::<anthropic::Decode>::default(),
            Self::OpenaiChat => Box::<openai_chat::Decode>::default(),
            Self::OpenaiResponses => Box::<openai_responses::Decode>::default(),
            Self::Gemini => Box::<gemini::Decode>::default(),
        }
    }

    pub(crate) fn default_auth(self) -> Auth {
        match self {
            Self::Anthropic => Auth::XApiKey,
            Self::OpenaiChat | Self::OpenaiResponses => Auth::Bearer,
            Self::Gemini => Auth::XGoogApiKey,
        }
    }
}

/// The parts up to the last that is text or a call. An answer that was cut while the model thought ends in its thoughts,
/// and the wires that sign them refuse a message that does.
fn said(parts: &[Part]) -> &[Part] {
    let is_said = |part: &Part| match part {
        Part::Text(text) => !text.text.trim().is_empty(),
        Part::Reasoning(_) => false,
        Part::Call(_) => true,
    };
    let length = parts.iter().rposition(is_said).map_or(0, |last| last + 1);
    parts.get(..length).unwrap_or_default()
}

/// Parses one event; the fault shows its beginning.
fn parse<T: serde::de::DeserializeOwned>(data: &str) -> Result<T, Fault> {
    let parsed = serde_json::from_str(data).or_else(|error| match lenient::without_halves(data) {
        Some(repaired) => serde_json::from_str(&repaired),
        None => Err(error),
    });
    parsed.map_err(|error| {
        let beginning: String = data.chars().take(120).collect();
        Fault::Malformed(format!("{error} in `{beginning}`"))
    })
}
