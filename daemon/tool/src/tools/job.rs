//! Background commands of `bash`: lists them, reads new output, waits, stops.
//!
//! It does not ask: the command was allowed when it started.

use std::borrow::Cow;
use std::time::Duration;

use copydesk_metadata::{CallDetail, JobMetadata};
use copydesk_text::{self as text, KeepSide};
use copydesk_workspace::process::{BackgroundJob, Processes};
use schemars::JsonSchema;
use serde::Deserialize;

use super::ToolOptions;
use crate::context::ToolContext;
use crate::job_notes::{describe_state, describe_to_user, first_line, read};
use crate::outcome::{ToolError, ToolOutput};
use crate::registry::ToolOutputLimits;
use crate::sandbox_notes::findings_note;
use crate::time_limits::MAX_COMMAND_WAIT;
use crate::tool::Tool;

/// Reserved for the text around the output.
const RESERVED: ToolOutputLimits = ToolOutputLimits { lines: 6, bytes: 1024 };

#[derive(Debug)]
pub(super) struct JobTool {
    limits: ToolOutputLimits,
    processes: Processes,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct JobParameters {
    /// The number of the job. Without it all are listed.
    id: Option<i32>,
    /// How many milliseconds to wait for its end. Default 0, at most 600000.
    wait: Option<u64>,
    /// Whether it is to be stopped.
    #[serde(default)]
    stop: bool,
}

impl JobTool {
    pub(super) fn new(options: &ToolOptions) -> Self {
        let ToolOptions { limits, processes, .. } = options.clone();
        Self { limits, processes }
    }

    fn list(&self) -> ToolOutput {
        let jobs = self.processes.jobs();
        let line = |job: &BackgroundJob| {
            format!("job {} ({}): {}", job.id, describe_state(job), first_line(&job.script))
        };
        let lines: Vec<_> = jobs.iter().map(line).collect();
        let output = if lines.is_empty() { "No jobs were started.".to_owned() } else { lines.join("\n") };
        let running = jobs.iter().filter(|job| job.exit.is_none()).count();
        ToolOutput { title: format!("{running} running"), output, ..ToolOutput::default() }
    }

    /// What the job has printed since the last call, or the end of it.
    async fn new_output(&self, job: &BackgroundJob) -> String {
        let Some(path) = &job.file else { return "(its output could not be kept)".to_owned() };
        let limits = ToolOutputLimits {
            lines: self.limits.lines.saturating_sub(RESERVED.lines).max(1),
            bytes: self.limits.bytes.saturating_sub(RESERVED.bytes).max(1),
        };
        let Some((new, end, is_cut)) = read(path, job.seen_bytes.unwrap_or_default(), limits.bytes).await
        else {
            return "(its output cannot be read)".to_owned();
        };
        self.processes.mark_job_output_seen(job.id, end);
        let cut = text::truncate(&new, limits, KeepSide::Tail);
        if new.trim().is_empty() {
            let since = if job.seen_bytes.is_some() { "nothing new" } else { "no output" };
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

impl Tool for JobTool {
    type Parameters = JobParameters;

    fn name(&self) -> Cow<'static, str> {
        "job".into()
    }

    /// An agent that may not run commands has no jobs.
    fn permission_key(&self) -> Cow<'static, str> {
        "bash".into()
    }

    fn prompt(&self) -> Cow<'static, str> {
        include_str!("job.md").into()
    }

    async fn run(&self, parameters: JobParameters, context: ToolContext) -> Result<ToolOutput, ToolError> {
        let Some(id) = parameters.id else { return Ok(self.list()) };
        if parameters.stop {
            self.processes.stop_job(id);
        }
        // A job that is stopped gets time to end.
        let wait = if parameters.stop {
            MAX_COMMAND_WAIT
        } else {
            parameters.wait.map_or(Duration::ZERO, Duration::from_millis).min(MAX_COMMAND_WAIT)
        };
        let waited = self.processes.wait_for_job(id, wait);
        let job = context.cancel.run_until_cancelled(waited).await.ok_or_else(ToolError::cancelled)?;
        let Some(job) = job else {
            return Err(ToolError::target(format!("There is no job {id}. {}", self.list().output)));
        };
        let printed = self.new_output(&job).await;
        let state = describe_state(&job);
        let told = job.sandbox.as_ref().map(findings_note).unwrap_or_default();
        let output = format!("{}\n\n(job {id}: {state}){told}", printed.trim_end_matches('\n'));
        let title = format!("{id} {}: {}", first_line(&job.script), describe_to_user(&job));
        let metadata = CallDetail::Job(JobMetadata { job: id, running: job.exit.is_none() }).into();
        Ok(ToolOutput { title, output, metadata, keep_end: true, ..ToolOutput::default() })
    }
}
