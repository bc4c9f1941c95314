//! One run of a checker, shared by all who asked before it began.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use copydesk_workspace::process::ProcessExit;
use tokio::time::{Instant, sleep};

use super::findings::{CheckerFindings, plain_text};
use super::parse::{CheckerOutputFormat, parse};
use super::spec::{Checker, FILE_PLACEHOLDER};
use super::{CheckJob, CheckersInner};
use crate::time_limits::CHECKER_DEBOUNCE;
use copydesk_servers::program_search::ProgramLookup;
use copydesk_servers::report::{DiagnosticsReport, Verdict};
use copydesk_servers::source::CheckedDocument;
use copydesk_servers::subprocess::{self, SubprocessOutput, SubprocessSpec};

/// More than this no checker may print.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// More runs of one root are not remembered, and of more other files nothing is told.
const MOST_RUNS: usize = 100;
const MOST_OTHERS: usize = 200;

/// What is run in one root, one at a time.
#[derive(Debug, Default)]
pub(super) struct CheckerQueue {
    runs: tokio::sync::Mutex<HashMap<(usize, Option<PathBuf>), CheckerRun>>,
    /// Other files that each checker had something to say of when it was last run.
    told: Mutex<HashMap<usize, BTreeSet<PathBuf>>>,
}

#[derive(Debug, Clone)]
struct CheckerRun {
    began: Instant,
    outcome: Result<Arc<CheckerFindings>, String>,
}

/// Whether a subject is what lies on the disk.
pub(super) async fn matches_disk(subject: &CheckedDocument) -> bool {
    plain_text(&subject.path).await.is_some_and(|text| text == *subject.text)
}

/// What the checker says, in a run that began after `asked`.
pub(super) async fn run_checker(
    shared: &CheckersInner,
    checker: &Checker,
    job: &CheckJob,
    lane: &CheckerQueue,
    subjects: &[&CheckedDocument],
    asked: Instant,
) -> Result<Arc<CheckerFindings>, String> {
    sleep(CHECKER_DEBOUNCE).await;
    if !checker.runs_per_file() {
        return run_once(shared, checker, job, lane, None, asked).await;
    }
    let mut all = CheckerFindings::default();
    for subject in subjects {
        let found = run_once(shared, checker, job, lane, Some(&subject.path), asked).await?;
        all.merge(&found);
    }
    Ok(Arc::new(all))
}

// The lock is the queue: whoever asks for the same run meanwhile waits for it and gets its outcome.
#[allow(clippy::await_holding_invalid_type)]
async fn run_once(
    shared: &CheckersInner,
    checker: &Checker,
    job: &CheckJob,
    lane: &CheckerQueue,
    file: Option<&Path>,
    asked: Instant,
) -> Result<Arc<CheckerFindings>, String> {
    let mut runs = lane.runs.lock().await;
    let key = (job.checker, file.map(Path::to_owned));
    if let Some(run) = runs.get(&key).filter(|run| run.began >= asked) {
        return run.outcome.clone();
    }
    let (began, time) = (Instant::now(), SystemTime::now());
    let outcome = match run(shared, checker, job, file).await {
        Ok(ran) => read_output(ran, checker.format, job, &shared.root, time).await.map(Arc::new),
        Err(why) => Err(why),
    };
    if runs.len() >= MOST_RUNS {
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
    let task = SubprocessSpec {
        command: command.into_iter().map(|word| with_file(word, file)).collect(),
        cwd: job.root.clone(),
        environment: checker.environment.clone(),
        input: String::new(),
        // Compilers print what they find as errors.
        merge_stderr: checker.format == CheckerOutputFormat::Lines,
        timeout: checker.timeout,
        max_output_bytes: MOST_BYTES,
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
    // Some print nothing where there is nothing to say; and lines are never a whole.
    let is_report = parsed.is_complete || format == CheckerOutputFormat::Lines || output.trim().is_empty();
    if !is_report {
        let how = subprocess::describe_failure(ran.exit, words);
        return Err(format!("what it printed is not what its `format` says; {how}"));
    }
    let found = CheckerFindings::new(parsed, job, workspace, began).await;
    // With problems most end with another code; without one it is the checker that has one.
    match ran.exit {
        ProcessExit::Code(0) => Ok(found),
        ProcessExit::Code(_) if found.files().next().is_some() => Ok(found),
        exit => Err(subprocess::describe_failure(exit, words)),
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
    /// What is said of other files; also of those that had problems before and have none now.
    pub(super) async fn other_reports(
        &self,
        index: usize,
        checker: &Checker,
        found: &CheckerFindings,
        subjects: &[&CheckedDocument],
    ) -> Vec<DiagnosticsReport> {
        let is_subject = |path: &Path| subjects.iter().any(|subject| subject.path == path);
        let now: BTreeSet<PathBuf> =
            found.files().filter(|path| !is_subject(path)).take(MOST_OTHERS).cloned().collect();
        let before = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            match checker.runs_per_file() {
                // It was not asked of them.
                true => BTreeSet::new(),
                false => told.insert(index, now.clone()).unwrap_or_default(),
            }
        };
        let mut reports = Vec::new();
        for path in now.union(&before).filter(|path| !is_subject(path)) {
            let said = match found.verdict_for_other(path, checker.columns).await {
                Some(said) => said,
                None => Verdict::Unknown { why: "the file was changed while it was checked".to_owned() },
            };
            reports.push(DiagnosticsReport::new(path.clone(), checker.name.clone(), said));
        }
        reports
    }
}
