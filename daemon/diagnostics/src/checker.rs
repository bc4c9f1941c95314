//! Command-line checkers: programs that check the files of a project on the disk.
//!
//! The daemon runs only the checkers that the user configured, one at a time for each root. A check that comes while
//! another one waits to begin shares its run. Dropping a check kills the process.
//!
//! Invariant: a checker's result is proven for a text only if the file on the disk was that text before and after the
//! run. Otherwise, and for unsaved text, it is unknown.

mod cargo;
mod findings;
mod json;
mod lines;
mod parse;
mod run;
mod sarif;
mod span_resolver;
mod spec;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use copydesk_workspace::process::Processes;
use copydesk_workspace::process::sandbox::ProgramSandbox;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use copydesk_servers::program_search::ProgramSearch;
use copydesk_servers::report::{DiagnosticsReport, Verdict};
use copydesk_servers::source::{CheckFuture, CheckedDocument, DiagnosticsSource};
use run::CheckerQueue;

pub use parse::{CheckerOutput, CheckerOutputFormat, ColumnUnit, RawDiagnostic, RawLocation, parse};
pub use spec::{Checker, CheckerSpec, FILE_PLACEHOLDER};

#[derive(Debug, Clone)]
pub struct Checkers(Arc<CheckersInner>);

#[derive(Debug)]
struct CheckersInner {
    checkers: Vec<Checker>,
    search: ProgramSearch,
    /// The workspace.
    root: PathBuf,
    processes: Processes,
    sandbox: ProgramSandbox,
    queues: Mutex<HashMap<PathBuf, Arc<CheckerQueue>>>,
}

/// The documents that one checker checks in one root.
struct CheckJob {
    checker: usize,
    root: PathBuf,
    subjects: Vec<CheckedDocument>,
}

impl Checkers {
    /// `root` is the canonical path of the workspace.
    pub fn new(
        checkers: Vec<Checker>,
        search: ProgramSearch,
        root: PathBuf,
        processes: Processes,
        sandbox: ProgramSandbox,
    ) -> Self {
        let queues = Mutex::default();
        Self(Arc::new(CheckersInner { checkers, search, root, processes, sandbox, queues }))
    }

    pub fn is_empty(&self) -> bool {
        self.0.checkers.is_empty()
    }
}

impl DiagnosticsSource for Checkers {
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(async move {
            let mut jobs = JoinSet::new();
            for job in self.0.jobs_for(subjects) {
                let shared = Arc::clone(&self.0);
                jobs.spawn(async move { shared.work(job, until).await });
            }
            let mut reports = Vec::new();
            while let Some(done) = jobs.join_next().await {
                reports.extend(done.unwrap_or_default());
            }
            reports.sort_by(|a, b| (&a.path, &a.source).cmp(&(&b.path, &b.source)));
            reports
        })
    }
}

impl CheckersInner {
    fn jobs_for(&self, subjects: &[CheckedDocument]) -> Vec<CheckJob> {
        let mut jobs: BTreeMap<(usize, PathBuf), Vec<CheckedDocument>> = BTreeMap::new();
        for (index, checker) in self.checkers.iter().enumerate() {
            for subject in subjects.iter().filter(|subject| checker.matches_path(&subject.path)) {
                let Some(folder) = subject.path.parent() else { continue };
                let marked = checker
                    .roots
                    .iter()
                    .find_map(|group| group.find_root(&*self.search.view, folder, &self.root));
                let fallback = if folder.starts_with(&self.root) { &self.root } else { folder };
                let root = marked.unwrap_or_else(|| fallback.to_owned());
                jobs.entry((index, root)).or_default().push(subject.clone());
            }
        }
        let job = |((checker, root), subjects)| CheckJob { checker, root, subjects };
        jobs.into_iter().map(job).collect()
    }

    async fn work(&self, job: CheckJob, until: Instant) -> Vec<DiagnosticsReport> {
        let Some(checker) = self.checkers.get(job.checker) else { return Vec::new() };
        let report = |subject: &CheckedDocument, verdict| {
            DiagnosticsReport::new(subject.path.clone(), checker.name.clone(), verdict)
        };
        let unknown =
            |subject: &CheckedDocument, why: &str| report(subject, Verdict::Unknown { why: why.to_owned() });
        let requested = Instant::now();
        let (mut reports, mut subjects) = (Vec::new(), Vec::new());
        for subject in &job.subjects {
            if !subject.is_saved {
                reports.push(unknown(subject, "only what is saved can be checked"));
            } else if !run::matches_disk(subject).await {
                reports.push(unknown(subject, "the file on the disk is another text"));
            } else {
                subjects.push(subject);
            }
        }
        if subjects.is_empty() {
            return reports;
        }
        let queue = self.queue(&job.root);
        let checked = run::run_checker(self, checker, &job, &queue, &subjects, requested);
        match timeout_at(until, checked).await {
            Err(_) => {
                reports.extend(subjects.iter().map(|subject| unknown(subject, "it did not end in time")));
            }
            Ok(Err(why)) => reports.extend(subjects.iter().map(|subject| unknown(subject, &why))),
            Ok(Ok(found)) => {
                for subject in &subjects {
                    reports.push(if run::matches_disk(subject).await {
                        report(subject, found.verdict_for(subject, checker.columns))
                    } else {
                        unknown(subject, "the file was changed while it was checked")
                    });
                }
                reports.extend(queue.other_reports(job.checker, checker, &found, &subjects).await);
            }
        }
        reports
    }

    fn queue(&self, root: &Path) -> Arc<CheckerQueue> {
        let mut queues = self.queues.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(queues.entry(root.to_owned()).or_default())
    }
}

#[cfg(test)]
mod format_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod real_checker_tests;
#[cfg(test)]
mod tests;
