//! One diagnostic.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use copydesk_text::Position;
use serde::Serialize;

/// Ordered by severity, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

/// A range in a text, with an exclusive end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct DiagnosticSpan {
    pub start: Position,
    pub end: Position,
}

/// Its strings are shared, because there may be thousands, each kept in several places.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub span: DiagnosticSpan,
    pub severity: Severity,
    /// The source's code, such as `E0308`.
    pub code: Option<Arc<str>>,
    /// The tool that found it, such as `rustc`: a server may pass on diagnostics of other tools.
    pub source: Option<Arc<str>>,
    pub message: Arc<str>,
    pub related: Vec<RelatedInformation>,
    pub data: Option<DiagnosticData>,
}

/// What a server wants to get back with a question about a diagnostic. It does not tell two diagnostics apart.
#[derive(Debug, Clone, Eq)]
pub struct DiagnosticData(Arc<str>);

impl DiagnosticData {
    pub(crate) fn new(json: &str) -> Self {
        Self(json.into())
    }

    pub(crate) fn json(&self) -> &str {
        &self.0
    }
}

impl PartialEq for DiagnosticData {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Hash for DiagnosticData {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Another location that belongs to a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RelatedInformation {
    pub path: PathBuf,
    pub span: DiagnosticSpan,
    pub message: String,
}
