//! Errors between the daemon and an editor.

use copydesk_text::InvertedRangeError;
use thiserror::Error;

/// A client's report that cannot be true. From then on the daemon does not know the buffer's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SyncError {
    #[error("the document is not open")]
    NotOpen,
    #[error("the editor sent version {told} after version {known}")]
    Stale { known: i32, told: i32 },
    #[error(transparent)]
    Backwards(InvertedRangeError),
    #[error("the editor sent a change that could not be parsed")]
    Unreadable,
}

/// Why a client did not do what the daemon asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditorError {
    /// In the client's own words, if it sent any.
    #[error("{0}")]
    Declined(String),
    #[error("the editor is gone")]
    Disconnected,
    #[error("the editor did not answer in time")]
    TimedOut,
}
