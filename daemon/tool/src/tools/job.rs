//! What `bash` has put into the background: what is there, what is new in its output, its end.
//!
//! It asks nobody: the command was allowed when it was started.

use std::borrow::Cow;
use std::time::Duration;

use copydesk_text::{self as text, Keep};
use copydesk_workspace::process::{Job, Processes};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::Options;
use crate::context::Context;
use crate::jobs::{first_line, read, state};
use crate::outcome::{Failure, Output};
use crate::registry::Limits;
use crate::tool::Tool;

const LONGEST_WAIT: u64 = 600_000;

/// What the words around an output may take of the limits.
const ROOM: Limits = Limits { lines: 6, bytes: 1024 };

#[derive(Debug)]
pub(super) struct Jobs {
    limits: Limits,
    processes: Processes,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Parameters {
    /// The number of the job. Without it all are listed.
    id: Option<i32>,
    /// How many milliseconds to wait for its end. Default 0, at most 600000.
    wait: Option<u64>,
    /// Whether it is to be stopped.
    #[serde(default)]
    stop: bool,
}

impl Jobs {
    pub(super) fn new(options: &Options) -> Self {
        let Options { limits, processes, .. } = options.clone();
        Self { limits, processes }
    }

    fn list(&self) -> Output {
        let jobs = self.processes.jobs();
        let line = |job: &Job| format!("job {} ({}): {}", job.id, state(job), first_line(&job.script));
        let lines: Vec<_> = jobs.iter().map(line).collect();
        let output = if lines.is_empty() { "No jobs were started.".to_owned() } else { lines.join("\n") };
        let running = jobs.iter().filter(|job| job.exit.is_none()).count();
        Output { title: format!("{running} running"), output, ..Output::default() }
    }

    /// What the job has printed since this was last asked, or the end of it.
    async fn new_output(&self, job: &Job) -> String {
        let Some(path) = &job.file else { return "(its output could not be kept)".to_owned() };
        let limits = Limits {
            lines: self.limits.lines.saturating_sub(ROOM.lines).max(1),
            bytes: self.limits.bytes.saturating_sub(ROOM.bytes).max(1),
        };
        let Some((new, end, is_cut)) = read(path, job.seen.unwrap_or_default(), limits.bytes).await else {
            return "(its output cannot be read)".to_owned();
        };
        self.processes.saw_of_job(job.id, end);
        let cut = text::truncate(&new, limits, Keep::Tail);
        if new.trim().is_empty() {
            let since = if job.seen.is_some() { "nothing new" } else { "no output" };
            return format!("({since})");
        }
        let left_out = if is_cut || !cut.is_whole() {
            format!(
                "[The beginning is left out. The whole is in {}: search it, or read it with offset and limit.]\n\n",
                path.display()
            )
        } else {
            String::new()
        };
        format!("{left_out}{}", cut.text)
    }
}

impl Tool for Jobs {
    type Parameters = Parameters;

    fn name(&self) -> Cow<'static, str> {
        "job".into()
    }

    /// Who may run nothing has nothing to look at.
    fn key(&self) -> Cow<'static, str> {
        "bash".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("job.md").into()
    }

    async fn run(&self, parameters: Parameters, context: Context) -> Result<Output, Failure> {
        let Some(id) = parameters.id else { return Ok(self.list()) };
        if parameters.stop {
            self.processes.stop_job(id);
        }
        // One that is to stop has its time for that.
        let wait = if parameters.stop {
            LONGEST_WAIT
        } else {
            parameters.wait.unwrap_or_default().min(LONGEST_WAIT)
        };
        let waited = self.processes.wait_for_job(id, Duration::from_millis(wait));
        let job = context.cancel.run_until_cancelled(waited).await.ok_or_else(Failure::cancelled)?;
        let Some(job) = job else {
            return Err(Failure::target(format!("There is no job {id}. {}", self.list().output)));
        };
        let printed = self.new_output(&job).await;
        let state = state(&job);
        let output = format!("{}\n\n(job {id}: {state})", printed.trim_end_matches('\n'));
        let title = format!("{id} {}: {state}", first_line(&job.script));
        let metadata = json!({ "job": id, "running": job.exit.is_none() });
        Ok(Output { title, output, metadata, keep_end: true, ..Output::default() })
    }
}
