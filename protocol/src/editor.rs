//! What the desk asks of an editor: its diagnostics, what the person looks at, to show something.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;
use crate::position::WireRange;

/// Whether an editor could say. The desk asks its own language servers where it could not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AnswerState {
    /// It could, even if there was nothing to find.
    #[default]
    Answered,
    /// No language server of this editor can say.
    Unsupported,
    /// A language server could, but is not ready yet.
    Starting,
    /// The time that the desk gave is over, or the person cancelled the work.
    Cancelled,
}

/// Which diagnostics.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsParams {
    /// The document; all that the editor knows of where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The version of the document that they should be for, as in LSP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// How long to wait for that version, in milliseconds; where it is missing, not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
    /// How much of that to wait for language servers that are not ready, in milliseconds; where it is missing, all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ready: Option<u32>,
}

/// What the editor's language servers say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticsResult {
    /// Whether the editor could say.
    pub state: AnswerState,
    /// One for every document that was asked about or has any.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub files: Vec<FileDiagnostics>,
}

/// The diagnostics of one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDiagnostics {
    /// The document.
    pub uri: String,
    /// The version of the document when they were looked at, as in LSP; missing where it is not open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// How sure it is that they are for that version.
    pub proof: ProofLevel,
    /// Why that is not known; only with `unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// All of them.
    #[serde(deserialize_with = "lenient::list")]
    pub items: Vec<DiagnosticInfo>,
    /// Who has not seen this text, because it looks only at what is saved: the compiler behind a language server, by the source that its
    /// diagnostics name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
}

/// How sure it is that diagnostics are for the text in question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProofLevel {
    /// A language server said so: it was asked for this version, or named it.
    Proven,
    /// They came after this version, and nothing has changed for a while.
    Likely,
    /// They may be for an older text.
    Unknown,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticInfo {
    /// Where.
    pub range: WireRange,
    /// How bad.
    pub severity: SeverityInfo,
    /// The server's name for this kind of problem, such as `E0308`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::code")]
    pub code: Option<String>,
    /// Who says so, such as `rustc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What is wrong.
    pub message: String,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SeverityInfo {
    /// It does not work.
    Error,
    /// It may not work.
    Warning,
    /// Worth knowing.
    Information,
    /// A suggestion.
    Hint,
}

/// What the person has selected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectionResult {
    /// Missing where no document has the focus or had it last.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::nested")]
    pub selection: Option<SelectionInfo>,
}

/// A selection, or the place of the cursor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectionInfo {
    /// The document.
    pub uri: String,
    /// Where in it; empty where only the cursor is there.
    pub range: WireRange,
    /// The text that is selected.
    pub text: String,
}

/// The files the person has open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenFilesResult {
    /// The one that was used last first, where the editor knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub files: Vec<OpenFile>,
}

/// A file the person has open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenFile {
    /// The document.
    pub uri: String,
    /// It has the focus.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub active: bool,
    /// It can be seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub visible: bool,
    /// It has changes that are not saved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// LSP's id of its language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// What to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShowParams {
    /// The document.
    pub uri: String,
    /// Where in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<WireRange>,
    /// Whether the cursor goes there too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub focus: bool,
}

/// Whether it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShowResult {
    /// Whether it is shown.
    pub shown: bool,
}
