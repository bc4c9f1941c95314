//! The daemon's requests to an editor: its diagnostics, the user's selection and open files, to show a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;
use crate::position::{WireLocation, WireRange};

/// Whether an editor could answer. If not, the daemon asks its own language servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AnswerState {
    /// It could, even if the result is empty.
    #[default]
    Answered,
    /// No language server of this editor supports the request.
    Unsupported,
    /// A language server supports it, but is not ready yet.
    Starting,
    /// The daemon's timeout has passed, or the user cancelled the work.
    Cancelled,
}

/// Which diagnostics to return.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsParams {
    /// The document; by default all that the editor has diagnostics for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// The version of the document that they must be for, as in LSP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// How long to wait for that version, in milliseconds; by default not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<u32>,
    /// How much of `wait` to spend on language servers that are not ready, in milliseconds; by default all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ready: Option<u32>,
}

/// The diagnostics of the editor's language servers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticsResult {
    /// Whether the editor could answer.
    pub state: AnswerState,
    /// One entry for the requested document, or for every document with diagnostics.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub files: Vec<FileDiagnostics>,
}

/// The diagnostics of one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDiagnostics {
    /// The document.
    pub uri: String,
    /// The version of the document when the editor collected them, as in LSP; missing if it is not open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// The certainty that they are for that version.
    pub proof: ProofLevel,
    /// Why that is not known; only with `unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// All of them.
    #[serde(deserialize_with = "lenient::list")]
    pub items: Vec<DiagnosticInfo>,
    /// Sources that have not seen this text because they check only saved files, such as the compiler behind a language server; by the
    /// `source` of their diagnostics.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
}

/// The certainty that diagnostics are for the requested text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ProofLevel {
    /// A language server answered a pull for this version, or published them with it.
    Proven,
    /// They arrived after this version, and have not changed for a while.
    Likely,
    /// They may be for an older text.
    Unknown,
}

/// One diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiagnosticInfo {
    /// Where.
    pub range: WireRange,
    /// Its severity.
    pub severity: SeverityInfo,
    /// The server's code for this kind of problem, such as `E0308`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::code")]
    pub code: Option<String>,
    /// The tool that reports it, such as `rustc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What is wrong.
    pub message: String,
    /// The problem in another file that it repeats, as in a file that includes a broken one.
    #[serde(rename = "echoOf", default, skip_serializing_if = "Option::is_none")]
    pub echo_of: Option<WireLocation>,
}

/// The severity of a problem, as in LSP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SeverityInfo {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// Information.
    Information,
    /// A hint.
    Hint,
}

/// The user's selection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectionResult {
    /// Missing if no document has or had the focus.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::nested")]
    pub selection: Option<SelectionInfo>,
}

/// A selection, or the position of the cursor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SelectionInfo {
    /// The document.
    pub uri: String,
    /// Its range; empty if it is only the cursor.
    pub range: WireRange,
    /// The selected text.
    pub text: String,
}

/// The files that the user has open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenFilesResult {
    /// Last used first, if the editor knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub files: Vec<OpenFile>,
}

/// A file that the user has open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenFile {
    /// The document.
    pub uri: String,
    /// It has the focus.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub active: bool,
    /// It is visible in a window.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub visible: bool,
    /// It has unsaved changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dirty: bool,
    /// Its LSP language id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// What to show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShowParams {
    /// The document.
    pub uri: String,
    /// The range to scroll to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<WireRange>,
    /// Whether the editor moves the focus and the cursor there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub focus: bool,
}

/// Whether the editor shows the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShowResult {
    /// Whether the editor shows it.
    pub shown: bool,
}
