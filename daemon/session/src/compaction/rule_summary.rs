//! A summary without a model: what the parts themselves tell. The files that were read and changed, the commands, what failed, and the
//! last words of the model. It is short, true, and always possible.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use crate::data::{CallPart, Part, PartContent, PartState};

const MAX_FILES: usize = 60;
const MAX_COMMANDS: usize = 20;
const MAX_PROMPTS: usize = 20;
const MAX_LINE_LETTERS: usize = 200;
/// Of the last words of the model.
const MAX_TEXT_LETTERS: usize = 3_000;
/// Of the summary before this one.
const MAX_EARLIER_LETTERS: usize = 6_000;
const EARLIER: &str = "Before that:\n";

/// `earlier` is the summary that the replaced parts begin with, `left_out` are prompts that the model does not read any more.
pub(crate) fn summarize(earlier: Option<&str>, left_out: &[&Part], replaced: &[Arc<Part>]) -> String {
    let mut summary = String::new();
    if let Some(earlier) = earlier {
        // Of several by rule the newest stands last.
        let earlier = match earlier.strip_prefix(EARLIER) {
            Some(chain) => last_letters(chain, MAX_EARLIER_LETTERS),
            None => first_letters(earlier, MAX_EARLIER_LETTERS),
        };
        let _ = writeln!(summary, "{EARLIER}{earlier}\n");
    }
    let prompts: Vec<_> = left_out.iter().filter_map(|part| prompt_line(part)).collect();
    if !prompts.is_empty() {
        let _ = writeln!(summary, "Earlier prompts of the user, as they begin:");
        let skipped = prompts.len().saturating_sub(MAX_PROMPTS);
        prompts.iter().skip(skipped).for_each(|line| summary.push_str(&format!("- {line}\n")));
    }
    let mut files: BTreeMap<String, FileUse> = BTreeMap::new();
    let mut commands = Vec::new();
    for part in replaced {
        let PartContent::Call(call) = &part.content else { continue };
        let Ok(Value::Object(arguments)) = serde_json::from_str(&call.arguments) else { continue };
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        if let Some(path) = text("filePath").or_else(|| text("path")) {
            files.entry(path.to_owned()).or_default().add(call, part);
        }
        let patch = text("patchText").unwrap_or_default();
        for path in patch.lines().filter_map(patched_path) {
            files.entry(path.to_owned()).or_default().add(call, part);
        }
        if let Some(command) = text("command") {
            commands.push(format!("{}: {}", one_line(command), outcome(call, part)));
        }
    }
    add_files(&mut summary, "Changed", &files, |used| used.changes > 0);
    add_files(&mut summary, "Read, not changed", &files, |used| used.changes == 0);
    let skipped = commands.len().saturating_sub(MAX_COMMANDS);
    if !commands.is_empty() {
        let _ = writeln!(summary, "Commands, the last {}:", commands.len() - skipped);
        commands.iter().skip(skipped).for_each(|line| summary.push_str(&format!("- {line}\n")));
    }
    let last = replaced.iter().rev().find_map(|part| match &part.content {
        PartContent::Text(text) if !text.text.trim().is_empty() => Some(text.text.trim()),
        _ => None,
    });
    if let Some(last) = last {
        let _ = writeln!(summary, "You wrote last:\n{}", first_letters(last, MAX_TEXT_LETTERS));
    }
    summary.trim_end().to_owned()
}

#[derive(Debug, Default)]
struct FileUse {
    changes: usize,
    failures: usize,
}

impl FileUse {
    fn add(&mut self, call: &CallPart, part: &Part) {
        let is_change = ["apply_patch", "edit", "multiedit", "write"].contains(&call.name.as_str());
        let is_done = outcome(call, part) == "done";
        self.changes += usize::from(is_change && is_done);
        self.failures += usize::from(is_change && !is_done);
    }
}

fn add_files(
    summary: &mut String,
    heading: &str,
    files: &BTreeMap<String, FileUse>,
    belongs: impl Fn(&FileUse) -> bool,
) {
    let found: Vec<_> = files.iter().filter(|(_, used)| belongs(used)).collect();
    if found.is_empty() {
        return;
    }
    let _ = writeln!(summary, "{heading}:");
    for (path, used) in found.iter().take(MAX_FILES) {
        let failed =
            if used.failures > 0 { format!(" ({} edits failed)", used.failures) } else { String::new() };
        let _ = writeln!(summary, "- {}{failed}", one_line(path));
    }
    if found.len() > MAX_FILES {
        let _ = writeln!(summary, "- … {} more", found.len() - MAX_FILES);
    }
}

/// The file of a patch's line that names one.
pub(crate) fn patched_path(line: &str) -> Option<&str> {
    let (action, path) = line.strip_prefix("*** ")?.split_once(" File: ")?;
    ["Add", "Update", "Delete"].contains(&action).then_some(path.trim())
}

fn outcome(call: &CallPart, part: &Part) -> &'static str {
    match (&call.output, &part.state) {
        (Some(output), PartState::Completed) if !output.is_error => "done",
        (_, PartState::Interrupted) => "interrupted",
        _ => "failed",
    }
}

fn one_line(text: &str) -> String {
    first_letters(text.lines().next().unwrap_or_default(), MAX_LINE_LETTERS)
}

fn prompt_line(part: &Part) -> Option<String> {
    let PartContent::Prompt(prompt) = &part.content else { return None };
    Some(first_letters(&prompt.text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_LINE_LETTERS))
}

fn last_letters(text: &str, most: usize) -> String {
    let skipped = text.chars().count().saturating_sub(most);
    let rest: String = text.chars().skip(skipped).collect();
    if skipped == 0 { rest } else { format!("…{rest}") }
}

fn first_letters(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
