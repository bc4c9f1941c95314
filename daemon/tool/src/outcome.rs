//! What comes of a call.

use std::sync::Arc;

use copydesk_metadata::CallMetadata;
use serde::{Deserialize, Serialize};

/// In characters; a view cuts it to its own width.
const LONGEST_TITLE: usize = 300;

/// A call that did what it was asked. `output` is for the model; `title` and `metadata` are for the person.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    /// One line: what was done, to what.
    pub title: String,
    pub output: String,
    pub metadata: CallMetadata,
    pub media: Vec<MediaAttachment>,
    /// Which end matters where the output is too long: the end, for commands that tell the verdict last.
    pub keep_end: bool,
}

/// An image or a PDF that goes to the model with the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaAttachment {
    pub mime: String,
    pub base64: Arc<str>,
    pub name: Option<String>,
}

/// A call that did not. As structured as a success: the model reads `message` and must be able to do better, the person
/// sees the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    pub kind: ToolErrorKind,
    pub message: String,
    pub metadata: CallMetadata,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolErrorKind {
    /// There is no such tool.
    Unknown,
    /// The arguments cannot be read.
    Arguments,
    /// A rule or the person said no.
    Denied,
    /// What it is about is not there, or is not what it was.
    Target,
    /// It took too long.
    Timeout,
    Cancelled,
    /// It tried and could not.
    Failed,
    /// A fault of ours.
    Broken,
}

impl ToolError {
    pub fn new(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), metadata: CallMetadata::default() }
    }

    pub fn target(message: impl Into<String>) -> Self {
        Self::new(ToolErrorKind::Target, message)
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ToolErrorKind::Failed, message)
    }

    pub fn cancelled() -> Self {
        Self::new(ToolErrorKind::Cancelled, "The person cancelled this call.")
    }

    pub fn with_metadata(self, metadata: impl Into<CallMetadata>) -> Self {
        Self { metadata: metadata.into(), ..self }
    }
}

/// A call at its end, whichever it was: what is kept and what the model is told.
#[derive(Debug, Clone, PartialEq)]
pub struct CallOutcome {
    /// The tool's own name, however the model spelled it.
    pub name: String,
    pub title: String,
    pub output: String,
    pub metadata: CallMetadata,
    pub media: Vec<MediaAttachment>,
    pub error_kind: Option<ToolErrorKind>,
    pub keep_end: bool,
    pub milliseconds: u64,
}

/// A title is one line of a view, whatever a model put into it.
pub(crate) fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST_TITLE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
