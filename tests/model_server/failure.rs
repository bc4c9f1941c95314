//! How each provider says that it failed: one table, for answers and for errors in the middle of a stream.

use serde::Deserialize;
use serde_json::{Value, json};

use super::wire::Wire;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Failure {
    RateLimit,
    /// The money is gone, which waiting does not mend.
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
pub(crate) struct Fault {
    pub(crate) kind: Failure,
    pub(crate) message: String,
    /// Instead of the wire's own word for `kind`.
    #[serde(default)]
    pub(crate) code: Option<String>,
    /// Responses in a stream: an `error` event rather than `response.failed`.
    #[serde(default)]
    pub(crate) bare: bool,
}

impl Fault {
    pub(crate) fn new(kind: Failure, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), code: None, bare: false }
    }

    pub(crate) fn status(&self, wire: Wire) -> u16 {
        match wire {
            Wire::Anthropic => anthropic(self.kind).0,
            Wire::Chat | Wire::Responses => openai(self.kind).0,
            Wire::Gemini => gemini(self.kind).0,
        }
    }

    /// The word a client tells failures apart by.
    pub(crate) fn code(&self, wire: Wire) -> &str {
        self.code.as_deref().unwrap_or(match wire {
            Wire::Anthropic => anthropic(self.kind).1,
            Wire::Chat | Wire::Responses => openai(self.kind).2,
            Wire::Gemini => gemini(self.kind).1,
        })
    }

    /// The body of the answer; on all wires but Responses also the data of the event.
    pub(crate) fn body(&self, wire: Wire) -> Value {
        let (message, code) = (&self.message, self.code(wire));
        match wire {
            Wire::Anthropic => json!({ "type": "error", "error": { "type": code, "message": message } }),
            Wire::Chat | Wire::Responses => {
                let kind = openai(self.kind).1;
                json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
            }
            Wire::Gemini => {
                json!({ "error": { "code": self.status(wire), "message": message, "status": code } })
            }
        }
    }
}

/// Status and `error.type`.
fn anthropic(kind: Failure) -> (u16, &'static str) {
    match kind {
        Failure::RateLimit => (429, "rate_limit_error"),
        Failure::Quota => (402, "billing_error"),
        Failure::Overloaded => (529, "overloaded_error"),
        Failure::Server => (500, "api_error"),
        Failure::Invalid | Failure::ContextTooLong => (400, "invalid_request_error"),
        Failure::Unauthorized => (401, "authentication_error"),
        Failure::Forbidden => (403, "permission_error"),
        Failure::NotFound => (404, "not_found_error"),
    }
}

/// Status, `error.type` and `error.code`.
fn openai(kind: Failure) -> (u16, &'static str, &'static str) {
    match kind {
        Failure::RateLimit => (429, "requests", "rate_limit_exceeded"),
        Failure::Quota => (429, "insufficient_quota", "insufficient_quota"),
        Failure::Overloaded => (503, "server_error", "server_is_overloaded"),
        Failure::Server => (500, "server_error", "server_error"),
        Failure::Invalid => (400, "invalid_request_error", "invalid_value"),
        Failure::ContextTooLong => (400, "invalid_request_error", "context_length_exceeded"),
        Failure::Unauthorized => (401, "invalid_request_error", "invalid_api_key"),
        Failure::Forbidden => (403, "invalid_request_error", "unsupported_country_region_territory"),
        Failure::NotFound => (404, "invalid_request_error", "model_not_found"),
    }
}

/// Status (also `error.code`) and `error.status`.
fn gemini(kind: Failure) -> (u16, &'static str) {
    match kind {
        Failure::RateLimit | Failure::Quota => (429, "RESOURCE_EXHAUSTED"),
        Failure::Overloaded => (503, "UNAVAILABLE"),
        Failure::Server => (500, "INTERNAL"),
        // Gemini calls a wrong key an invalid argument.
        Failure::Invalid | Failure::ContextTooLong | Failure::Unauthorized => (400, "INVALID_ARGUMENT"),
        Failure::Forbidden => (403, "PERMISSION_DENIED"),
        Failure::NotFound => (404, "NOT_FOUND"),
    }
}
