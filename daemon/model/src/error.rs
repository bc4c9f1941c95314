//! Why a request to a model failed, worded for the user who can act on it.

use std::time::Duration;

/// `message` is for the user: what failed, at which provider, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    pub message: String,
    pub status: Option<u16>,
    /// The wait that the server asked for.
    pub retry_after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// No connection, or it broke.
    Network,
    /// A local server is not running: its loopback address refuses connections.
    Down,
    Tls,
    /// No data for longer than the idle timeout.
    Stalled,
    /// The body ended before the response was complete.
    EndedEarly,
    /// An event is not valid JSON of its wire.
    Malformed,
    /// 408, 409 and similar: the server asks for a retry.
    Transient,
    RateLimited,
    Overloaded,
    /// 5xx.
    Server,
    /// No key, or a rejected one.
    Key,
    /// The key is valid but lacks a right.
    Forbidden,
    /// Unknown model or URL.
    NotFound,
    /// The account has no credit left.
    Quota,
    /// The conversation no longer fits the model's context window.
    ContextOverflow,
    BadRequest,
    /// The other side is not a model server: a web page, a redirect, another protocol.
    NotAModel,
    /// The response exceeds our cap.
    TooLarge,
    /// The settings do not allow a valid request.
    Settings,
}

impl ModelErrorKind {
    pub fn is_retryable(self) -> bool {
        match self {
            Self::Network
            | Self::Stalled
            | Self::EndedEarly
            | Self::Malformed
            | Self::Transient
            | Self::RateLimited
            | Self::Overloaded
            | Self::Server => true,
            Self::Down
            | Self::Tls
            | Self::Key
            | Self::Forbidden
            | Self::NotFound
            | Self::Quota
            | Self::ContextOverflow
            | Self::BadRequest
            | Self::NotAModel
            | Self::TooLarge
            | Self::Settings => false,
        }
    }
}

impl ModelError {
    pub(crate) fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), status: None, retry_after: None }
    }

    pub(crate) fn invalid_settings(message: impl Into<String>) -> Self {
        Self::new(ModelErrorKind::Settings, message)
    }
}
