//! What goes wrong between us and an editor.

use copydesk_text::InvertedRangeError;
use thiserror::Error;

/// A client's word that cannot be true. The text is not known from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SyncError {
    #[error("the document is not open")]
    NotOpen,
    #[error("version {told} was told after version {known}")]
    Stale { known: i32, told: i32 },
    #[error(transparent)]
    Backwards(InvertedRangeError),
    #[error("a change of it could not be understood")]
    Unreadable,
}

/// Why a client did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditorError {
    /// In its own words, where it has any.
    #[error("{0}")]
    Declined(String),
    #[error("the editor is gone")]
    Disconnected,
    #[error("the editor did not answer in time")]
    TimedOut,
}
