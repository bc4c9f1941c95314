//! Why the host could not serve a request.

use copydesk_protocol::error::ErrorCode;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SessionHostError {
    #[error("{0}")]
    UnknownSession(String),
    #[error("{0}")]
    UnknownPart(String),
    #[error("{0}")]
    UnknownAgent(String),
    #[error("{0}")]
    UnknownModel(String),
    #[error("a turn is running in this session; cancel it, or wait until it ends")]
    Busy,
    #[error("{0}")]
    Failed(String),
}

impl SessionHostError {
    /// With the error's whole chain.
    pub fn failed(error: anyhow::Error) -> Self {
        let text = format!("{error:#}");
        // Before a request is sent, `ModelError` only means a model that cannot be used.
        if error.is::<copydesk_model::ModelError>() { Self::UnknownModel(text) } else { Self::Failed(text) }
    }

    pub fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownSession(_) => ErrorCode::UnknownSession,
            Self::UnknownPart(_) => ErrorCode::UnknownPart,
            Self::UnknownAgent(_) => ErrorCode::UnknownAgent,
            Self::UnknownModel(_) => ErrorCode::UnknownModel,
            Self::Busy => ErrorCode::Busy,
            Self::Failed(_) => ErrorCode::RequestFailed,
        }
    }
}
