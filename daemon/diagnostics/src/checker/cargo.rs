//! What `cargo check --message-format=json` prints: one message in a line, of the compiler or of Cargo.

use std::path::Path;

use serde::Deserialize;

use super::parse::{Columns, MOST, Parsed, Raw, Spot, from_one};
use copydesk_servers::diagnostic::Severity;

#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Line {
    CompilerMessage {
        #[serde(default)]
        manifest_path: String,
        message: Message,
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
struct Message {
    message: String,
    level: String,
    code: Option<Code>,
    #[serde(default)]
    spans: Vec<Span>,
    #[serde(default)]
    children: Vec<Message>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u64,
    column_start: u64,
    line_end: u64,
    column_end: u64,
    is_primary: bool,
    label: Option<String>,
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

pub(super) fn parse(output: &str) -> Parsed {
    let (mut parsed, mut seen) = (Parsed::default(), Vec::new());
    for line in output.lines() {
        match serde_json::from_str(line) {
            Ok(Line::CompilerMessage { manifest_path, message }) => {
                saw(&mut seen, &manifest_path);
                if parsed.found.len() < MOST {
                    parsed.found.extend(raw(message));
                }
            }
            Ok(Line::CompilerArtifact { manifest_path }) => saw(&mut seen, &manifest_path),
            Ok(Line::BuildFinished { success }) => {
                parsed.is_whole = true;
                // What stands on a package that does not compile was not looked at.
                parsed.seen = (!success).then(|| std::mem::take(&mut seen));
            }
            // Whatever build scripts and Cargo itself print in between.
            Ok(Line::Other) | Err(_) => {}
        }
    }
    // The compiler says the same of a file once for each target that has it.
    let mut known = std::collections::HashSet::new();
    parsed.found.retain(|raw| {
        known.insert((raw.at.file.clone(), raw.at.line, raw.at.column, raw.code.clone(), raw.message.clone()))
    });
    parsed
}

/// The folder of the package that a file belongs to.
pub(super) fn package_of(path: &Path) -> Option<&Path> {
    path.ancestors().skip(1).find(|folder| folder.join("Cargo.toml").exists())
}

fn saw(seen: &mut Vec<String>, manifest: &str) {
    if let Some((folder, _)) = manifest.rsplit_once('/')
        && seen.last().is_none_or(|last| last != folder)
        && seen.len() < MOST
    {
        seen.push(folder.to_owned());
    }
}

fn raw(message: Message) -> Option<Raw> {
    let severity = match message.level.as_str() {
        "warning" => Severity::Warning,
        "note" => Severity::Information,
        "help" | "failure-note" => Severity::Hint,
        _ => Severity::Error,
    };
    // Without a place there are only sums ("aborting due to 2 previous errors").
    let primary = message.spans.iter().find(|span| span.is_primary).or(message.spans.first())?;
    let code = message.code.map(|code| code.code);
    let is_clippy = code.as_deref().is_some_and(|code| code.starts_with("clippy::"));
    let labels = message.spans.iter().filter(|span| !span.is_primary);
    let labels = labels.filter_map(|span| Some((spot(span), span.label.clone()?)));
    let mut related: Vec<_> = labels.collect();
    let mut text = message.message;
    if let Some(label) = primary.label.as_deref().filter(|label| !label.is_empty()) {
        text.push_str(&format!(": {label}"));
    }
    for child in &message.children {
        match child.spans.first() {
            Some(span) => related.push((spot(span), child.message.clone())),
            None => text.push_str(&format!("\n{}: {}", child.level, child.message)),
        }
    }
    let source = if is_clippy { "clippy" } else { "rustc" };
    Some(Raw { at: spot(primary), severity, code, source: Some(source.to_owned()), message: text, related })
}

/// Where a macro of another crate is used, rather than where it stands.
fn spot(span: &Span) -> Spot {
    let mut span = span;
    while let Some(outer) = span.expansion.as_deref().filter(|_| span.file_name.starts_with(['/', '<'])) {
        span = &outer.span;
    }
    Spot {
        file: span.file_name.clone(),
        line: from_one(span.line_start),
        column: Some(from_one(span.column_start)),
        end: Some((from_one(span.line_end), from_one(span.column_end))),
        columns: Some(Columns::Characters),
    }
}
