//! The offline model: a small agent without a network, for a machine where no other model is set up.
//!
//! A pure function from the conversation to the next step ([`answer`]); it looks at nothing but the request, and whatever
//! it wants to know or change it does through the tools it is offered, so the rules and the person are asked as for any
//! model. It understands a few plain English requests (`intent`), and says so where it does not.
//!
//! Invariant: the same conversation gives the same step, but for the ids of the calls. Invariant: every loop of it ends,
//! whatever the tools answer.

mod advice;
mod built;
mod change;
mod diagnostics;
mod file_lines;
mod fix;
mod fix_words;
mod intent;
mod look;
mod patch;
mod turn;
mod words;

use serde_json::{Value, json};

use crate::answer::{Answer, Fault};
use crate::catalogue::{ModelInfo, Prices, Tier};
use crate::event::{Event, Finish};
use crate::provider::{Dialect, Provider, Timeouts, Wire};
use crate::request::{Request, ToolChoice};
use intent::Intent;
use turn::Turn;

/// The provider's id, and the model's.
pub const ID: &str = "offline";
/// As it is written where a model is chosen.
pub const NAME: &str = "offline/offline";
/// What it can do, in a line.
pub const NOTE: &str = "built in: repairs what the compiler can repair, renames, finds";

/// What it does next: a few words, and calls unless it is done.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Step {
    text: String,
    calls: Vec<ToolCall>,
}

#[derive(Debug, PartialEq)]
struct ToolCall {
    name: &'static str,
    arguments: Value,
}

impl Step {
    fn say(text: impl Into<String>) -> Self {
        Self { text: text.into(), calls: Vec::new() }
    }

    fn call(text: impl Into<String>, name: &'static str, arguments: Value) -> Self {
        Self { text: text.into(), calls: vec![ToolCall { name, arguments }] }
    }
}

impl ToolCall {
    fn read(path: &str, offset: usize) -> Self {
        Self { name: "read", arguments: json!({ "filePath": path, "offset": offset }) }
    }

    fn edit(path: &str, old: &str, new: &str, all: bool) -> Self {
        let arguments = json!({ "filePath": path, "oldString": old, "newString": new, "replaceAll": all });
        Self { name: "edit", arguments }
    }
}

pub(crate) fn answer(request: &Request) -> Step {
    // Asked for a text of its own, such as a title, it has none to give.
    if request.tool_choice == ToolChoice::None {
        return Step::default();
    }
    let Some(turn) = Turn::read(request) else { return Step::say(advice::unknown()) };
    let step = match &turn.intent {
        Intent::Unknown => Step::say(advice::unknown()),
        Intent::Fix(goal) => fix::next(&turn, *goal),
        Intent::Replace { old, new, path } => change::replace(&turn, old, new, path.as_deref()),
        Intent::Rename { old, new, path } => change::rename(&turn, old, new, path.as_deref()),
        Intent::Find { what, path } => look::find(&turn, what, path.as_deref()),
        Intent::Show { path, lines } => look::show(&turn, path, *lines),
        Intent::List { path } => look::list(&turn, path.as_deref()),
    };
    let missing = step.calls.iter().find(|call| !turn.offers(call.name));
    match missing {
        Some(call) => Step::say(advice::not_offered(call.name)),
        None => step,
    }
}

/// The events of an answer, as a stream would bring them.
pub(crate) fn play(request: &Request) -> Vec<Event> {
    let step = answer(request);
    let mut answer = Answer::new(ID, ID, 0, usize::MAX);
    // The cap is the only fault of an answer, and there is none.
    let _ = write(&mut answer, &step);
    let stop = answer.close();
    let mut events = answer.take_events();
    events.push(Event::Finished(Finish { stop, usage: answer.usage, cost: Some(0.0) }));
    events
}

fn write(answer: &mut Answer, step: &Step) -> Result<(), Fault> {
    if !step.text.is_empty() {
        let part = answer.start_text()?;
        for line in step.text.split_inclusive('\n') {
            answer.push(part, line)?;
        }
        answer.end(part);
    }
    for call in &step.calls {
        let part = answer.start_call(None, call.name)?;
        answer.push(part, &call.arguments.to_string())?;
        answer.end(part);
    }
    Ok(())
}

pub(crate) fn info() -> ModelInfo {
    let free = Tier { input: 0.0, output: 0.0, cache_read: None, cache_write: None };
    ModelInfo {
        name: "Offline".to_owned(),
        // It reads all there is; a number that nobody runs into.
        context: 10_000_000,
        output: 100_000,
        cost: Some(Prices { base: free, above: None }),
        known: true,
        ..ModelInfo::unknown(ID)
    }
}

/// It is served by nobody: the address is empty and the wire never spoken.
pub(crate) fn provider() -> Provider {
    Provider {
        id: ID.to_owned(),
        name: "Offline".to_owned(),
        wire: Wire::OpenaiChat,
        base_url: String::new(),
        key: None,
        key_names: Vec::new(),
        headers: Vec::new(),
        query: Vec::new(),
        dialect: Dialect::default(),
        timeouts: Timeouts::default(),
        local: false,
    }
}

#[cfg(test)]
mod tests;
