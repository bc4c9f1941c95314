//! A session that works for a call of another: prompted once, watched to the end of its turn.
//!
//! It has the id of the call that began it, so that it is found again even where nothing is left of that call but its name.

use copydesk_tool::{Doings, Report, TaskEnd, Used};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::data::{Call, Content, Part, State};
use crate::event::{Event, TurnEnd};
use crate::live::{Live, Request, When};

/// The tool whose calls begin sessions.
const TOOL: &str = "task";

/// Characters of what a task does at the moment.
const LONGEST: usize = 80;

/// What is looked at of a call's arguments.
const LOOKED_AT: usize = 64 * 1024;

/// The arguments that tell what a call is about, the most telling first.
const TELLING: [&str; 7] = ["description", "filePath", "path", "pattern", "command", "url", "query"];

/// Prompts a session and watches it to the end of the turn, which it ends by itself when it is cancelled. `tell` gets every
/// event, and what it all comes to where that has changed.
pub async fn work(
    session: &str,
    (live, mut events): (&Live, mpsc::Receiver<Event>),
    prompt: String,
    cancel: &CancellationToken,
    mut tell: impl FnMut(Event, Option<&Doings>),
) -> Report {
    let mut watched = Watched::new(session);
    let begun = live.prompt(Request { text: prompt, files: Vec::new(), when: When::Queue }).await;
    let mut end = begun.is_none().then_some(TaskEnd::Failed("the session ended at once".to_owned()));
    let mut is_cancelled = false;
    while end.is_none() {
        let event = tokio::select! {
            event = events.recv() => event,
            () = cancel.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                live.cancel().await;
                continue;
            }
        };
        let Some(event) = event else {
            end = Some(TaskEnd::Failed("the session ended without a word".to_owned()));
            break;
        };
        if let Event::TurnEnded { end: ended, .. } = &event {
            end = Some(told(ended));
        }
        let has_changed = watched.hear(&event);
        tell(event, has_changed.then_some(&watched.doings));
    }
    let Watched { doings, words } = watched;
    Report { doings, end: end.unwrap_or(TaskEnd::Cancelled), words }
}

fn told(end: &TurnEnd) -> TaskEnd {
    match end {
        TurnEnd::Done => TaskEnd::Completed,
        TurnEnd::Cancelled => TaskEnd::Cancelled,
        TurnEnd::Rejected => TaskEnd::Rejected,
        TurnEnd::StepLimit { steps } => TaskEnd::StepLimit(*steps),
        TurnEnd::Failed { message } => TaskEnd::Failed(message.clone()),
    }
}

/// How a model goes on with the task that an interrupted call was.
pub(crate) fn goes_on(call: &Call, part: &Part) -> String {
    if call.name != TOOL {
        return String::new();
    }
    let resumed = argument(&call.arguments, &["task_id"]);
    let id = resumed.unwrap_or_else(|| part.id.to_string());
    format!(" The agent's session is kept: pass `task_id` {id} to go on with it.")
}

/// What has happened, event by event.
struct Watched {
    doings: Doings,
    /// What was said last.
    words: String,
}

impl Watched {
    fn new(session: &str) -> Self {
        Self { doings: Doings { session: session.to_owned(), ..Doings::default() }, words: String::new() }
    }

    /// Whether that is anything to show.
    fn hear(&mut self, event: &Event) -> bool {
        let before = self.doings.clone();
        if let Event::Part { part } = event {
            self.part(part);
        }
        before != self.doings
    }

    fn part(&mut self, part: &Part) {
        match &part.content {
            Content::StepStart { .. } | Content::Reasoning(_) => self.now("thinking"),
            Content::Text(_) if part.state == State::Running => self.now("writing"),
            Content::Text(text) if !text.text.trim().is_empty() => self.words.clone_from(&text.text),
            Content::Call(call) => match &part.state {
                State::Pending => self.doings.calls += 1,
                State::Running if !call.arguments.is_empty() => self.now(&doing(call)),
                State::Running => {}
                _ => self.below(call),
            },
            Content::StepFinish(finish) => {
                let usage = finish.usage;
                let used = Used {
                    input: usage.input,
                    output: usage.output,
                    reasoning: usage.reasoning,
                    cache_read: usage.cache_read,
                    cache_write: usage.cache_write,
                };
                self.used(used, finish.cost);
            }
            Content::Retry { .. } => self.now("trying again"),
            Content::Text(_) | Content::Prompt(_) | Content::File(_) | Content::Note(_) => {}
        }
    }

    fn now(&mut self, now: &str) {
        now.clone_into(&mut self.doings.now);
    }

    fn used(&mut self, used: Used, cost: Option<f64>) {
        self.doings.usage += used;
        self.doings.cost = cost.map(|cost| self.doings.cost.unwrap_or(0.0) + cost).or(self.doings.cost);
    }

    /// What a task of its own has used.
    fn below(&mut self, call: &Call) {
        let shown = call.output.as_ref().filter(|_| call.name == TOOL).map(|output| &output.metadata);
        let Some(shown) = shown else { return };
        let usage = shown.get("usage").and_then(|usage| Used::deserialize(usage).ok());
        self.used(usage.unwrap_or_default(), shown.get("cost").and_then(Value::as_f64));
    }
}

/// A call in a few words.
fn doing(call: &Call) -> String {
    let about = argument(&call.arguments, &TELLING).unwrap_or_default();
    let words = format!("{} {about}", call.name);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn argument(arguments: &str, names: &[&str]) -> Option<String> {
    if arguments.len() > LOOKED_AT {
        return None;
    }
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let said = names.iter().find_map(|name| arguments.get(name)?.as_str());
    said.map(str::trim).filter(|said| !said.is_empty()).map(str::to_owned)
}
