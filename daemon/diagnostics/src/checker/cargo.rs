//! The output of `cargo check --message-format=json`: one message per line, of the compiler or of Cargo.

use std::path::Path;

use serde::Deserialize;

use super::parse::{CheckerOutput, ColumnUnit, MAX_DIAGNOSTICS, RawDiagnostic, RawLocation, zero_based};
use copydesk_servers::diagnostic::Severity;

#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum CargoMessage {
    CompilerMessage {
        #[serde(default)]
        manifest_path: String,
        message: RustcDiagnostic,
    },
    CompilerArtifact {
        #[serde(default)]
        manifest_path: String,
    },
    BuildFinished {
        success: bool,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct RustcDiagnostic {
    message: String,
    level: String,
    code: Option<RustcCode>,
    #[serde(default)]
    spans: Vec<RustcSpan>,
    #[serde(default)]
    children: Vec<RustcDiagnostic>,
}

#[derive(Deserialize)]
struct RustcCode {
    code: String,
}

#[derive(Deserialize)]
struct RustcSpan {
    file_name: String,
    line_start: u64,
    column_start: u64,
    line_end: u64,
    column_end: u64,
    is_primary: bool,
    label: Option<String>,
    expansion: Option<Box<RustcExpansion>>,
}

#[derive(Deserialize)]
struct RustcExpansion {
    span: RustcSpan,
}

pub(super) fn parse(output: &str) -> CheckerOutput {
    let (mut parsed, mut folders) = (CheckerOutput::default(), Vec::new());
    for line in output.lines() {
        match serde_json::from_str(line) {
            Ok(CargoMessage::CompilerMessage { manifest_path, message }) => {
                add_checked_folder(&mut folders, &manifest_path);
                if parsed.diagnostics.len() < MAX_DIAGNOSTICS {
                    parsed.diagnostics.extend(raw(message));
                }
            }
            Ok(CargoMessage::CompilerArtifact { manifest_path }) => {
                add_checked_folder(&mut folders, &manifest_path);
            }
            Ok(CargoMessage::BuildFinished { success }) => {
                parsed.is_complete = true;
                // Cargo does not check the dependents of a package that fails to compile.
                parsed.checked_folders = (!success).then(|| std::mem::take(&mut folders));
            }
            // Output of build scripts and of Cargo itself.
            Ok(CargoMessage::Other) | Err(_) => {}
        }
    }
    // The compiler repeats a file's diagnostics for each target that includes it.
    let mut known = std::collections::HashSet::new();
    parsed.diagnostics.retain(|raw| {
        known.insert((
            raw.location.file.clone(),
            raw.location.line,
            raw.location.column,
            raw.code.clone(),
            raw.message.clone(),
        ))
    });
    parsed
}

/// The folder of the package that a file belongs to.
pub(super) fn package_of(path: &Path) -> Option<&Path> {
    path.ancestors().skip(1).find(|folder| folder.join("Cargo.toml").exists())
}

fn add_checked_folder(folders: &mut Vec<String>, manifest: &str) {
    if let Some((folder, _)) = manifest.rsplit_once('/')
        && folders.last().is_none_or(|last| last != folder)
        && folders.len() < MAX_DIAGNOSTICS
    {
        folders.push(folder.to_owned());
    }
}

fn raw(message: RustcDiagnostic) -> Option<RawDiagnostic> {
    let severity = match message.level.as_str() {
        "warning" => Severity::Warning,
        "note" => Severity::Information,
        "help" | "failure-note" => Severity::Hint,
        _ => Severity::Error,
    };
    // A message without a span is only a summary ("aborting due to 2 previous errors").
    let primary = message.spans.iter().find(|span| span.is_primary).or(message.spans.first())?;
    let code = message.code.map(|code| code.code);
    let is_clippy = code.as_deref().is_some_and(|code| code.starts_with("clippy::"));
    let labels = message.spans.iter().filter(|span| !span.is_primary);
    let labels = labels.filter_map(|span| Some((location(span), span.label.clone()?)));
    let mut related: Vec<_> = labels.collect();
    let mut text = message.message;
    if let Some(label) = primary.label.as_deref().filter(|label| !label.is_empty()) {
        text.push_str(&format!(": {label}"));
    }
    for child in &message.children {
        match child.spans.first() {
            Some(span) => related.push((location(span), child.message.clone())),
            None => text.push_str(&format!("\n{}: {}", child.level, child.message)),
        }
    }
    let source = if is_clippy { "clippy" } else { "rustc" };
    Some(RawDiagnostic {
        location: location(primary),
        severity,
        code,
        source: Some(source.to_owned()),
        message: text,
        related,
    })
}

/// Where a macro of another crate is used, not where it is defined.
fn location(span: &RustcSpan) -> RawLocation {
    let mut span = span;
    while let Some(outer) = span.expansion.as_deref().filter(|_| span.file_name.starts_with(['/', '<'])) {
        span = &outer.span;
    }
    RawLocation {
        file: span.file_name.clone(),
        line: zero_based(span.line_start),
        column: Some(zero_based(span.column_start)),
        end: Some((zero_based(span.line_end), zero_based(span.column_end))),
        columns: Some(ColumnUnit::Characters),
    }
}
