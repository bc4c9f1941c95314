//! One run of a checker, shared by all who asked before it began.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use copydesk_workspace::process::Exit;
use tokio::time::{Instant, sleep};

use super::parse::{Format, parse};
use super::reading::{Found, plain_text};
use super::settings::{Checker, FILE};
use super::{DEBOUNCE, Job, Shared};
use copydesk_servers::find::Program;
use copydesk_servers::printed::{self, Printed, Task};
use copydesk_servers::report::{Report, Said};
use copydesk_servers::source::Subject;

/// More than this no checker may print.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// More runs of one root are not remembered, and of more other files nothing is told.
const MOST_RUNS: usize = 100;
const MOST_OTHERS: usize = 200;

/// What is run in one root, one at a time.
#[derive(Debug, Default)]
pub(super) struct Lane {
    runs: tokio::sync::Mutex<HashMap<(usize, Option<PathBuf>), Run>>,
    /// Other files that each checker had something to say of when it was last run.
    told: Mutex<HashMap<usize, BTreeSet<PathBuf>>>,
}

#[derive(Debug, Clone)]
struct Run {
    began: Instant,
    outcome: Result<Arc<Found>, String>,
}

/// Whether a subject is what lies on the disk.
pub(super) async fn lies_on_disk(subject: &Subject) -> bool {
    plain_text(&subject.path).await.is_some_and(|text| text == *subject.text)
}

/// What the checker says, in a run that began after `asked`.
pub(super) async fn checked(
    shared: &Shared,
    checker: &Checker,
    job: &Job,
    lane: &Lane,
    subjects: &[&Subject],
    asked: Instant,
) -> Result<Arc<Found>, String> {
    sleep(DEBOUNCE).await;
    if !checker.is_for_each_file() {
        return run_once(shared, checker, job, lane, None, asked).await;
    }
    let mut all = Found::default();
    for subject in subjects {
        let found = run_once(shared, checker, job, lane, Some(&subject.path), asked).await?;
        all.add(&found);
    }
    Ok(Arc::new(all))
}

async fn run_once(
    shared: &Shared,
    checker: &Checker,
    job: &Job,
    lane: &Lane,
    file: Option<&Path>,
    asked: Instant,
) -> Result<Arc<Found>, String> {
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
    runs.insert(key, Run { began, outcome: outcome.clone() });
    outcome
}

async fn run(shared: &Shared, checker: &Checker, job: &Job, file: Option<&Path>) -> Result<Printed, String> {
    let folder = file.and_then(Path::parent).unwrap_or(&job.root);
    let command = match shared.search.configured(&checker.command, folder, &shared.root) {
        Program::Found { command, .. } => command,
        Program::Missing { hint } => return Err(hint),
    };
    let task = Task {
        command: command.into_iter().map(|word| with_file(word, file)).collect(),
        cwd: job.root.clone(),
        environment: checker.environment.clone(),
        input: String::new(),
        // Compilers print what they find as errors.
        errors_too: checker.format == Format::Lines,
        timeout: checker.timeout,
        most: MOST_BYTES,
    };
    printed::run(&shared.processes, task).await
}

async fn read_output(
    ran: Printed,
    format: Format,
    job: &Job,
    workspace: &Path,
    began: SystemTime,
) -> Result<Found, String> {
    let output = String::from_utf8_lossy(&ran.output);
    let words = if ran.errors.trim().is_empty() { &*output } else { &ran.errors };
    let parsed = parse(format, &output);
    // Some print nothing where there is nothing to say; and lines are never a whole.
    let is_report = parsed.is_whole || format == Format::Lines || output.trim().is_empty();
    if !is_report {
        let how = printed::failure(ran.exit, words);
        return Err(format!("what it printed is not what its `format` says; {how}"));
    }
    let found = Found::new(parsed, job, workspace, began).await;
    // With problems most end with another code; without one it is the checker that has one.
    match ran.exit {
        Exit::Code(0) => Ok(found),
        Exit::Code(_) if found.files().next().is_some() => Ok(found),
        exit => Err(printed::failure(exit, words)),
    }
}

/// `$FILE` may be part of an argument.
fn with_file(word: OsString, file: Option<&Path>) -> OsString {
    let (Some(text), Some(file)) = (word.to_str(), file) else { return word };
    match text.split_once(FILE) {
        Some((before, after)) => {
            let mut whole = OsString::from(before);
            whole.push(file);
            whole.push(after);
            whole
        }
        None => word,
    }
}

impl Lane {
    /// What is said of other files; also of those that had problems before and have none now.
    pub(super) async fn others(
        &self,
        index: usize,
        checker: &Checker,
        found: &Found,
        subjects: &[&Subject],
    ) -> Vec<Report> {
        let is_subject = |path: &Path| subjects.iter().any(|subject| subject.path == path);
        let now: BTreeSet<PathBuf> =
            found.files().filter(|path| !is_subject(path)).take(MOST_OTHERS).cloned().collect();
        let before = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            match checker.is_for_each_file() {
                // It was not asked of them.
                true => BTreeSet::new(),
                false => told.insert(index, now.clone()).unwrap_or_default(),
            }
        };
        let mut reports = Vec::new();
        for path in now.union(&before).filter(|path| !is_subject(path)) {
            let said = match found.of_other(path, checker.columns).await {
                Some(said) => said,
                None => Said::Unknown { why: "the file was changed while it was checked".to_owned() },
            };
            reports.push(Report::new(path.clone(), checker.name.clone(), said));
        }
        reports
    }
}
