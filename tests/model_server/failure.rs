//! How each provider reports errors: one table, for responses and for errors inside a stream.

use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::ScriptedWire;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScriptedErrorKind {
    RateLimit,
    /// The credit is used up; waiting does not help.
    Quota,
    Overloaded,
    Server,
    Invalid,
    ContextTooLong,
    Unauthorized,
    Forbidden,
    NotFound,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptedError {
    pub(crate) kind: ScriptedErrorKind,
    pub(crate) message: String,
    /// Replaces the wire's own code for `kind`.
    #[serde(default)]
    pub(crate) code: Option<String>,
    /// In a Responses stream: an `error` event instead of `response.failed`.
    #[serde(default)]
    pub(crate) bare: bool,
}

impl ScriptedError {
    pub(crate) fn new(kind: ScriptedErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), code: None, bare: false }
    }

    pub(crate) fn status(&self, wire: ScriptedWire) -> u16 {
        match wire {
            ScriptedWire::Anthropic => anthropic(self.kind).0,
            ScriptedWire::Chat | ScriptedWire::Responses => openai(self.kind).0,
            ScriptedWire::Gemini => gemini(self.kind).0,
        }
    }

    /// The code by which a client distinguishes errors.
    pub(crate) fn code(&self, wire: ScriptedWire) -> &str {
        self.code.as_deref().unwrap_or(match wire {
            ScriptedWire::Anthropic => anthropic(self.kind).1,
            ScriptedWire::Chat | ScriptedWire::Responses => openai(self.kind).2,
            ScriptedWire::Gemini => gemini(self.kind).1,
        })
    }

    /// The body of the response; except on Responses also the data of the event.
    pub(crate) fn body(&self, wire: ScriptedWire) -> Value {
        let (message, code) = (&self.message, self.code(wire));
        match wire {
            ScriptedWire::Anthropic => {
                json!({ "type": "error", "error": { "type": code, "message": message } })
            }
            ScriptedWire::Chat | ScriptedWire::Responses => {
                let kind = openai(self.kind).1;
                json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
            }
            ScriptedWire::Gemini => {
                json!({ "error": { "code": self.status(wire), "message": message, "status": code } })
            }
        }
    }
}

/// Status and `error.type`.
fn anthropic(kind: ScriptedErrorKind) -> (u16, &'static str) {
    match kind {
        ScriptedErrorKind::RateLimit => (429, "rate_limit_error"),
        ScriptedErrorKind::Quota => (402, "billing_error"),
        ScriptedErrorKind::Overloaded => (529, "overloaded_error"),
        ScriptedErrorKind::Server => (500, "api_error"),
        ScriptedErrorKind::Invalid | ScriptedErrorKind::ContextTooLong => (400, "invalid_request_error"),
        ScriptedErrorKind::Unauthorized => (401, "authentication_error"),
        ScriptedErrorKind::Forbidden => (403, "permission_error"),
        ScriptedErrorKind::NotFound => (404, "not_found_error"),
    }
}

/// Status, `error.type` and `error.code`.
fn openai(kind: ScriptedErrorKind) -> (u16, &'static str, &'static str) {
    match kind {
        ScriptedErrorKind::RateLimit => (429, "requests", "rate_limit_exceeded"),
        ScriptedErrorKind::Quota => (429, "insufficient_quota", "insufficient_quota"),
        ScriptedErrorKind::Overloaded => (503, "server_error", "server_is_overloaded"),
        ScriptedErrorKind::Server => (500, "server_error", "server_error"),
        ScriptedErrorKind::Invalid => (400, "invalid_request_error", "invalid_value"),
        ScriptedErrorKind::ContextTooLong => (400, "invalid_request_error", "context_length_exceeded"),
        ScriptedErrorKind::Unauthorized => (401, "invalid_request_error", "invalid_api_key"),
        ScriptedErrorKind::Forbidden => {
            (403, "invalid_request_error", "unsupported_country_region_territory")
        }
        ScriptedErrorKind::NotFound => (404, "invalid_request_error", "model_not_found"),
    }
}

/// Status (also `error.code`) and `error.status`.
fn gemini(kind: ScriptedErrorKind) -> (u16, &'static str) {
    match kind {
        ScriptedErrorKind::RateLimit | ScriptedErrorKind::Quota => (429, "RESOURCE_EXHAUSTED"),
        ScriptedErrorKind::Overloaded => (503, "UNAVAILABLE"),
        ScriptedErrorKind::Server => (500, "INTERNAL"),
        // Gemini reports a wrong key as an invalid argument.
        ScriptedErrorKind::Invalid | ScriptedErrorKind::ContextTooLong | ScriptedErrorKind::Unauthorized => {
            (400, "INVALID_ARGUMENT")
        }
        ScriptedErrorKind::Forbidden => (403, "PERMISSION_DENIED"),
        ScriptedErrorKind::NotFound => (404, "NOT_FOUND"),
    }
}
