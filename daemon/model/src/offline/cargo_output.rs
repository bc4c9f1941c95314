//! Parses the output of `cargo check --message-format=json` into problems and the compiler's suggestions.
//!
//! Lines that are not compiler messages are skipped. A suggestion is kept only if it can be applied: all of
//! it in files of the project, outside macros, and without alternatives.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::edit_calls::SpanReplacement;

#[derive(Debug, Default)]
pub(super) struct CargoReport {
    pub(super) errors: Vec<CompilerProblem>,
    pub(super) warnings: Vec<CompilerProblem>,
    /// Cargo's exit status; `None` if it did not finish.
    pub(super) success: Option<bool>,
    /// The output was cut.
    pub(super) is_truncated: bool,
    /// Cargo's plain-text lines.
    pub(super) plain_messages: Vec<String>,
}

/// How `bash` begins the line about files that the editor has not saved.
pub(super) const UNSAVED_NOTE: &str = "(Not saved in the editor";

impl CargoReport {
    /// The files whose text in the editor cargo did not see, as `bash` lists them.
    pub(super) fn unsaved_files(&self) -> Option<&str> {
        let line = self.plain_messages.iter().rev().find(|line| line.starts_with(UNSAVED_NOTE))?;
        Some(line.rsplit_once(" of: ")?.1.trim_end_matches(')'))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CompilerProblem {
    pub(super) message: String,
    pub(super) code: Option<String>,
    /// `src/main.rs:3`, with the compiler's path.
    pub(super) place: String,
    pub(super) fixes: Vec<CompilerFix>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CompilerFix {
    pub(super) description: String,
    /// True if the compiler marks it machine-applicable; else it is a guess.
    pub(super) is_certain: bool,
    pub(super) parts: Vec<(String, SpanReplacement)>,
}

impl CompilerProblem {
    /// The fix, if there is exactly one choice.
    pub(super) fn only_fix(&self) -> Option<&CompilerFix> {
        let mut sure = self.fixes.iter().filter(|fix| fix.is_certain);
        match (sure.next(), sure.next(), self.fixes.as_slice()) {
            (Some(fix), None, _) | (None, None, [fix]) => Some(fix),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
struct CargoOutputLine {
    reason: String,
    success: Option<bool>,
    manifest_path: Option<PathBuf>,
    message: Option<CompilerDiagnostic>,
}

#[derive(Deserialize)]
struct CompilerDiagnostic {
    message: String,
    #[serde(default)]
    level: String,
    code: Option<CompilerCode>,
    #[serde(default)]
    spans: Vec<CompilerSpan>,
    #[serde(default)]
    children: Vec<CompilerDiagnostic>,
}

#[derive(Deserialize)]
struct CompilerCode {
    code: String,
}

#[derive(Deserialize)]
struct CompilerSpan {
    file_name: String,
    line_start: usize,
    line_end: usize,
    column_start: usize,
    column_end: usize,
    #[serde(default)]
    is_primary: bool,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<String>,
    expansion: Option<serde::de::IgnoredAny>,
}

pub(super) fn parse_cargo_output(output: &str) -> CargoReport {
    let mut report = CargoReport { is_truncated: output.starts_with('['), ..CargoReport::default() };
    for line in output.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Ok(CargoOutputLine { reason, success, manifest_path, message }) = serde_json::from_str(line)
        else {
            // Half a compiler message is useless.
            if !line.starts_with(['{', '[']) {
                report.plain_messages.push(line.to_owned());
            }
            continue;
        };
        match (reason.as_str(), message) {
            ("build-finished", _) => report.success = success,
            ("compiler-message", Some(message)) => {
                let package = manifest_path.as_deref().and_then(Path::parent).map(Path::to_path_buf);
                add(&mut report, message, package.as_deref());
            }
            _ => {}
        }
    }
    report
}

fn add(report: &mut CargoReport, diagnostic: CompilerDiagnostic, package: Option<&Path>) {
    let list = match diagnostic.level.as_str() {
        "error" | "error: internal compiler error" => &mut report.errors,
        "warning" => &mut report.warnings,
        _ => return,
    };
    let primary = diagnostic.spans.iter().find(|span| span.is_primary).or(diagnostic.spans.first());
    // Summary lines such as "aborting due to 3 previous errors" and "2 warnings emitted".
    let Some(primary) = primary else { return };
    let fixes = diagnostic.children.iter().filter_map(|child| fix(child, package));
    let problem = CompilerProblem {
        message: diagnostic.message.lines().next().unwrap_or_default().to_owned(),
        code: diagnostic.code.map(|code| code.code),
        place: format!("{}:{}", primary.file_name, primary.line_start),
        fixes: fixes.collect(),
    };
    // Cargo checks a file twice if it belongs to a library and a binary.
    if !list.contains(&problem) {
        list.push(problem);
    }
}

fn fix(child: &CompilerDiagnostic, package: Option<&Path>) -> Option<CompilerFix> {
    let spans: Vec<_> = child.spans.iter().filter(|span| span.suggested_replacement.is_some()).collect();
    let all = |word: &str| spans.iter().all(|span| span.suggestion_applicability.as_deref() == Some(word));
    let sure = all("MachineApplicable");
    if spans.is_empty() || !(sure || all("MaybeIncorrect")) {
        return None;
    }
    let mut parts: Vec<(String, SpanReplacement)> = Vec::new();
    for span in spans {
        let part = SpanReplacement {
            start: (span.line_start, span.column_start),
            end: (span.line_end, span.column_end),
            text: span.suggested_replacement.clone()?,
        };
        let path = path(&span.file_name, package?)?;
        let meets = |(file, other): &(String, SpanReplacement)| {
            *file == path && part.start <= other.end && other.start <= part.end
        };
        // Several replacements for one place are alternatives; do not choose.
        if span.expansion.is_some() || parts.iter().any(meets) {
            return None;
        }
        parts.push((path, part));
    }
    Some(CompilerFix { description: child.message.clone(), is_certain: sure, parts })
}

/// The compiler's file names are relative to the workspace folder, which is the package's folder or an
/// ancestor. In the second case the name starts with the folders in between. Any other name is outside the
/// project.
fn path(name: &str, package: &Path) -> Option<String> {
    let name = Path::new(name);
    if name.as_os_str().is_empty() || !name.components().all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let between = package.ancestors().take(16).skip(1).find(|root| {
        let inner = package.strip_prefix(root).ok();
        inner.is_some_and(|inner| name.starts_with(inner))
    });
    Some(between.unwrap_or(package).join(name).to_string_lossy().into_owned())
}
