//! A session that works for a call of another: prompted once, watched to the end of its turn.
//!
//! It has the id of the call that began it, so that it is found again even where nothing is left of that call but its name.

use copydesk_tool::{Changed, Doings, Report, TaskEnd, Used};
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

/// Files that are named of those that a task has changed.
const FILES: usize = 200;

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
    let Watched { doings, words, files } = watched;
    Report { doings, end: end.unwrap_or(TaskEnd::Cancelled), words, files }
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

/// What tells a task from others.
pub(crate) fn about(call: &Call) -> String {
    let about = argument(&call.arguments, &["description"]).unwrap_or_default();
    let about: String = about.split_whitespace().flat_map(|word| [" ", word]).collect();
    about.chars().take(LONGEST).collect()
}

/// What has happened, event by event.
struct Watched {
    doings: Doings,
    /// What was said last.
    words: String,
    files: Vec<Changed>,
}

impl Watched {
    fn new(session: &str) -> Self {
        let doings = Doings { session: session.to_owned(), ..Doings::default() };
        Self { doings, words: String::new(), files: Vec::new() }
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
                state => self.ended(call, *state == State::Completed),
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

    /// What a call came to, which may have been a task of its own.
    fn ended(&mut self, call: &Call, is_done: bool) {
        let Some(shown) = call.output.as_ref().map(|output| &output.metadata) else { return };
        if call.name == TOOL {
            let usage = shown.get("usage").and_then(|usage| Used::deserialize(usage).ok());
            self.used(usage.unwrap_or_default(), shown.get("cost").and_then(Value::as_f64));
        }
        let several = shown.get("files").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let files = several.iter().chain([shown]).filter(|_| is_done || call.name == TOOL);
        files.filter_map(|file| Changed::deserialize(file).ok()).for_each(|file| self.changed(file));
    }

    fn changed(&mut self, file: Changed) {
        if let Some(known) = self.files.iter_mut().find(|known| known.filepath == file.filepath) {
            known.additions = known.additions.saturating_add(file.additions);
            known.deletions = known.deletions.saturating_add(file.deletions);
        } else if self.files.len() < FILES {
            self.files.push(file);
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::CallOutput;
    use crate::id::Id;

    fn called(name: &str, arguments: &str, state: State, metadata: Value) -> Part {
        let output = state.is_settled().then(|| Box::new(CallOutput { metadata, ..CallOutput::default() }));
        let (call, name, arguments) = ("c".to_owned(), name.to_owned(), arguments.to_owned());
        let content = Content::Call(Call { call, name, arguments, echo: None, parent: None, output });
        Part {
            id: Id::from("p"),
            session: Id::from("s"),
            turn: 1,
            step: 1,
            created: 0,
            updated: 0,
            state,
            content,
        }
    }

    #[test]
    fn what_a_call_does_is_said_in_a_few_words_whatever_a_model_wrote() {
        let long = format!("{{\"command\":\"{}\"}}", "ä ".repeat(200));
        let cases = [
            (r#"{"command":"cargo test","description":"Tests it"}"#, "bash Tests it"),
            (r#"{"pattern":"a\nb","path":"src"}"#, "bash src"),
            (r#"{"filePath":7}"#, "bash"),
            ("no JSON", "bash"),
            ("[]", "bash"),
        ];
        for (arguments, words) in cases {
            let Content::Call(call) = called("bash", arguments, State::Running, Value::Null).content else {
                panic!()
            };
            assert_eq!(doing(&call), words, "{arguments}");
        }
        let Content::Call(call) = called("bash", &long, State::Running, Value::Null).content else {
            panic!()
        };
        assert_eq!(doing(&call).chars().count(), LONGEST + 1);
    }

    #[test]
    fn files_add_up_over_calls_and_tasks_below() {
        let mut watched = Watched::new("s");
        let file = |path: &str| json!({ "filepath": path, "additions": 2, "deletions": 1, "diff": "@@" });
        let several = json!({ "files": [file("/a"), { "filepath": 7 }, file("/b")], "usage": { "input": 5 }, "cost": 0.5 });
        watched.part(&called("edit", "{}", State::Completed, file("/a")));
        watched.part(&called("edit", "{}", State::Error { message: "no".into() }, file("/c")));
        watched.part(&called("read", "{}", State::Completed, json!({ "filepath": "/d" })));
        watched.part(&called("task", "{}", State::Interrupted, several));
        let of = |filepath: &str, additions, deletions| Changed {
            filepath: filepath.into(),
            additions,
            deletions,
        };
        assert_eq!(watched.files, [of("/a", 4, 2), of("/b", 2, 1)]);
        assert_eq!((watched.doings.usage.input, watched.doings.cost), (5, Some(0.5)));
    }
}
