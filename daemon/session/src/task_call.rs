//! What a call of the tool `task` says about its task.

use serde_json::Value;

use crate::data::{CallPart, Part};

const TOOL: &str = "task";
/// The cap on the text about what a task does now.
pub(crate) const MAX_LABEL_CHARS: usize = 80;

/// Longer arguments are not parsed.
const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

/// Tells the model how to continue the task of an interrupted call.
pub(crate) fn resume_hint(call: &CallPart, part: &Part) -> String {
    if call.name != TOOL {
        return String::new();
    }
    let resumed = argument(&call.arguments, &["task_id"]);
    let id = resumed.unwrap_or_else(|| part.id.to_string());
    format!(" The agent's session is kept: pass `task_id` {id} to go on with it.")
}

/// The description of a task.
pub(crate) fn task_label(call: &CallPart) -> String {
    let about = argument(&call.arguments, &["description"]).unwrap_or_default();
    let about: String = about.split_whitespace().flat_map(|word| [" ", word]).collect();
    about.chars().take(MAX_LABEL_CHARS).collect()
}

pub(crate) fn argument(arguments: &str, names: &[&str]) -> Option<String> {
    if arguments.len() > MAX_ARGUMENT_BYTES {
        return None;
    }
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let said = names.iter().find_map(|name| arguments.get(name)?.as_str());
    said.map(str::trim).filter(|said| !said.is_empty()).map(str::to_owned)
}
