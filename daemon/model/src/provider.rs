//! A model provider: its address, wire protocol, key and dialect.
//!
//! A [`Provider`] is resolved: built from the table of known providers ([`known_providers`]) and the user's
//! settings, it holds everything a request needs. Differences between servers that claim to be compatible are
//! data ([`Dialect`]); the code of a wire never tests for a provider's name.

mod api_key;
mod dialect;
pub mod known_providers;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::http;
use crate::time_limits::{CONNECT_TIMEOUT, FIRST_BYTE_TIMEOUT, SILENCE_TIMEOUT, STREAM_IDLE_TIMEOUT};

pub use api_key::{ApiKey, KeyOrigin, SecretString};
pub use dialect::{
    AfterToolRole, AuthScheme, CacheStyle, CallIdFormat, Dialect, EffortField, EmptyContent, ReasoningEcho,
    SchemaStyle, TokenLimitField,
};

/// The four supported protocols.
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
    /// The display name.
    pub name: String,
    pub wire: WireProtocol,
    /// Without a trailing slash.
    pub base_url: String,
    pub key: Option<ApiKey>,
    /// Environment variables that may hold the key, for error messages.
    pub key_names: Vec<String>,
    pub headers: Vec<(String, SecretString)>,
    pub query: Vec<(String, String)>,
    pub dialect: Dialect,
    pub timeouts: RequestTimeouts,
    /// A server on this machine: no key, no price.
    pub is_local: bool,
}

/// None of these limits how long a healthy response may take: the largest models think for minutes without
/// output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestTimeouts {
    pub connect: Duration,
    /// From the request to the first byte of the response.
    pub first_byte: Option<Duration>,
    /// Between two chunks.
    pub idle: Duration,
    /// While only keep-alives come.
    pub silence: Duration,
}

impl Default for RequestTimeouts {
    fn default() -> Self {
        Self {
            connect: CONNECT_TIMEOUT,
            first_byte: Some(FIRST_BYTE_TIMEOUT),
            idle: STREAM_IDLE_TIMEOUT,
            silence: SILENCE_TIMEOUT,
        }
    }
}

impl RequestTimeouts {
    /// A local server first loads the model and then reads a long prompt, many minutes without output; a
    /// retry would start over.
    pub(crate) fn local() -> Self {
        let long = Self::default().silence;
        Self { first_byte: Some(long), idle: long, ..Self::default() }
    }
}

impl Provider {
    /// The address to show to users: without user name, password and query.
    pub(crate) fn redacted_address(&self) -> String {
        http::redact_address(&self.base_url)
    }

    /// Everything secret that a request contains, the longest first. A server may repeat it in an error.
    pub(crate) fn sent_secrets(&self) -> Vec<&str> {
        /// Shorter words of headers and queries are not secrets, and common in texts.
        const SHORTEST: usize = 8;
        let key = self.key.iter().map(|key| key.secret.expose()).filter(|key| !key.is_empty());
        let headers = self.headers.iter().flat_map(|(_, value)| value.expose().split_whitespace());
        let query = self.query.iter().flat_map(|(_, value)| value.split_whitespace());
        let words = headers.chain(query).filter(|word| word.len() >= SHORTEST);
        let mut secrets: Vec<_> = key.chain(words).collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets
    }

    /// Whether the address is on this machine, known provider or not.
    pub(crate) fn is_loopback(&self) -> bool {
        http::is_loopback(&self.base_url)
    }

    /// How to fix a missing or rejected key.
    pub(crate) fn key_advice(&self) -> String {
        let variable = match self.key_names.first() {
            Some(name) => format!("Set {name}, or run"),
            None => "Run".to_owned(),
        };
        format!("{variable} `copydesk auth add {}`.", self.id)
    }
}
