//! What is being done now, in one line: the call that runs, for how long, and what it printed last.

use std::time::Instant;

use copydesk_protocol::metadata::CallMetadata;
use copydesk_protocol::part::CallInfo;
use serde_json::Value;

use super::command_output;
use crate::terminal::{cut, one_line};

/// Columns of what a call is about.
const SUBJECT: usize = 48;

/// Longer arguments hold a text, and are not looked through for a few words.
const LONGEST: usize = 64 * 1024;

/// What tells a person most about a call.
const TELLING: [&str; 7] = ["description", "command", "filePath", "path", "pattern", "url", "query"];

#[derive(Debug)]
pub(super) struct CurrentActivity {
    /// Those that run, the oldest first.
    calls: Vec<RunningCall>,
    /// When the model began to think.
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

    /// Told twice of a call: when the model begins to write it, and when it is carried out.
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
        if let Some(line) = command_output::last_line(metadata)
            && let Some(running) = self.find(part)
        {
            running.printed = Some(line);
        }
    }

    /// It waited for a person until now.
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

/// Not said where nobody has begun to wonder.
fn time(since: Instant) -> String {
    match since.elapsed().as_secs() {
        0 => String::new(),
        seconds @ ..60 => format!(" {seconds} s"),
        seconds => format!(" {} min {} s", seconds / 60, seconds % 60),
    }
}

/// What a call is about, in its own words.
pub(super) fn subject(call: &CallInfo) -> String {
    let short = Some(&call.arguments).filter(|arguments| arguments.len() <= LONGEST);
    let arguments: Option<Value> = short.and_then(|arguments| serde_json::from_str(arguments).ok());
    let told =
        |key: &&str| arguments.as_ref()?.get(*key)?.as_str().map(one_line).filter(|text| !text.is_empty());
    cut(&TELLING.iter().find_map(told).unwrap_or_default(), SUBJECT)
}
