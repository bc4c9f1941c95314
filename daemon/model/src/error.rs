//! Why a request to a model failed, in words for the one who can act.

use std::time::Duration;

/// `message` is for a person: what happened, with whom, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    pub message: String,
    pub status: Option<u16>,
    /// How long the server asked us to wait.
    pub retry_after: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// The connection could not be made or broke.
    Network,
    /// Nothing listens at a loopback address: a local server that is not running.
    Down,
    Tls,
    /// Nothing came for longer than the idle limit.
    Stalled,
    /// The body ended before the answer did.
    EndedEarly,
    /// An event that cannot be read as the wire's JSON.
    Malformed,
    /// 408, 409 and their like: the server asks for another try.
    Transient,
    RateLimited,
    Overloaded,
    /// 5xx.
    Server,
    /// No key, or one that is not accepted.
    Key,
    /// The key is good but may not do this.
    Forbidden,
    /// No such model, or no such address.
    NotFound,
    /// The account has no credit left.
    Quota,
    /// The conversation is longer than the model's context.
    ContextOverflow,
    BadRequest,
    /// What answers is not a model server: a web page, a redirect, another protocol.
    NotAModel,
    /// The answer is larger than we are willing to hold.
    TooLarge,
    /// The request cannot be made with these settings.
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
