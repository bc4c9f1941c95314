//! Diagnostics after a change, or before a proposed one is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// What changes made wrong, and how sure that is. A source with the proof `unknown` is not clean: a view says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsMetadata {
    /// Who was asked, and how sure the answer is.
    #[serde(deserialize_with = "lenient::objects")]
    pub reports: Vec<ProblemSourceMetadata>,
    /// Problems that the change made.
    #[serde(deserialize_with = "lenient::objects")]
    pub new: Vec<ProblemMetadata>,
    /// Problems that may be new: the baseline is not known.
    #[serde(deserialize_with = "lenient::objects")]
    pub unsure: Vec<ProblemMetadata>,
    /// How many older problems the change fixed.
    pub fixed: u64,
    /// How many older problems remain.
    pub remaining: u64,
    /// How long the daemon waited for the sources.
    pub waited_ms: u64,
    /// How many problems are in neither list because there are too many.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub unlisted: Option<u64>,
}

/// A source of diagnostics, such as a language server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemSourceMetadata {
    /// Its name.
    pub source: String,
    /// How sure its answer is.
    #[serde(deserialize_with = "lenient::or_default")]
    pub proof: ProblemProof,
    /// Why it is not known, if so.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub why: Option<String>,
}

/// The certainty that an answer is about the current text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProblemProof {
    /// The source was asked about this version, or named it.
    Proven,
    /// The answer came after the change, and names no version.
    Likely,
    /// There is no answer about this text.
    #[default]
    Unknown,
}

/// A problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemMetadata {
    /// The file, relative to the workspace if it is inside.
    pub path: String,
    /// From 1.
    pub line: u64,
    /// From 1, in UTF-16 code units.
    pub column: u64,
    /// How bad it is.
    #[serde(deserialize_with = "lenient::or_default")]
    pub severity: ProblemSeverity,
    /// The source's code for it, such as `E0308`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub code: Option<String>,
    /// Who says so.
    pub source: String,
    /// What is wrong, in one line.
    pub message: String,
}

/// How bad a problem is, in the words of LSP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProblemSeverity {
    /// An error.
    #[default]
    Error,
    /// A warning.
    Warning,
    /// A remark.
    Information,
    /// A hint.
    Hint,
}

impl ProblemSeverity {
    /// As it is encoded.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}
