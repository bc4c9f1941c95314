//! The prompt `/remember WORDS`: adds the words to the project's instruction file, by a call of an editing tool. So the user's rules,
//! the review, the undo and the editor's buffer hold as for any edit.
//!
//! The model makes no request. It reads a note, and the system prompt stays as it is, so the provider's cache holds.

use copydesk_model::FinishReason;
use copydesk_workspace::files::FileError;
use serde_json::json;

use super::SessionActor;
use crate::data::{CallPart, NotePart, PartContent, PartState, TurnEnd};
use crate::id::Id;
use crate::store::StoreError;
use crate::system_prompt::{MAX_INSTRUCTIONS_BYTES, instruction_files};

/// Longer words are a document of their own.
const MAX_WORDS_BYTES: usize = 4_000;
const FILE_NAME: &str = "AGENTS.md";
const HEADING: &str = "# Instructions";

impl SessionActor {
    /// The turn of a prompt that is `/remember`. The call's part has the prompt's id.
    pub(super) async fn run_remember(&mut self, id: Id, words: &str) -> Result<TurnEnd, StoreError> {
        let failed = |message: String| Ok(TurnEnd::Failed { message });
        if words.is_empty() {
            return failed(format!("Write what to remember: `/remember WORDS` adds it to {FILE_NAME}."));
        }
        if words.len() > MAX_WORDS_BYTES {
            return failed(format!(
                "These words have {} bytes; at most {MAX_WORDS_BYTES} are added to {FILE_NAME}.",
                words.len()
            ));
        }
        let root = &self.deps.root;
        // A new AGENTS.md would hide a CLAUDE.md.
        let file = instruction_files(root, root).pop().unwrap_or_else(|| root.join(FILE_NAME));
        let path = file.display().to_string();
        let place = self.deps.files.resolve(&path);
        let text = match self.deps.files.peek(&place, MAX_INSTRUCTIONS_BYTES as u64).await {
            Ok(content) => match String::from_utf8(content.bytes) {
                Ok(text) => text,
                Err(_) => return failed(format!("{} is no text.", place.display_path)),
            },
            Err(FileError::NotFound { .. }) => String::new(),
            Err(error) => return failed(error.to_string()),
        };
        let layers = self.asks.layers();
        let tools = self.deps.tools.definitions(|key| !layers.denies_all(key));
        let has_tool = |name: &str| tools.iter().any(|tool| tool.name == name);
        let Some((name, arguments)) = addition(&path, &text, words, has_tool) else {
            return failed(format!("The agent {} may not edit files.", self.deps.agent.name));
        };
        let content = PartContent::Call(CallPart {
            call: Id::new().to_string(),
            name: name.to_owned(),
            arguments: arguments.to_string(),
            echo: None,
            parent: None,
            output: None,
        });
        let part = crate::data::Part { id: id.clone(), ..self.new_part(PartState::Pending, content) };
        self.store_part(part.clone()).await?;
        self.run_calls(vec![part], &FinishReason::Calls).await?;
        if self.cancel.is_cancelled() {
            return Ok(TurnEnd::Cancelled);
        }
        if self.is_stopped_by_user {
            return Ok(TurnEnd::Rejected);
        }
        let output =
            self.parts.iter().rev().find(|part| part.id == id).and_then(|part| match &part.content {
                PartContent::Call(call) => call.output.as_deref(),
                _ => None,
            });
        match output {
            Some(output) if output.is_error => return failed(output.output.clone()),
            None => return failed(format!("{} was not changed.", place.display_path)),
            Some(_) => {}
        }
        let text = format!("The user adds to `{}`, and it holds from now on:\n{words}", place.display_path);
        let note = self.new_part(PartState::Completed, PartContent::Note(NotePart { text }));
        self.store_part(note).await?;
        Ok(TurnEnd::Done)
    }
}

/// The tool and its arguments that add the words at the end; `None` if no tool is there.
fn addition(
    path: &str,
    text: &str,
    words: &str,
    has_tool: impl Fn(&str) -> bool,
) -> Option<(&'static str, serde_json::Value)> {
    let line = format!("- {}", words.lines().map(str::trim_end).collect::<Vec<_>>().join("\n  "));
    let old = unique_end(text);
    if has_tool("apply_patch") {
        let added: String = line.lines().map(|line| format!("+{line}\n")).collect();
        let body = match old {
            None => format!("*** Add File: {path}\n+{HEADING}\n+\n{added}"),
            Some(old) => {
                let context: String = old.lines().map(|line| format!(" {line}\n")).collect();
                format!("*** Update File: {path}\n@@\n{context}{added}")
            }
        };
        let patch = format!("*** Begin Patch\n{body}*** End Patch\n");
        return Some(("apply_patch", json!({ "patchText": patch })));
    }
    match old {
        None if has_tool("write") => {
            Some(("write", json!({ "filePath": path, "content": format!("{HEADING}\n\n{line}\n") })))
        }
        Some(old) if has_tool("edit") => {
            let arguments =
                json!({ "filePath": path, "oldString": old, "newString": format!("{old}\n{line}") });
            Some(("edit", arguments))
        }
        _ => None,
    }
}

/// The last lines, as many as stand nowhere else; `None` if there are none.
fn unique_end(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let starts = text.rmatch_indices('\n').map(|(at, _)| at + 1).chain([0]);
    let mut ends = starts.filter_map(|start| text.get(start..)).filter(|end| !end.trim().is_empty());
    ends.find(|end| text.find(end) == text.rfind(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_at_the_end_is_certain() {
        for (text, expected) in [
            ("", None),
            ("\n \n", None),
            ("one", Some("one")),
            ("one\ntwo\n", Some("two")),
            ("- a\n\n- b\n- a\n", Some("- b\n- a")),
            ("a\na\na\n", Some("a\na\na")),
        ] {
            assert_eq!(unique_end(text), expected, "{text:?}");
        }
    }

    #[test]
    fn each_model_has_a_tool_for_it() {
        let made = |text, only| addition("/w/AGENTS.md", text, "Use\nspaces.", |tool| tool == only);
        let patch = "*** Begin Patch\n*** Update File: /w/AGENTS.md\n@@\n Be brief.\n+- Use\n+  spaces.\n*** End Patch\n";
        assert_eq!(made("Be brief.\n", "apply_patch"), Some(("apply_patch", json!({ "patchText": patch }))));
        let edit = json!({
            "filePath": "/w/AGENTS.md", "oldString": "Be brief.", "newString": "Be brief.\n- Use\n  spaces."
        });
        assert_eq!(made("Be brief.\n", "edit"), Some(("edit", edit)));
        let write = json!({ "filePath": "/w/AGENTS.md", "content": "# Instructions\n\n- Use\n  spaces.\n" });
        assert_eq!(made("", "write"), Some(("write", write)));
        assert_eq!(made("", "read"), None);
    }
}
