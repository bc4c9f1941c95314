//! Who serves a model, at which address, over which wire, with which key and which habits.
//!
//! A [`ProviderConfig`] is settled: built from the table of known providers ([`known_providers`]) and the user's settings, it holds all
//! that a request needs. The differences between servers that claim to be compatible are data ([`Dialect`]), never a
//! test for a name in a wire's code.

mod api_key;
mod dialect;
pub mod known_providers;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::http;

pub use api_key::{ApiKey, KeyOrigin, SecretString};
pub use dialect::{
    AfterToolRole, AuthScheme, CacheStyle, CallIdFormat, Dialect, EffortField, EmptyContent, ReasoningEcho,
    SchemaStyle, TokenLimitField,
};

/// The four protocols that models are spoken to in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WireProtocol {
    Anthropic,
    OpenaiChat,
    OpenaiResponses,
    Gemini,
}

impl WireProtocol {
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::OpenaiChat, Self::OpenaiResponses, Self::Gemini];

    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Gemini => "gemini",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Provider {
    pub id: String,
    /// What a person calls it.
    pub name: String,
    pub wire: WireProtocol,
    /// Without a slash at the end.
    pub base_url: String,
    pub key: Option<ApiKey>,
    /// The environment variables a key may be in, for advice.
    pub key_names: Vec<String>,
    pub headers: Vec<(String, SecretString)>,
    pub query: Vec<(String, String)>,
    pub dialect: Dialect,
    pub timeouts: RequestTimeouts,
    /// A server on this machine: no key, no price.
    pub is_local: bool,
}

/// Nothing here limits how long a healthy answer may take: the largest models think for minutes without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestTimeouts {
    pub connect: Duration,
    /// From the request to the first byte of the answer.
    pub first_byte: Option<Duration>,
    /// Between two chunks.
    pub idle: Duration,
    /// With nothing but keep-alives coming.
    pub silence: Duration,
}

impl Default for RequestTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first_byte: Some(Duration::from_secs(600)),
            idle: Duration::from_secs(600),
            silence: Duration::from_secs(1200),
        }
    }
}

impl RequestTimeouts {
    /// A server on this machine loads the model first and reads a long prompt for many minutes without a word; asked
    /// again, it would begin anew.
    pub(crate) fn local() -> Self {
        let long = Self::default().silence;
        Self { first_byte: Some(long), idle: long, ..Self::default() }
    }
}

impl Provider {
    /// The address for a person to read: without the name, password and query that it may carry.
    pub(crate) fn redacted_address(&self) -> String {
        http::redact_address(&self.base_url)
    }

    /// Whether it is on this machine, whoever it is.
    pub(crate) fn is_loopback(&self) -> bool {
        http::is_loopback(&self.base_url)
    }

    /// What to do about a missing or refused key.
    pub(crate) fn key_advice(&self) -> String {
        let variable = match self.key_names.first() {
            Some(name) => format!("Set {name}, or run"),
            None => "Run".to_owned(),
        };
        format!("{variable} `copydesk auth add {}`.", self.id)
    }
}
