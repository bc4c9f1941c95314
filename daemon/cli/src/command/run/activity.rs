//! The status line: the running call, for how long, and its last output.

use std::time::Instant;

use copydesk_protocol::metadata::CallMetadata;
use copydesk_protocol::part::CallInfo;
use serde_json::Value;

use super::command_output;
use crate::terminal::{cut, one_line};

/// Columns for what a call is about.
const SUBJECT_COLUMNS: usize = 48;

/// Longer arguments contain a file's text; they are not parsed for a few words.
const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

/// The arguments that tell a user most about a call, best first.
const SUBJECT_KEYS: [&str; 8] =
    ["description", "command", "symbol", "filePath", "path", "pattern", "url", "query"];

#[derive(Debug)]
pub(super) struct CurrentActivity {
    /// The oldest first.
    calls: Vec<RunningCall>,
    /// When the model started to think.
    thinking: Instant,
}

#[derive(Debug)]
struct RunningCall {
    part: String,
    what: String,
    since: Instant,
    printed: Option<String>,
}

impl CurrentActivity {
    pub(super) fn new() -> Self {
        Self { calls: Vec::new(), thinking: Instant::now() }
    }

    /// Called twice for a call: when the model starts to write it, and when it starts to run.
    pub(super) fn began(&mut self, part: &str, call: &CallInfo) {
        let what = one_line(&format!("{} {}", call.name, subject(call)));
        match self.find(part) {
            Some(running) if running.what == what => {}
            Some(running) => (running.what, running.since) = (what, Instant::now()),
            None => {
                self.calls.push(RunningCall {
                    part: part.to_owned(),
                    what,
                    since: Instant::now(),
                    printed: None,
                });
            }
        }
    }

    pub(super) fn printed(&mut self, part: &str, metadata: &CallMetadata) {
        let waiting = metadata.code_places().and_then(|places| places.waiting.as_deref()).map(one_line);
        if let Some(line) = command_output::last_line(metadata).or(waiting)
            && let Some(running) = self.find(part)
        {
            running.printed = Some(line);
        }
    }

    /// The call waited for the user until now.
    pub(super) fn goes_on(&mut self, part: &str) {
        if let Some(running) = self.find(part) {
            running.since = Instant::now();
        }
    }

    pub(super) fn ended(&mut self, part: &str) {
        self.calls.retain(|running| running.part != part);
        self.thinking = Instant::now();
    }

    pub(super) fn line(&self) -> String {
        let Some(running) = self.calls.first() else { return format!("thinking…{}", time(self.thinking)) };
        let others = match self.calls.len() - 1 {
            0 => String::new(),
            others => format!(" (+{others})"),
        };
        let printed = running.printed.as_ref().map(|line| format!(" · {line}")).unwrap_or_default();
        format!("{}…{others}{}{printed}", running.what, time(running.since))
    }

    fn find(&mut self, part: &str) -> Option<&mut RunningCall> {
        self.calls.iter_mut().find(|running| running.part == part)
    }
}

/// Empty during the first second.
fn time(since: Instant) -> String {
    match since.elapsed().as_secs() {
        0 => String::new(),
        seconds @ ..60 => format!(" {seconds} s"),
        seconds => format!(" {} min {} s", seconds / 60, seconds % 60),
    }
}

/// What a call is about, from its arguments.
pub(super) fn subject(call: &CallInfo) -> String {
    let short = Some(&call.arguments).filter(|arguments| arguments.len() <= MAX_ARGUMENT_BYTES);
    let arguments: Option<Value> = short.and_then(|arguments| serde_json::from_str(arguments).ok());
    let subject =
        |key: &&str| arguments.as_ref()?.get(*key)?.as_str().map(one_line).filter(|text| !text.is_empty());
    cut(&SUBJECT_KEYS.iter().find_map(subject).unwrap_or_default(), SUBJECT_COLUMNS)
}
