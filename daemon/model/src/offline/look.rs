//! Finds, shows and lists: one call, and its answer in words.

use serde_json::{Value, json};

use super::turn::{Done, Turn};
use super::{Step, advice};

/// Lines of an answer.
const MOST: usize = 60;

pub(super) fn find(turn: &Turn<'_>, what: &str, path: Option<&str>) -> Step {
    once(
        turn,
        || Step::call("", "grep", grep(&escaped(what), path)),
        |call| {
            if call.output.starts_with("No line") {
                return format!(
                    "`{what}` is nowhere{}. (Files that git ignores are passed over.)",
                    within(path)
                );
            }
            shortened(call.output)
        },
    )
}

pub(super) fn show(turn: &Turn<'_>, path: &str, lines: Option<(usize, usize)>) -> Step {
    let arguments = match lines {
        Some((first, last)) => {
            json!({ "filePath": path, "offset": first, "limit": last.saturating_sub(first).saturating_add(1) })
        }
        None => json!({ "filePath": path }),
    };
    once(turn, || Step::call("", "read", arguments), |call| call.output.to_owned())
}

pub(super) fn list(turn: &Turn<'_>, path: Option<&str>) -> Step {
    let arguments = path.map_or_else(|| json!({}), |path| json!({ "path": path }));
    once(turn, || Step::call("", "list", arguments), |call| call.output.to_owned())
}

fn once(turn: &Turn<'_>, ask: impl FnOnce() -> Step, tell: impl FnOnce(&Done<'_>) -> String) -> Step {
    match turn.last().first() {
        None => ask(),
        Some(call) if call.is_error => Step::say(advice::stopped(call.output)),
        Some(call) => Step::say(tell(call)),
    }
}

fn shortened(output: &str) -> String {
    let total = output.lines().count();
    if total <= MOST {
        return output.to_owned();
    }
    let shown: Vec<_> = output.lines().take(MOST).collect();
    let end = output.lines().next_back().unwrap_or_default();
    format!("{}\n…\n{end}", shown.join("\n"))
}

pub(super) fn within(path: Option<&str>) -> String {
    path.map(|path| format!(" in {path}")).unwrap_or_default()
}

pub(super) fn grep(pattern: &str, path: Option<&str>) -> Value {
    match path {
        Some(path) => json!({ "pattern": pattern, "path": path }),
        None => json!({ "pattern": pattern }),
    }
}

/// A pattern that matches this text and nothing else.
pub(super) fn escaped(text: &str) -> String {
    let mut pattern = String::new();
    for character in text.chars() {
        if character.is_ascii_punctuation() && character != '_' {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

/// The files of what `grep` found: each stands on a line of its own before its matches, which are indented.
pub(super) fn files(output: &str) -> Vec<String> {
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
