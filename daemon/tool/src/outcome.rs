//! The outcome of a call.

use std::sync::Arc;

use copydesk_metadata::CallMetadata;
use serde::{Deserialize, Serialize};

/// A view truncates a title to its own width.
const MAX_TITLE_CHARS: usize = 300;

/// A successful call. `output` is for the model; `title` and `metadata` are for the user.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    /// One line: what was done, to what.
    pub title: String,
    pub output: String,
    pub metadata: CallMetadata,
    pub media: Vec<MediaAttachment>,
    /// If the output is too long, keep its end: commands print their verdict last.
    pub keep_end: bool,
}

/// An image or a PDF that the model gets with the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaAttachment {
    pub mime: String,
    pub base64: Arc<str>,
    pub name: Option<String>,
}

/// A failed call. The model reads `message` and must be able to do better; the user sees `title` and `metadata`.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    pub kind: ToolErrorKind,
    pub message: String,
    /// What a view shows behind the subject of the call, if that is not the first line of `message`.
    pub title: Option<String>,
    pub metadata: CallMetadata,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolErrorKind {
    /// There is no such tool.
    Unknown,
    /// The arguments do not fit.
    Arguments,
    /// A rule or the user denied it.
    Denied,
    /// The target does not exist, or has changed.
    Target,
    /// It hit its timeout.
    Timeout,
    Cancelled,
    /// It could not do its work.
    Failed,
    /// A bug of ours.
    Broken,
}

impl ToolError {
    pub fn new(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), title: None, metadata: CallMetadata::default() }
    }

    pub fn target(message: impl Into<String>) -> Self {
        Self::new(ToolErrorKind::Target, message)
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ToolErrorKind::Failed, message)
    }

    pub fn cancelled() -> Self {
        Self::new(ToolErrorKind::Cancelled, "The user cancelled this call.").with_title("cancelled")
    }

    pub fn with_title(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    pub fn with_metadata(self, metadata: impl Into<CallMetadata>) -> Self {
        Self { metadata: metadata.into(), ..self }
    }
}

/// A finished call, successful or not: what the session stores and the model reads.
#[derive(Debug, Clone, PartialEq)]
pub struct CallOutcome {
    /// The tool's own name, whatever the model wrote.
    pub name: String,
    pub title: String,
    pub output: String,
    pub metadata: CallMetadata,
    pub media: Vec<MediaAttachment>,
    pub error_kind: Option<ToolErrorKind>,
    pub keep_end: bool,
    pub milliseconds: u64,
}

/// Cuts a text to the one line that a title may have.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_TITLE_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
