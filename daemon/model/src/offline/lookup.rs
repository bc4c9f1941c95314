//! Find, ask, show and list: one call, then its output as the answer.

use serde_json::{Value, json};

use super::intent::CodeQuestion;
use super::turn::{CompletedCall, OfflineTurn};
use super::{OfflineStep, advice};

/// Lines of output shown, at most.
const MAX_LINES: usize = 60;

pub(super) fn find(turn: &OfflineTurn<'_>, what: &str, path: Option<&str>) -> OfflineStep {
    call_once(
        turn,
        || OfflineStep::call("", "grep", grep(&escape_regex(what), path)),
        |call| {
            if call.output.starts_with("No line") {
                return format!(
                    "`{what}` is nowhere{}. (Files that git ignores are passed over.)",
                    in_path(path)
                );
            }
            shorten_output(call.output)
        },
    )
}

pub(super) fn ask(
    turn: &OfflineTurn<'_>,
    question: CodeQuestion,
    name: &str,
    path: Option<&str>,
) -> OfflineStep {
    let operation = match question {
        CodeQuestion::WhereDefined | CodeQuestion::Definition => "goToDefinition",
        CodeQuestion::References => "findReferences",
        CodeQuestion::Callers => "incomingCalls",
        CodeQuestion::Outline => "documentSymbol",
    };
    let is_whole = question == CodeQuestion::Definition;
    let arguments = match (question, path) {
        (CodeQuestion::Outline, _) => json!({ "operation": operation, "filePath": name }),
        (_, Some(path)) => {
            json!({ "operation": operation, "symbol": name, "filePath": path, "body": is_whole })
        }
        (_, None) => json!({ "operation": operation, "symbol": name, "body": is_whole }),
    };
    let tell = |call: &CompletedCall<'_>| shorten_output(call.output);
    match turn.last_step().first() {
        // Its candidates are the answer.
        Some(call) if call.is_error => {
            let several = advice::several_definitions(call.output).map(|several| match question {
                CodeQuestion::WhereDefined => several,
                _ => format!("{several}\nSay which one: add `in FILE`."),
            });
            OfflineStep::say(several.unwrap_or_else(|| shorten_output(call.output)))
        }
        _ => call_once(turn, || OfflineStep::call("", "lsp", arguments), tell),
    }
}

pub(super) fn show(turn: &OfflineTurn<'_>, path: &str, lines: Option<(usize, usize)>) -> OfflineStep {
    let arguments = match lines {
        Some((first, last)) => {
            json!({ "filePath": path, "offset": first, "limit": last.saturating_sub(first).saturating_add(1) })
        }
        None => json!({ "filePath": path }),
    };
    call_once(turn, || OfflineStep::call("", "read", arguments), |call| call.output.to_owned())
}

pub(super) fn list(turn: &OfflineTurn<'_>, path: Option<&str>) -> OfflineStep {
    let arguments = path.map_or_else(|| json!({}), |path| json!({ "path": path }));
    call_once(turn, || OfflineStep::call("", "list", arguments), |call| call.output.to_owned())
}

fn call_once(
    turn: &OfflineTurn<'_>,
    ask: impl FnOnce() -> OfflineStep,
    tell: impl FnOnce(&CompletedCall<'_>) -> String,
) -> OfflineStep {
    match turn.last_step().first() {
        None => ask(),
        Some(call) if call.is_error => OfflineStep::say(advice::failed_call(call.output)),
        Some(call) => OfflineStep::say(tell(call)),
    }
}

fn shorten_output(output: &str) -> String {
    let total = output.lines().count();
    if total <= MAX_LINES {
        return output.to_owned();
    }
    let shown: Vec<_> = output.lines().take(MAX_LINES).collect();
    let end = output.lines().next_back().unwrap_or_default();
    format!("{}\n…\n{end}", shown.join("\n"))
}

pub(super) fn in_path(path: Option<&str>) -> String {
    path.map(|path| format!(" in {path}")).unwrap_or_default()
}

pub(super) fn grep(pattern: &str, path: Option<&str>) -> Value {
    match path {
        Some(path) => json!({ "pattern": pattern, "path": path }),
        None => json!({ "pattern": pattern }),
    }
}

/// A pattern that matches exactly this text.
pub(super) fn escape_regex(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        if character.is_ascii_punctuation() && character != '_' {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

/// The files in `grep`'s output: each is on its own line before its matches, which are indented.
pub(super) fn matched_files(output: &str) -> Vec<String> {
    let mut files = Vec::new();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let is_file = !line.is_empty() && !line.starts_with(' ');
        if is_file && lines.peek().is_some_and(|next| is_match(next)) {
            files.push(line.to_owned());
        }
    }
    files
}

fn is_match(line: &str) -> bool {
    let number = line.strip_prefix("  ").and_then(|line| line.split_once(':')).map(|(number, _)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
