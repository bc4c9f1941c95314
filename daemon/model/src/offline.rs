//! The offline model: a small agent without a network, for a machine without any other model.
//!
//! It is a pure function from the conversation to the next step ([`next_step`]). It reads nothing but the
//! request, and reads or changes files only through the tools it is offered, so permission rules and asks
//! apply as for any model. It understands a few plain English requests (`intent`) and says so when it does
//! not.
//!
//! Invariant: the same conversation gives the same step, except for call ids.
//! Invariant: every loop ends, whatever the tools return.

mod advice;
mod cargo_output;
mod edit_calls;
mod file_lines;
mod fix_errors;
mod fix_messages;
mod generated_files;
mod intent;
mod lookup;
mod rename;
mod replace_text;
mod sentence;
mod tidy;
mod turn;

use serde_json::{Value, json};

use crate::catalogue::{ModelPrices, ModelSpec, TokenPrices};
use crate::event::{ModelEvent, StreamFinish};
use crate::provider::{Dialect, Provider, RequestTimeouts, WireProtocol};
use crate::request::{ModelRequest, ToolChoice};
use crate::response_builder::{ResponseBuilder, StreamFault};
use intent::Intent;
use turn::OfflineTurn;

/// The id of the provider and of the model.
pub const ID: &str = "offline";
/// The name a user selects it by.
pub const MODEL_NAME: &str = "offline/offline";
/// One line for model lists.
pub const DESCRIPTION: &str = "built in: repairs what the compiler can repair, renames, finds";

/// The next step: some text, and calls unless the model is done.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct OfflineStep {
    text: String,
    calls: Vec<OfflineCall>,
}

#[derive(Debug, PartialEq)]
struct OfflineCall {
    name: &'static str,
    arguments: Value,
}

impl OfflineStep {
    fn say(text: impl Into<String>) -> Self {
        Self { text: text.into(), calls: Vec::new() }
    }

    fn call(text: impl Into<String>, name: &'static str, arguments: Value) -> Self {
        Self { text: text.into(), calls: vec![OfflineCall { name, arguments }] }
    }
}

impl OfflineCall {
    fn read(path: &str, offset: usize) -> Self {
        Self { name: "read", arguments: json!({ "filePath": path, "offset": offset }) }
    }

    fn edit(path: &str, old: &str, new: &str, all: bool) -> Self {
        let arguments = json!({ "filePath": path, "oldString": old, "newString": new, "replaceAll": all });
        Self { name: "edit", arguments }
    }
}

pub(crate) fn next_step(request: &ModelRequest) -> OfflineStep {
    // Asked for plain text, such as a title, it has nothing to offer.
    if request.tool_choice == ToolChoice::None {
        return OfflineStep::default();
    }
    let Some(mut turn) = OfflineTurn::from_request(request) else {
        return OfflineStep::say(advice::unknown_request());
    };
    let step = match &turn.intent.clone() {
        Intent::Unknown => OfflineStep::say(advice::unknown_request()),
        Intent::Fix(goal) => fix_errors::next_step(&turn, *goal),
        Intent::Replace { old, new, path } => replace_text::replace(&turn, old, new, path.as_deref()),
        Intent::Rename { old, new, path } => rename::next_step(&mut turn, old, new, path.as_deref()),
        Intent::FixListed { path, problems } => tidy::fix_listed(&turn, path, problems),
        Intent::Tidy { what, path } => tidy::next_step(&turn, *what, path),
        // Without the tool a search is the next best.
        Intent::Ask { name, path, .. } if !turn.offers("lsp") => lookup::find(&turn, name, path.as_deref()),
        Intent::Ask { question, name, path } => lookup::ask(&turn, *question, name, path.as_deref()),
        Intent::Find { what, path } => lookup::find(&turn, what, path.as_deref()),
        Intent::Show { path, lines } => lookup::show(&turn, path, *lines),
        Intent::List { path } => lookup::list(&turn, path.as_deref()),
    };
    let missing = step.calls.iter().find(|call| !turn.offers(call.name));
    match missing {
        Some(call) => OfflineStep::say(advice::not_offered(call.name)),
        None => step,
    }
}

/// The events of a response, as a stream would deliver them.
pub(crate) fn stream_events(request: &ModelRequest) -> Vec<ModelEvent> {
    let step = next_step(request);
    let mut answer = ResponseBuilder::new(ID, ID, 0, usize::MAX);
    // Only the cap can fail, and here there is none.
    let _ = write(&mut answer, &step);
    let stop = answer.finish();
    let mut events = answer.take_events();
    events.push(ModelEvent::Finished(StreamFinish { reason: stop, usage: answer.usage, cost: Some(0.0) }));
    events
}

fn write(answer: &mut ResponseBuilder, step: &OfflineStep) -> Result<(), StreamFault> {
    if !step.text.is_empty() {
        let part = answer.start_text()?;
        for line in step.text.split_inclusive('\n') {
            answer.push(part, line)?;
        }
        answer.end_part(part);
    }
    for call in &step.calls {
        let part = answer.start_call(None, call.name)?;
        answer.push(part, &call.arguments.to_string())?;
        answer.end_part(part);
    }
    Ok(())
}

pub(crate) fn info() -> ModelSpec {
    let free = TokenPrices { input: 0.0, output: 0.0, cache_read: None, cache_write: None };
    ModelSpec {
        name: "Offline".to_owned(),
        // Large enough never to be reached.
        context: 10_000_000,
        is_context_assumed: false,
        output: 100_000,
        cost: Some(ModelPrices { base: free, above: None }),
        known: true,
        ..ModelSpec::unknown(ID)
    }
}

/// A placeholder: the address is empty and the wire is never used.
pub(crate) fn provider() -> Provider {
    Provider {
        id: ID.to_owned(),
        name: "Offline".to_owned(),
        wire: WireProtocol::OpenaiChat,
        base_url: String::new(),
        key: None,
        key_names: Vec::new(),
        headers: Vec::new(),
        query: Vec::new(),
        dialect: Dialect::default(),
        timeouts: RequestTimeouts::default(),
        is_local: false,
    }
}

#[cfg(test)]
mod tests;
