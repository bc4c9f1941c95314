//! The report of one source on one file.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::diagnostic::Diagnostic;

/// The end of the source's name in a report on the users of a file.
const OTHER_FILES: &str = ", other files";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticsReport {
    /// Canonical.
    pub path: PathBuf,
    /// The name of the source: `rust-analyzer`, `cargo check`, `tree-sitter`.
    pub source: String,
    pub verdict: Verdict,
    /// The source's diagnostics for the same text just before this check, if it knows them. They tell new from old in
    /// files that the session never checked.
    pub previous: Option<Vec<Diagnostic>>,
}

impl DiagnosticsReport {
    pub fn new(path: PathBuf, source: impl Into<String>, verdict: Verdict) -> Self {
        Self { path, source: source.into(), verdict, previous: None }
    }

    /// For a changed file whose users are not all known.
    pub fn unsearched(path: &Path, source: &str) -> Self {
        let why = "not all of them were found and checked".to_owned();
        Self::new(path.to_owned(), format!("{source}{OTHER_FILES}"), Verdict::Unchecked { why })
    }

    /// For a folder of which not all changes are known.
    pub fn unseen_changes(folder: &Path) -> Self {
        let why = "it is not known in time which ones the command changed".to_owned();
        Self::new(folder.to_owned(), "all files", Verdict::Unchecked { why })
    }

    /// Whether it is about other files than the one that it names.
    pub fn is_about_others(&self) -> bool {
        self.source.ends_with(OTHER_FILES)
    }

    /// Logs why the source does not know the text. All our reasons put the words of a server or a program after a colon,
    /// and the log never contains those.
    pub fn log_if_unknown(&self) {
        let (Verdict::Unknown { why } | Verdict::Unchecked { why }) = &self.verdict else { return };
        let why = why.split_once(": ").map_or(why.as_str(), |(reason, _)| reason);
        let (server, file) = (self.source.as_str(), self.path.display());
        tracing::debug!(server, %file, why, "reported as unknown");
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// For exactly this text: the source was asked about it, or named its version.
    Proven(Vec<Diagnostic>),
    /// It came after this text, and nothing has changed for as long as this source usually takes.
    Likely(Vec<Diagnostic>),
    /// `why` completes "what it says of this text is not known: …".
    Unknown { why: String },
    /// The same, and no check is pending, so there is no answer to wait for.
    Unchecked { why: String },
}

/// How sure we are that diagnostics belong to the text. The weakest is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Proof {
    Proven,
    Likely,
    Unknown,
}

impl Verdict {
    /// For a dependent beyond the number that is checked.
    pub fn beyond_limit() -> Self {
        Self::Unchecked { why: "too many files depend on this change; this one was not checked".to_owned() }
    }

    /// Weakens the proof, because the source may not know everything.
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

    /// `None` if unknown, which is not the same as no diagnostics.
    pub fn diagnostics(&self) -> Option<&[Diagnostic]> {
        match self {
            Self::Proven(diagnostics) | Self::Likely(diagnostics) => Some(diagnostics),
            Self::Unknown { .. } | Self::Unchecked { .. } => None,
        }
    }
}
