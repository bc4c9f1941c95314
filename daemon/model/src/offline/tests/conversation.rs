//! A test conversation: a prompt, the steps since, and the next step as text.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::offline::next_step;
use crate::request::{
    AssistantPart, ModelMessage, ModelRequest, ToolCallPart, ToolResultPart, ToolSpec, UserPart,
};

pub(super) struct Conversation {
    pub(super) request: ModelRequest,
}

impl Conversation {
    pub(super) fn new(prompt: &str) -> Self {
        let tool = |name: &str| ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            parameters: Arc::new(json!({})),
        };
        let tools = ["bash", "edit", "glob", "grep", "list", "read"].map(tool).into();
        Self { request: ModelRequest { tools, ..ModelRequest::default() } }.user(prompt)
    }

    pub(super) fn user(mut self, text: &str) -> Self {
        self.request.messages.push(ModelMessage::User(vec![UserPart::Text(text.to_owned())]));
        self
    }

    pub(super) fn without(mut self, tool: &str) -> Self {
        self.request.tools.retain(|other| other.name != tool);
        self
    }

    pub(super) fn with(mut self, tool: &str) -> Self {
        let description = String::new();
        let spec = ToolSpec { name: tool.to_owned(), description, parameters: Arc::new(json!({})) };
        self.request.tools.push(spec);
        self
    }

    /// One step with these calls and their outputs.
    pub(super) fn did(self, calls: &[(&str, Value, &str)]) -> Self {
        self.step(calls, false)
    }

    pub(super) fn failed(self, calls: &[(&str, Value, &str)]) -> Self {
        self.step(calls, true)
    }

    fn step(mut self, calls: &[(&str, Value, &str)], is_error: bool) -> Self {
        let id = |at: usize| format!("c{at}");
        let made = calls.iter().enumerate().map(|(at, (name, arguments, _))| {
            let (id, name) = (id(at), (*name).to_owned());
            AssistantPart::Call(ToolCallPart { id, name, arguments: arguments.to_string(), echo: None })
        });
        let results = calls.iter().enumerate().map(|(at, (name, _, output))| ToolResultPart {
            id: id(at),
            name: (*name).to_owned(),
            output: (*output).to_owned(),
            is_error,
            ..ToolResultPart::default()
        });
        let (made, results) = (made.collect(), results.collect());
        self.request.messages.extend([ModelMessage::Assistant(made), ModelMessage::Results(results)]);
        self
    }

    /// The text, then one line per call.
    pub(super) fn next(&self) -> String {
        let step = next_step(&self.request);
        let calls = step.calls.iter().map(|call| format!("{} {}\n", call.name, call.arguments));
        let text = if step.text.is_empty() { String::new() } else { format!("{}\n", step.text) };
        text + &calls.collect::<String>()
    }
}

/// A file as `read` shows it.
pub(super) fn numbered(text: &str) -> String {
    let lines: String = text.lines().enumerate().map(|(at, line)| format!("{}: {line}\n", at + 1)).collect();
    format!("{lines}\n(The file ends here: {} lines.)", text.lines().count())
}

/// A compiler message for `/p/src/main.rs`; each suggestion has a start, an end, a text and an applicability.
pub(super) fn message(text: &str, line: usize, suggestions: &[Suggested<'_>]) -> String {
    let span = |start: (usize, usize), end: (usize, usize)| {
        json!({ "file_name": "src/main.rs", "line_start": start.0, "column_start": start.1,
            "line_end": end.0, "column_end": end.1, "is_primary": true, "expansion": null,
            "suggested_replacement": null, "suggestion_applicability": null })
    };
    let children: Vec<_> = suggestions
        .iter()
        .map(|(start, end, replacement, applicability)| {
            let mut span = span(*start, *end);
            span["suggested_replacement"] = json!(replacement);
            span["suggestion_applicability"] = json!(applicability);
            json!({ "message": "do this", "level": "help", "code": null, "spans": [span], "children": [] })
        })
        .collect();
    let line = json!({ "reason": "compiler-message", "manifest_path": "/p/Cargo.toml", "message": {
        "message": text, "level": "error", "code": { "code": "E0001" },
        "spans": [span((line, 1), (line, 2))], "children": children } });
    format!("{line}\n")
}

pub(super) type Suggested<'a> = ((usize, usize), (usize, usize), &'a str, &'a str);

pub(super) fn finished(success: bool) -> String {
    format!("{}\n\n(exit code 0 after 0.1 s)", json!({ "reason": "build-finished", "success": success }))
}
