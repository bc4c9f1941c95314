//! The last request, and the calls made for it since.

use serde_json::Value;

use super::intent::{self, Intent};
use crate::request::{AssistantPart, ModelMessage, ModelRequest, ToolResultPart, UserPart};

pub(super) struct OfflineTurn<'a> {
    pub(super) intent: Intent,
    /// The completed calls of each step.
    pub(super) steps: Vec<Vec<CompletedCall<'a>>>,
    tools: Vec<&'a str>,
}

pub(super) struct CompletedCall<'a> {
    pub(super) name: &'a str,
    /// `Null` if they were not valid JSON.
    pub(super) arguments: Value,
    pub(super) output: &'a str,
    pub(super) is_error: bool,
}

impl CompletedCall<'_> {
    pub(super) fn argument(&self, name: &str) -> &str {
        self.arguments.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

impl<'a> OfflineTurn<'a> {
    /// `None` if the conversation has no prompt.
    pub(super) fn from_request(request: &'a ModelRequest) -> Option<Self> {
        let messages = &request.messages;
        let prompts =
            messages.iter().enumerate().filter(|(_, message)| matches!(message, ModelMessage::User(_)));
        let mut found: Option<(usize, Intent)> = None;
        for (at, message) in prompts {
            let intent = intent_of(message);
            // An unknown remark in the middle of the work does not replace the request.
            let amid_work = at.checked_sub(1).and_then(|before| messages.get(before));
            let amid_work = matches!(amid_work, Some(ModelMessage::Results(_)));
            if !(amid_work && intent == Intent::Unknown && found.is_some()) {
                found = Some((at, intent));
            }
        }
        let (at, intent) = found?;
        let mut steps = Vec::new();
        let since = messages.get(at..).unwrap_or_default();
        for (place, message) in since.iter().enumerate() {
            let ModelMessage::Assistant(parts) = message else { continue };
            let results = match since.get(place + 1) {
                Some(ModelMessage::Results(results)) => results.as_slice(),
                _ => &[],
            };
            let calls: Vec<_> = parts.iter().filter_map(|part| completed_call(part, results)).collect();
            if !calls.is_empty() {
                steps.push(calls);
            }
        }
        let tools = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        Some(Self { intent, steps, tools })
    }

    pub(super) fn offers(&self, tool: &str) -> bool {
        self.tools.contains(&tool)
    }

    pub(super) fn last_step(&self) -> &[CompletedCall<'a>] {
        self.steps.last().map(Vec::as_slice).unwrap_or_default()
    }
}

/// The intent of the first text that has one.
fn intent_of(message: &ModelMessage) -> Intent {
    let ModelMessage::User(inputs) = message else { return Intent::Unknown };
    let texts = inputs.iter().filter_map(|input| match input {
        UserPart::Text(text) => Some(intent::parse_intent(text)),
        UserPart::Note(_) | UserPart::Media(_) => None,
    });
    let mut known = texts.filter(|intent| *intent != Intent::Unknown);
    known.next().unwrap_or(Intent::Unknown)
}

fn completed_call<'a>(part: &'a AssistantPart, results: &'a [ToolResultPart]) -> Option<CompletedCall<'a>> {
    let AssistantPart::Call(call) = part else { return None };
    let result = results.iter().find(|result| result.id == call.id);
    Some(CompletedCall {
        name: &call.name,
        arguments: serde_json::from_str(&call.arguments).unwrap_or_default(),
        output: result.map_or("the call was not answered", |result| result.output.as_str()),
        is_error: result.is_none_or(|result| result.is_error),
    })
}
