//! Running subagent tasks, each in a few words.

use std::collections::BTreeMap;

use copydesk_protocol::metadata::{CallMetadata, TaskMetadata};
use copydesk_protocol::part::{CallInfo, UsageInfo};

use crate::terminal::one_line;

/// By call, in the order in which they were made.
#[derive(Debug, Default)]
pub(super) struct RunningTasks {
    lines: BTreeMap<String, String>,
}

impl RunningTasks {
    /// Ignores calls that are no tasks.
    pub(super) fn progress(&mut self, part: &str, shown: &CallMetadata) {
        if let Some(TaskMetadata { agent, calls, now, .. }) = shown.task() {
            let now = now.as_deref().unwrap_or("starting");
            self.lines.insert(part.to_owned(), one_line(&format!("{agent}: {now} ({})", count(*calls))));
        }
    }

    pub(super) fn ended(&mut self, part: &str) {
        self.lines.remove(part);
    }

    /// All tasks on one line.
    pub(super) fn line(&self) -> Option<String> {
        let all = self.lines.values().map(String::as_str).collect::<Vec<_>>().join(" · ");
        (!all.is_empty()).then_some(all)
    }
}

/// A summary of a finished task.
pub(super) fn about(call: &CallInfo) -> Option<String> {
    let calls = task(call)?.calls;
    let (usage, cost) = used(call);
    let read = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
    let cost = cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
    Some(format!("{}, {read} tokens in, {} out{cost}", count(calls), usage.output))
}

/// What a task used; zero if the call is no task.
pub(super) fn used(call: &CallInfo) -> (UsageInfo, Option<f64>) {
    task(call).map(|task| (task.usage.into(), task.cost)).unwrap_or_default()
}

fn task(call: &CallInfo) -> Option<&TaskMetadata> {
    call.output.as_ref().and_then(|output| output.metadata.task())
}

fn count(calls: u64) -> String {
    if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") }
}
