//! What one source says of one file.

use std::path::PathBuf;

use serde::Serialize;

use crate::diagnostic::Diagnostic;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticsReport {
    /// By its real path.
    pub path: PathBuf,
    /// The name of the source: `rust-analyzer`, `cargo check`, `tree-sitter`.
    pub source: String,
    pub verdict: Verdict,
    /// What it said of the same text just before it was asked, where it knows: of files that nobody may have asked it about before.
    pub previous: Option<Vec<Diagnostic>>,
}

impl DiagnosticsReport {
    pub fn new(path: PathBuf, source: impl Into<String>, said: Verdict) -> Self {
        Self { path, source: source.into(), verdict: said, previous: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Of exactly this text: it was asked for it, or named its version.
    Proven(Vec<Diagnostic>),
    /// It came after this text, and nothing has changed for as long as this source takes.
    Likely(Vec<Diagnostic>),
    /// `why` completes "what it says of this text is not known: …".
    Unknown { why: String },
    /// The same, and nobody is going to ask: there is no answer to wait for.
    Unchecked { why: String },
}

/// How sure it is that diagnostics are for the text in question. The weakest is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Proof {
    Proven,
    Likely,
    Unknown,
}

impl Verdict {
    /// Of a file that a change may break, where there are more of those than are asked about.
    pub fn beyond_limit() -> Self {
        Self::Unchecked { why: "more files use what was changed than are asked about".to_owned() }
    }

    /// Something is not known that it would have to be said with.
    pub fn downgrade_to_likely(&mut self) {
        if let Self::Proven(diagnostics) = self {
            *self = Self::Likely(std::mem::take(diagnostics));
        }
    }

    pub fn proof(&self) -> Proof {
        match self {
            Self::Proven(_) => Proof::Proven,
            Self::Likely(_) => Proof::Likely,
            Self::Unknown { .. } | Self::Unchecked { .. } => Proof::Unknown,
        }
    }

    /// None where it is not known, which is not the same as no problem.
    pub fn diagnostics(&self) -> Option<&[Diagnostic]> {
        match self {
            Self::Proven(diagnostics) | Self::Likely(diagnostics) => Some(diagnostics),
            Self::Unknown { .. } | Self::Unchecked { .. } => None,
        }
    }
}
