//! Words for the model about background jobs: new output, and the end of a job.

use std::io::SeekFrom;
use std::path::Path;

use copydesk_text::{self as text, KeepSide};
use copydesk_workspace::process::{BackgroundJob, ProcessExit};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use crate::registry::ToolOutputLimits;
use crate::sandbox_notes::{findings_note, short_findings};

/// How much output the note about a job's end has.
const END: ToolOutputLimits = ToolOutputLimits { lines: 20, bytes: 2048 };

/// Reads a file from an offset, at most its last `most` bytes. Returns the text, the new offset, and whether something was
/// left out.
pub(crate) async fn read(path: &Path, from: u64, most: usize) -> Option<(String, u64, bool)> {
    let mut file = File::open(path).await.ok()?;
    let end = file.metadata().await.ok()?.len();
    let start = from.min(end).max(end.saturating_sub(most as u64));
    file.seek(SeekFrom::Start(start)).await.ok()?;
    let mut bytes = Vec::new();
    file.take(end - start).read_to_end(&mut bytes).await.ok()?;
    Some((String::from_utf8_lossy(&bytes).into_owned(), end, start > from))
}

/// `running for 3.0 s`, `exit code 1 after 3.0 s`
pub(crate) fn describe_state(job: &BackgroundJob) -> String {
    let time = format!("{:.1} s", job.duration.as_secs_f64());
    match job.exit {
        None => format!("running for {time}"),
        Some(ProcessExit::Code(code)) => format!("exit code {code} after {time}"),
        Some(ProcessExit::Signal(signal)) => format!("ended by signal {signal} after {time}"),
        Some(ProcessExit::TimedOut) => format!("ended at its timeout after {time}"),
        Some(ProcessExit::Cancelled) => format!("stopped after {time}"),
    }
}

/// The same with what the sandbox probably stopped. The model is told more than that.
pub fn describe_to_user(job: &BackgroundJob) -> String {
    let stopped = job.sandbox.as_ref().and_then(short_findings);
    format!("{}{}", describe_state(job), stopped.map(|stopped| format!("; {stopped}")).unwrap_or_default())
}

pub fn first_line(script: &str) -> String {
    let line = script.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(100).collect();
    if cut.len() < script.len() { format!("{cut}…") } else { cut }
}

/// The note about jobs that have ended since the last step.
pub async fn ended_jobs_note(jobs: &[BackgroundJob]) -> Option<String> {
    let mut lines = Vec::new();
    for job in jobs {
        let mut line =
            format!("Job {} (`{}`) has ended: {}.", job.id, first_line(&job.script), describe_state(job));
        let end = match &job.file {
            Some(path) => read(path, 0, END.bytes).await.map(|(end, ..)| (path, end)),
            None => None,
        };
        if let Some((path, end)) = end.filter(|(_, end)| !end.trim().is_empty()) {
            let end = text::truncate(&end, END, KeepSide::Tail).text;
            line += &format!(" Its output is in {}; the end of it:\n{}", path.display(), end.trim_end());
        }
        line += &job.sandbox.as_ref().map(findings_note).unwrap_or_default();
        lines.push(line);
    }
    (!lines.is_empty()).then(|| lines.join("\n\n"))
}

/// The note about a job that ran when the daemon ended.
pub fn lost_job_note(id: i64) -> String {
    format!("Job {id} is gone: it ended when the session was last left. Start it again if it is needed.")
}

/// Whether a note tells the end of this job.
pub fn is_end_note(note: &str, id: i64) -> bool {
    note.contains(&format!("Job {id} (")) || note.contains(&lost_job_note(id))
}
