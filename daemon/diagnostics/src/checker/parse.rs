//! What a checker printed, as problems that are not placed in a text yet.
//!
//! Invariant: any bytes are read in time that grows with them alone, and none can panic this.

use serde::Deserialize;

use copydesk_servers::diagnostic::Severity;

/// How a checker prints what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Format {
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
pub enum Columns {
    #[default]
    Characters,
    Bytes,
    Utf16,
}

/// More are not read.
pub(crate) const MOST: usize = 10_000;
/// Longer messages are cut, in bytes.
const LONGEST: usize = 4000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    pub found: Vec<Raw>,
    /// It is a whole report: what it does not name it found nothing in. Lines are none: there is no telling.
    pub is_whole: bool,
    /// Folders of what was looked at, where not everything was; from a report that says so.
    pub seen: Option<Vec<String>>,
}

/// A problem as it was printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    pub at: Spot,
    pub severity: Severity,
    pub code: Option<String>,
    pub source: Option<String>,
    pub message: String,
    pub related: Vec<(Spot, String)>,
}

/// Where, with lines and columns from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spot {
    /// A path from the root or a whole one, or an address `file://…`.
    pub file: String,
    pub line: u64,
    pub column: Option<u64>,
    pub end: Option<(u64, u64)>,
    /// What its columns count, where the format says so.
    pub columns: Option<Columns>,
}

/// As `format` has it.
pub fn parse(format: Format, output: &str) -> Parsed {
    let mut parsed = match format {
        Format::Cargo => super::cargo::parse(output),
        Format::Json => super::json::parse(output),
        Format::Sarif => super::sarif::parse(output),
        Format::Lines => super::lines::parse(output),
    };
    parsed.found.truncate(MOST);
    for raw in &mut parsed.found {
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
pub(super) fn severity(word: &str) -> Option<Severity> {
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
pub(super) fn from_one(number: u64) -> u64 {
    number.saturating_sub(1)
}
