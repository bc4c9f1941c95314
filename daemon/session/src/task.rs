//! Runs a subagent session: prompts it once and watches it to the end of its turn.
//!
//! The session has the id of its call, so that it is found again even if the call has no output.

use copydesk_metadata::{ChangedFileMetadata, FileChangeStats, TaskUsage};
use copydesk_tool::{TaskEnd, TaskProgress, TaskReport};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::actor::{PromptDelivery, PromptRequest, SessionHandle};
use crate::data::{CallPart, Part, PartContent, PartState, TurnEnd};
use crate::event::SessionEvent;
use crate::task_call::MAX_LABEL_CHARS;
use crate::task_call::argument;

/// The cap on listed changed files.
const MAX_FILES: usize = 200;

/// The arguments that describe a call, the best first.
const TELLING: [&str; 7] = ["description", "filePath", "path", "pattern", "command", "url", "query"];

/// Prompts a session and watches it to the end of its turn; cancels the turn if `cancel` fires. `tell` gets every event, and
/// the progress if it changed.
pub async fn run_task(
    session: &str,
    (live, mut events): (&SessionHandle, mpsc::Receiver<SessionEvent>),
    prompt: String,
    cancel: &CancellationToken,
    mut tell: impl FnMut(SessionEvent, Option<&TaskProgress>),
) -> TaskReport {
    let mut watched = TaskMonitor::new(session);
    let begun = live
        .prompt(PromptRequest {
            text: prompt,
            context: Vec::new(),
            files: Vec::new(),
            delivery: PromptDelivery::Queue,
            // Its asks go to the session above.
            is_unattended: false,
        })
        .await;
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
        if let SessionEvent::TurnEnded { end: ended, .. } = &event {
            end = Some(task_end(ended));
        }
        let has_changed = watched.observe_event(&event);
        tell(event, has_changed.then_some(&watched.progress));
    }
    let TaskMonitor { progress: doings, last_text: words, files } = watched;
    TaskReport { progress: doings, end: end.unwrap_or(TaskEnd::Cancelled), last_text: words, files }
}

fn task_end(end: &TurnEnd) -> TaskEnd {
    match end {
        TurnEnd::Done => TaskEnd::Completed,
        TurnEnd::Cancelled | TurnEnd::Interrupted => TaskEnd::Cancelled,
        TurnEnd::Rejected => TaskEnd::Rejected,
        TurnEnd::StepLimit { steps } => TaskEnd::StepLimit(*steps),
        TurnEnd::Failed { message } => TaskEnd::Failed(message.clone()),
    }
}

/// Collects progress from events.
struct TaskMonitor {
    progress: TaskProgress,
    /// The agent's last message.
    last_text: String,
    files: Vec<FileChangeStats>,
}

impl TaskMonitor {
    fn new(session: &str) -> Self {
        let doings = TaskProgress { session: session.to_owned(), ..TaskProgress::default() };
        Self { progress: doings, last_text: String::new(), files: Vec::new() }
    }

    /// Returns whether the progress changed.
    fn observe_event(&mut self, event: &SessionEvent) -> bool {
        let before = self.progress.clone();
        if let SessionEvent::PartChanged { part } = event {
            self.part(part);
        }
        before != self.progress
    }

    fn part(&mut self, part: &Part) {
        match &part.content {
            PartContent::StepStart { .. } | PartContent::Reasoning(_) => self.now("thinking"),
            PartContent::Text(_) if part.state == PartState::Running => self.now("writing"),
            PartContent::Text(text) if !text.text.trim().is_empty() => self.last_text.clone_from(&text.text),
            PartContent::Call(call) => match &part.state {
                PartState::Pending => self.progress.calls += 1,
                PartState::Running if !call.arguments.is_empty() => self.now(&describe_call(call)),
                PartState::Running => {}
                state => self.ended(call, *state == PartState::Completed),
            },
            PartContent::StepFinish(finish) => {
                self.used(task_usage(finish.usage), finish.cost);
            }
            PartContent::Retry { .. } => self.now("trying again"),
            PartContent::Compaction(_) if part.state == PartState::Running => {
                self.now("making the conversation shorter");
            }
            PartContent::Compaction(compaction) => {
                self.used(task_usage(compaction.usage), compaction.cost);
            }
            PartContent::Text(_)
            | PartContent::Prompt(_)
            | PartContent::File(_)
            | PartContent::Note(_)
            | PartContent::Pruning(_)
            | PartContent::TurnEnd(_) => {}
        }
    }

    fn now(&mut self, now: &str) {
        now.clone_into(&mut self.progress.now);
    }

    fn used(&mut self, used: TaskUsage, cost: Option<f64>) {
        self.progress.usage += used;
        self.progress.cost = cost.map(|cost| self.progress.cost.unwrap_or(0.0) + cost).or(self.progress.cost);
    }

    /// Adds the files of a finished call, and the usage of a task.
    fn ended(&mut self, call: &CallPart, is_done: bool) {
        let Some(shown) = call.output.as_ref().map(|output| &output.metadata) else { return };
        if let Some(task) = shown.task() {
            self.used(task.usage, task.cost);
            task.files.iter().for_each(|file| self.changed(file.clone()));
        } else if is_done {
            shown.changed_files().iter().for_each(|file| self.changed(stats(file)));
        }
    }

    fn changed(&mut self, file: FileChangeStats) {
        if let Some(known) = self.files.iter_mut().find(|known| known.filepath == file.filepath) {
            known.additions = known.additions.saturating_add(file.additions);
            known.deletions = known.deletions.saturating_add(file.deletions);
        } else if self.files.len() < MAX_FILES {
            self.files.push(file);
        }
    }
}

fn stats(file: &ChangedFileMetadata) -> FileChangeStats {
    let ChangedFileMetadata { filepath, additions, deletions, .. } = file;
    FileChangeStats { filepath: filepath.clone(), additions: *additions, deletions: *deletions }
}

/// Describes a call in a few words.
fn describe_call(call: &CallPart) -> String {
    let about = argument(&call.arguments, &TELLING).unwrap_or_default();
    let words = format!("{} {about}", call.name);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_LABEL_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

fn task_usage(usage: copydesk_model::TokenUsage) -> TaskUsage {
    TaskUsage {
        input: usage.input,
        output: usage.output,
        reasoning: usage.reasoning,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
    }
}

#[cfg(test)]
mod tests {
    use copydesk_metadata::CallMetadata;
    use serde_json::{Value, json};

    use super::*;
    use crate::data::CallOutput;
    use crate::id::Id;

    fn called(name: &str, arguments: &str, state: PartState, metadata: Value) -> Part {
        let metadata = CallMetadata::from_value(metadata);
        let output = state.is_settled().then(|| Box::new(CallOutput { metadata, ..CallOutput::default() }));
        let (call, name, arguments) = ("c".to_owned(), name.to_owned(), arguments.to_owned());
        let content = PartContent::Call(CallPart { call, name, arguments, echo: None, parent: None, output });
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
            let PartContent::Call(call) = called("bash", arguments, PartState::Running, Value::Null).content
            else {
                panic!()
            };
            assert_eq!(describe_call(&call), words, "{arguments}");
        }
        let PartContent::Call(call) = called("bash", &long, PartState::Running, Value::Null).content else {
            panic!()
        };
        assert_eq!(describe_call(&call).chars().count(), MAX_LABEL_CHARS + 1);
    }

    #[test]
    fn files_add_up_over_calls_and_tasks_below() {
        let mut watched = TaskMonitor::new("s");
        let file = |path: &str| json!({ "filepath": path, "additions": 2, "deletions": 1, "diff": "@@" });
        let usage = json!({ "input": 5, "output": 0, "reasoning": 0, "cacheRead": 0, "cacheWrite": 0 });
        let mut several = json!({ "agent": "a", "description": "d", "session": "s", "calls": 1, "usage": usage, "cost": 0.5 });
        several["files"] = json!([file("/a"), { "filepath": 7 }, file("/b")]);
        watched.part(&called("edit", "{}", PartState::Completed, file("/a")));
        watched.part(&called("edit", "{}", PartState::Error { message: "no".into() }, file("/c")));
        watched.part(&called("read", "{}", PartState::Completed, json!({ "filepath": "/d" })));
        watched.part(&called("task", "{}", PartState::Interrupted, several));
        let of = |filepath: &str, additions, deletions| FileChangeStats {
            filepath: filepath.into(),
            additions,
            deletions,
        };
        assert_eq!(watched.files, [of("/a", 4, 2), of("/b", 2, 1)]);
        assert_eq!((watched.progress.usage.input, watched.progress.cost), (5, Some(0.5)));
    }
}
