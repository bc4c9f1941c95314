//! Running subagent tasks, each in a few words.

use std::collections::BTreeMap;

use copydesk_protocol::part::{CallInfo, UsageInfo};
use serde::Deserialize as _;
use serde_json::Value;

use crate::terminal::one_line;

/// By call, in the order in which they were made.
#[derive(Debug, Default)]
pub(super) struct RunningTasks {
    lines: BTreeMap<String, String>,
}

impl RunningTasks {
    /// Ignores calls that are no tasks.
    pub(super) fn progress(&mut self, part: &str, metadata: &Value) {
        let agent = metadata.get("agent").and_then(Value::as_str);
        if let (Some(agent), Some(calls)) = (agent, metadata.get("calls").and_then(Value::as_u64)) {
            let now = metadata.get("now").and_then(Value::as_str).unwrap_or("starting");
            self.lines.insert(part.to_owned(), one_line(&format!("{agent}: {now} ({})", count(calls))));
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
    let calls = task_metadata(call)?.get("calls")?.as_u64()?;
    let (usage, cost) = used(call);
    let read = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
    let cost = cost.map(|cost| format!(", ${cost:.4}")).unwrap_or_default();
    Some(format!("{}, {read} tokens in, {} out{cost}", count(calls), usage.output))
}

/// What a task used; zero if the call is no task.
pub(super) fn used(call: &CallInfo) -> (UsageInfo, Option<f64>) {
    let metadata = task_metadata(call);
    let usage = metadata.and_then(|metadata| UsageInfo::deserialize(metadata.get("usage")?).ok());
    (usage.unwrap_or_default(), metadata.and_then(|metadata| metadata.get("cost")?.as_f64()))
}

fn task_metadata(call: &CallInfo) -> Option<&Value> {
    call.output.as_ref().filter(|_| call.name == "task").map(|output| &output.metadata)
}

fn count(calls: u64) -> String {
    if calls == 1 { "1 call".to_owned() } else { format!("{calls} calls") }
}
