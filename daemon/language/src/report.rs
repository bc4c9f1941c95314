//! What one source says of one file.

use std::path::PathBuf;

use serde::Serialize;

use crate::diagnostic::Diagnostic;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// By its real path.
    pub path: PathBuf,
    /// The name of the source: `rust-analyzer`, `cargo check`, `tree-sitter`.
    pub source: String,
    pub said: Said,
    /// What it said of the same text just before it was asked, where it knows: of files that nobody may have asked it about before.
    pub past: Option<Vec<Diagnostic>>,
}

impl Report {
    pub fn new(path: PathBuf, source: impl Into<String>, said: Said) -> Self {
        Self { path, source: source.into(), said, past: None }
    }

    pub(crate) fn weigh(&mut self, weigh: fn(Said) -> Said) {
        let said = std::mem::replace(&mut self.said, Said::Likely(Vec::new()));
        self.said = weigh(said);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// Of exactly this text: it was asked for it, or named its version.
    Proven(Vec<Diagnostic>),
    /// It came after this text, and nothing has changed for as long as this source takes.
    Likely(Vec<Diagnostic>),
    /// `why` completes "what it says of this text is not known: …".
    Unknown { why: String },
    /// The same, and nobody is going to ask: there is no answer to wait for.
    Unasked { why: String },
}

/// How sure it is that diagnostics are for the text in question. The weakest is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Proof {
    Proven,
    Likely,
    Unknown,
}

impl Said {
    /// The same where something is not known that it would have to be said with.
    pub(crate) fn unproven(self) -> Self {
        match self {
            Self::Proven(diagnostics) => Self::Likely(diagnostics),
            said => said,
        }
    }

    pub fn proof(&self) -> Proof {
        match self {
            Self::Proven(_) => Proof::Proven,
            Self::Likely(_) => Proof::Likely,
            Self::Unknown { .. } | Self::Unasked { .. } => Proof::Unknown,
        }
    }

    /// None where it is not known, which is not the same as no problem.
    pub fn diagnostics(&self) -> Option<&[Diagnostic]> {
        match self {
            Self::Proven(diagnostics) | Self::Likely(diagnostics) => Some(diagnostics),
            Self::Unknown { .. } | Self::Unasked { .. } => None,
        }
    }
}
