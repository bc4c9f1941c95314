//! Renames a symbol: by a language server, else word by word.

use serde_json::json;

use super::fix_errors::is_refusal;
use super::turn::OfflineTurn;
use super::{OfflineStep, advice, replace_text};

pub(super) fn next_step(turn: &mut OfflineTurn<'_>, old: &str, new: &str, path: Option<&str>) -> OfflineStep {
    let by_server = turn.steps.first().and_then(|step| step.iter().find(|call| call.name == "refactor"));
    match by_server {
        None if turn.steps.is_empty() && turn.offers("refactor") => {
            let mut arguments = json!({ "operation": "rename", "symbol": old, "newName": new });
            if let (Some(path), Some(arguments)) = (path, arguments.as_object_mut()) {
                arguments.insert("filePath".to_owned(), json!(path));
            }
            OfflineStep::call("", "refactor", arguments)
        }
        Some(call) if !call.is_error => {
            let rejected = advice::rejected_places(call.output);
            if rejected.is_empty() {
                return OfflineStep::say(format!("`{old}` is `{new}` now.\n\n{}", call.output));
            }
            OfflineStep::say(advice::rejection_reply(&rejected))
        }
        Some(call) if is_refusal(call) || !is_for_words(call.output) || old.contains("::") => {
            let which = |several| format!("{several}\nSay which one: `rename {old} in FILE to {new}`.");
            let several = advice::several_definitions(call.output).map(which);
            OfflineStep::say(several.unwrap_or_else(|| advice::failed_call(call.output)))
        }
        // No server knows the symbol.
        _ => {
            turn.steps.retain(|step| step.iter().all(|call| call.name != "refactor"));
            replace_text::rename(turn, old, new, path)
        }
    }
}

/// Whether no server can do it, so that a search must.
fn is_for_words(output: &str) -> bool {
    ["No language server serves", "it cannot do this", "No file of the workspace defines", "has no `"]
        .iter()
        .any(|reason| output.contains(reason))
}
