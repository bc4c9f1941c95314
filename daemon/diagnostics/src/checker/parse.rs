//! What a checker printed, as problems that are not placed in a text yet.
//!
//! Invariant: any bytes are read in time that grows with them alone, and none can panic this.

use serde::Deserialize;

use copydesk_servers::diagnostic::Severity;

/// How a checker prints what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CheckerOutputFormat {
    /// Messages of Cargo, one in a line.
    Cargo,
    /// JSON of any shape in which a problem has a file, a line and a message.
    Json,
    /// SARIF 2.
    Sarif,
    /// `file:line:column: severity: message`.
    Lines,
}

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ColumnUnit {
    #[default]
    Characters,
    Bytes,
    Utf16,
}

/// More are not read.
pub(crate) const MAX_DIAGNOSTICS: usize = 10_000;
/// Longer messages are cut, in bytes.
const LONGEST: usize = 4000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckerOutput {
    pub diagnostics: Vec<RawDiagnostic>,
    /// It is a whole report: what it does not name it found nothing in. Lines are none: there is no telling.
    pub is_complete: bool,
    /// Folders of what was looked at, where not everything was; from a report that says so.
    pub checked_folders: Option<Vec<String>>,
}

/// A problem as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawDiagnostic {
    pub location: RawLocation,
    pub severity: Severity,
    pub code: Option<String>,
    pub source: Option<String>,
    pub message: String,
    pub related: Vec<(RawLocation, String)>,
}

/// Where, with lines and columns from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawLocation {
    /// A path from the root or a whole one, or an address `file://…`.
    pub file: String,
    pub line: u64,
    pub column: Option<u64>,
    pub end: Option<(u64, u64)>,
    /// What its columns count, where the format says so.
    pub columns: Option<ColumnUnit>,
}

/// As `format` has it.
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
            if message.len() > LONGEST {
                message.truncate(message.floor_char_boundary(LONGEST));
                message.push('…');
            }
        }
    }
    parsed
}

/// In the words of compilers and linters.
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

/// What is counted from 1 is counted from 0.
pub(super) fn zero_based(number: u64) -> u64 {
    number.saturating_sub(1)
}
