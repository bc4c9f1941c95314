//! What `cargo check --message-format=json` printed, as problems and the compiler's suggestions for them.
//!
//! Lines that are not messages of the compiler are passed over, whatever they are. A suggestion is kept only where it can
//! be carried out: all of it in files of the project, outside of macros, and one thing rather than a choice of several.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

use super::patch::Replacement;

#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) errors: Vec<Problem>,
    pub(super) warnings: Vec<Problem>,
    /// Whether cargo came to an end, and to a good one.
    pub(super) success: Option<bool>,
    /// Some of the output is not there.
    pub(super) cut: bool,
    /// What cargo said in plain words.
    pub(super) words: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) code: Option<String>,
    /// `src/main.rs:3`, as the compiler names it.
    pub(super) place: String,
    pub(super) fixes: Vec<Fix>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fix {
    pub(super) what: String,
    /// The compiler vouches for it; else it is a guess.
    pub(super) sure: bool,
    /// By file.
    pub(super) parts: Vec<(String, Replacement)>,
}

impl Problem {
    /// The one thing to do about it.
    pub(super) fn fix(&self) -> Option<&Fix> {
        let mut sure = self.fixes.iter().filter(|fix| fix.sure);
        match (sure.next(), sure.next(), self.fixes.as_slice()) {
            (Some(fix), None, _) | (None, None, [fix]) => Some(fix),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
struct Line {
    reason: String,
    success: Option<bool>,
    manifest_path: Option<PathBuf>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Diagnostic {
    message: String,
    #[serde(default)]
    level: String,
    code: Option<Code>,
    #[serde(default)]
    spans: Vec<Span>,
    #[serde(default)]
    children: Vec<Diagnostic>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
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

pub(super) fn read(output: &str) -> Report {
    let mut report = Report { cut: output.starts_with('['), ..Report::default() };
    for line in output.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Ok(Line { reason, success, manifest_path, message }) = serde_json::from_str(line) else {
            // Half a message of the compiler's is of no use to anyone.
            if !line.starts_with(['{', '[']) {
                report.words.push(line.to_owned());
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

fn add(report: &mut Report, diagnostic: Diagnostic, package: Option<&Path>) {
    let list = match diagnostic.level.as_str() {
        "error" | "error: internal compiler error" => &mut report.errors,
        "warning" => &mut report.warnings,
        _ => return,
    };
    let primary = diagnostic.spans.iter().find(|span| span.is_primary).or(diagnostic.spans.first());
    // "aborting due to 3 previous errors", "2 warnings emitted"
    let Some(primary) = primary else { return };
    let fixes = diagnostic.children.iter().filter_map(|child| fix(child, package));
    let problem = Problem {
        message: diagnostic.message.lines().next().unwrap_or_default().to_owned(),
        code: diagnostic.code.map(|code| code.code),
        place: format!("{}:{}", primary.file_name, primary.line_start),
        fixes: fixes.collect(),
    };
    // A file that belongs to a library and to a program is checked twice.
    if !list.contains(&problem) {
        list.push(problem);
    }
}

fn fix(child: &Diagnostic, package: Option<&Path>) -> Option<Fix> {
    let spans: Vec<_> = child.spans.iter().filter(|span| span.suggested_replacement.is_some()).collect();
    let all = |word: &str| spans.iter().all(|span| span.suggestion_applicability.as_deref() == Some(word));
    let sure = all("MachineApplicable");
    if spans.is_empty() || !(sure || all("MaybeIncorrect")) {
        return None;
    }
    let mut parts: Vec<(String, Replacement)> = Vec::new();
    for span in spans {
        let part = Replacement {
            start: (span.line_start, span.column_start),
            end: (span.line_end, span.column_end),
            text: span.suggested_replacement.clone()?,
        };
        let path = path(&span.file_name, package?)?;
        let meets = |(file, other): &(String, Replacement)| {
            *file == path && part.start <= other.end && other.start <= part.end
        };
        // Several texts for one place are a choice, and who should choose?
        if span.expansion.is_some() || parts.iter().any(meets) {
            return None;
        }
        parts.push((path, part));
    }
    Some(Fix { what: child.message.clone(), sure, parts })
}

/// The compiler names files from the folder of the workspace, which is the package's or one above it: then the name begins
/// with the folders in between. Other names are of files that are not the project's.
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
