//! One run of a checker, shared by all checks that were requested before it began.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use copydesk_workspace::process::ProcessExit;
use copydesk_workspace::process::sandbox::SandboxPurpose;
use copydesk_workspace::process::subprocess::{self, SubprocessOutput, SubprocessSpec};
use tokio::time::{Instant, sleep};

use super::findings::{CheckerFindings, plain_text};
use super::parse::{CheckerOutputFormat, parse};
use super::spec::{Checker, FILE_PLACEHOLDER};
use super::{CheckJob, CheckersInner};
use crate::time_limits::CHECKER_DEBOUNCE;
use copydesk_servers::program_search::ProgramLookup;
use copydesk_servers::report::{DiagnosticsReport, Verdict};
use copydesk_servers::source::CheckedDocument;

/// The cap on a checker's output.
const MAX_OUTPUT_BYTES: usize = 8 * 1024 * 1024;
/// The cap on the cached runs of a root.
const MAX_CACHED_RUNS: usize = 100;
/// The cap on the files beyond the checked ones that a run reports.
const MAX_OTHER_FILES: usize = 200;

/// The runs of one root, one at a time.
#[derive(Debug, Default)]
pub(super) struct CheckerQueue {
    runs: tokio::sync::Mutex<HashMap<(usize, Option<PathBuf>), CheckerRun>>,
    /// The other files with diagnostics in the last run of each checker.
    files_with_findings: Mutex<HashMap<usize, BTreeSet<PathBuf>>>,
}

#[derive(Debug, Clone)]
struct CheckerRun {
    began: Instant,
    outcome: Result<Arc<CheckerFindings>, String>,
}

/// Whether the file on the disk has this text.
pub(super) async fn matches_disk(subject: &CheckedDocument) -> bool {
    plain_text(&subject.path).await.is_some_and(|text| text == *subject.text)
}

/// The findings of a run that began after `requested`.
pub(super) async fn run_checker(
    shared: &CheckersInner,
    checker: &Checker,
    job: &CheckJob,
    queue: &CheckerQueue,
    subjects: &[&CheckedDocument],
    requested: Instant,
) -> Result<Arc<CheckerFindings>, String> {
    sleep(CHECKER_DEBOUNCE).await;
    if !checker.runs_per_file() {
        return run_once(shared, checker, job, queue, None, requested).await;
    }
    let mut all = CheckerFindings::default();
    for subject in subjects {
        let found = run_once(shared, checker, job, queue, Some(&subject.path), requested).await?;
        all.merge(&found);
    }
    Ok(Arc::new(all))
}

// The lock is the queue: a request for the same run waits here and gets its outcome.
#[allow(clippy::await_holding_invalid_type)]
async fn run_once(
    shared: &CheckersInner,
    checker: &Checker,
    job: &CheckJob,
    queue: &CheckerQueue,
    file: Option<&Path>,
    requested: Instant,
) -> Result<Arc<CheckerFindings>, String> {
    let mut runs = queue.runs.lock().await;
    let key = (job.checker, file.map(Path::to_owned));
    if let Some(run) = runs.get(&key).filter(|run| run.began >= requested) {
        return run.outcome.clone();
    }
    let (began, time) = (Instant::now(), SystemTime::now());
    let outcome = match run(shared, checker, job, file).await {
        Ok(ran) => read_output(ran, checker.format, job, &shared.root, time).await.map(Arc::new),
        Err(why) => Err(why),
    };
    if runs.len() >= MAX_CACHED_RUNS {
        runs.clear();
    }
    runs.insert(key, CheckerRun { began, outcome: outcome.clone() });
    outcome
}

async fn run(
    shared: &CheckersInner,
    checker: &Checker,
    job: &CheckJob,
    file: Option<&Path>,
) -> Result<SubprocessOutput, String> {
    let folder = file.and_then(Path::parent).unwrap_or(&job.root);
    let command = match shared.search.find_configured(&checker.command, folder, &shared.root) {
        ProgramLookup::Found { command, .. } => command,
        ProgramLookup::Missing { hint } => return Err(hint),
    };
    let placement = shared.sandbox.prepare(SandboxPurpose::Checker, &job.root, &shared.processes).await;
    let placement =
        placement.map_err(|error| format!("it cannot run in the sandbox: {error}; {}", error.advice()))?;
    let task = SubprocessSpec {
        sandbox: placement.launch().cloned(),
        command: command.into_iter().map(|word| with_file(word, file)).collect(),
        cwd: job.root.clone(),
        environment: checker.environment.iter().cloned().map(|(name, value)| (name, Some(value))).collect(),
        input: String::new(),
        // Compilers print their findings to stderr.
        merge_stderr: checker.format == CheckerOutputFormat::Lines,
        timeout: checker.timeout,
        max_output_bytes: MAX_OUTPUT_BYTES,
    };
    subprocess::run(&shared.processes, task).await
}

async fn read_output(
    ran: SubprocessOutput,
    format: CheckerOutputFormat,
    job: &CheckJob,
    workspace: &Path,
    began: SystemTime,
) -> Result<CheckerFindings, String> {
    let output = String::from_utf8_lossy(&ran.output);
    let words = if ran.stderr.trim().is_empty() { &*output } else { &ran.stderr };
    let parsed = parse(format, &output);
    // Some checkers print nothing if they find nothing. Lines carry no mark of completeness.
    let is_readable = parsed.is_complete || format == CheckerOutputFormat::Lines || output.trim().is_empty();
    if !is_readable {
        let how = ran.describe_failure(words);
        return Err(format!("its output is not in the configured `format`; {how}"));
    }
    let found = CheckerFindings::new(parsed, job, workspace, began).await;
    // Most checkers exit with a failure code if they have findings. Without findings, the checker itself failed.
    match ran.exit {
        ProcessExit::Code(0) => Ok(found),
        ProcessExit::Code(_) if found.files().next().is_some() => Ok(found),
        _ => Err(ran.describe_failure(words)),
    }
}

/// `$FILE` may be part of an argument.
fn with_file(word: OsString, file: Option<&Path>) -> OsString {
    let (Some(text), Some(file)) = (word.to_str(), file) else { return word };
    match text.split_once(FILE_PLACEHOLDER) {
        Some((before, after)) => {
            let mut whole = OsString::from(before);
            whole.push(file);
            whole.push(after);
            whole
        }
        None => word,
    }
}

impl CheckerQueue {
    /// The reports on other files, including those whose diagnostics have gone since the last run.
    pub(super) async fn other_reports(
        &self,
        index: usize,
        checker: &Checker,
        found: &CheckerFindings,
        subjects: &[&CheckedDocument],
    ) -> Vec<DiagnosticsReport> {
        let is_subject = |path: &Path| subjects.iter().any(|subject| subject.path == path);
        let now: BTreeSet<PathBuf> =
            found.files().filter(|path| !is_subject(path)).take(MAX_OTHER_FILES).cloned().collect();
        let before = {
            let mut files_with_findings =
                self.files_with_findings.lock().unwrap_or_else(PoisonError::into_inner);
            match checker.runs_per_file() {
                // It did not check them.
                true => BTreeSet::new(),
                false => files_with_findings.insert(index, now.clone()).unwrap_or_default(),
            }
        };
        let mut reports = Vec::new();
        for path in now.union(&before).filter(|path| !is_subject(path)) {
            let verdict = match found.verdict_for_other(path, checker.columns).await {
                Some(verdict) => verdict,
                None => Verdict::Unknown { why: "the file was changed while it was checked".to_owned() },
            };
            reports.push(DiagnosticsReport::new(path.clone(), checker.name.clone(), verdict));
        }
        reports
    }
}
