//! Parses a checker's output into diagnostics that are not yet resolved to spans of a text.
//!
//! Invariant: parsing takes time linear in the output, and no input can make it panic.

use serde::Deserialize;

use copydesk_servers::diagnostic::Severity;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CheckerOutputFormat {
    /// Cargo's JSON messages, one per line.
    Cargo,
    /// JSON of any shape in which a diagnostic has a file, a line and a message.
    Json,
    /// SARIF 2.
    Sarif,
    /// `file:line:column: severity: message`.
    Lines,
}

/// The unit of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ColumnUnit {
    #[default]
    Characters,
    Bytes,
    Utf16,
}

/// The rest is dropped.
pub(crate) const MAX_DIAGNOSTICS: usize = 10_000;
/// Longer messages are cut.
const MAX_MESSAGE_BYTES: usize = 4000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckerOutput {
    pub diagnostics: Vec<RawDiagnostic>,
    /// The output is a complete report: files that it does not name have no findings. False for lines, which do not
    /// tell.
    pub is_complete: bool,
    /// The checked folders, if the report says that not everything was checked.
    pub checked_folders: Option<Vec<String>>,
}

/// A diagnostic as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawDiagnostic {
    pub location: RawLocation,
    pub severity: Severity,
    pub code: Option<String>,
    pub source: Option<String>,
    pub message: String,
    pub related: Vec<(RawLocation, String)>,
}

/// Lines and columns are zero-based.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawLocation {
    /// A path relative to the root, an absolute path, or a `file://` URI.
    pub file: String,
    pub line: u64,
    pub column: Option<u64>,
    pub end: Option<(u64, u64)>,
    /// The unit of the columns, if the format states it.
    pub columns: Option<ColumnUnit>,
}

pub fn parse(format: CheckerOutputFormat, output: &str) -> CheckerOutput {
    let mut parsed = match format {
        CheckerOutputFormat::Cargo => super::cargo::parse(output),
        CheckerOutputFormat::Json => super::json::parse(output),
        CheckerOutputFormat::Sarif => super::sarif::parse(output),
        CheckerOutputFormat::Lines => super::lines::parse(output),
    };
    parsed.diagnostics.truncate(MAX_DIAGNOSTICS);
    for raw in &mut parsed.diagnostics {
        raw.related.truncate(10);
        for message in raw.related.iter_mut().map(|related| &mut related.1).chain([&mut raw.message]) {
            if message.len() > MAX_MESSAGE_BYTES {
                message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
                message.push('…');
            }
        }
    }
    parsed
}

/// Accepts the words of compilers and linters.
pub(super) fn parse_severity(word: &str) -> Option<Severity> {
    Some(match word.trim().to_ascii_lowercase().as_str() {
        "error" | "fatal" | "fatal error" | "err" | "critical" | "high" | "blocker" | "e" => Severity::Error,
        "warning" | "warn" | "medium" | "major" | "w" => Severity::Warning,
        "information" | "info" | "note" | "style" | "convention" | "refactor" | "low" | "minor" => {
            Severity::Information
        }
        "hint" | "help" | "none" => Severity::Hint,
        _ => return None,
    })
}

pub(super) fn zero_based(number: u64) -> u64 {
    number.saturating_sub(1)
}
