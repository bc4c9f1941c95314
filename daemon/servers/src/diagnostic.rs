//! One problem in a text.

use std::path::PathBuf;
use std::sync::Arc;

use copydesk_text::Position;
use serde::Serialize;

/// Worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

/// Where in a text: from, and up to but not including.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct DiagnosticSpan {
    pub start: Position,
    pub end: Position,
}

/// Its words are shared: there may be thousands, each kept in several places.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub span: DiagnosticSpan,
    pub severity: Severity,
    /// The source's name for this kind of problem, such as `E0308`.
    pub code: Option<Arc<str>>,
    /// Who says so, such as `rustc`; a server may pass on what others say.
    pub source: Option<Arc<str>>,
    pub message: Arc<str>,
    pub related: Vec<RelatedInformation>,
}

/// Another place that has to do with a problem.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RelatedInformation {
    pub path: PathBuf,
    pub span: DiagnosticSpan,
    pub message: String,
}
