//! Command-line checkers: programs that say what is wrong with the files of a project as they lie on the disk.
//!
//! None is run unless a person configured it. One runs at a time for each root; a check that comes while another one waits to begin
//! shares its run. Dropping a check kills what it runs.
//!
//! Invariant: what a checker said is proven for a text only if the file on the disk was that text before it was run and after; where
//! it was not, and for a text that is not saved, it is not known.

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
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use copydesk_servers::program_search::ProgramSearch;
use copydesk_servers::report::{DiagnosticsReport, Verdict as Saying};
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
    lanes: Mutex<HashMap<PathBuf, Arc<CheckerQueue>>>,
}

/// What one checker is asked of one root.
struct CheckJob {
    checker: usize,
    root: PathBuf,
    subjects: Vec<CheckedDocument>,
}

impl Checkers {
    /// `root` is the workspace, by its real path.
    pub fn new(checkers: Vec<Checker>, search: ProgramSearch, root: PathBuf, processes: Processes) -> Self {
        Self(Arc::new(CheckersInner { checkers, search, root, processes, lanes: Mutex::default() }))
    }

    pub fn is_empty(&self) -> bool {
        self.0.checkers.is_empty()
    }
}

impl DiagnosticsSource for Checkers {
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(async move {
            let mut working = JoinSet::new();
            for job in self.0.jobs(subjects) {
                let shared = Arc::clone(&self.0);
                working.spawn(async move { shared.work(job, until).await });
            }
            let mut reports = Vec::new();
            while let Some(done) = working.join_next().await {
                reports.extend(done.unwrap_or_default());
            }
            reports.sort_by(|a, b| (&a.path, &a.source).cmp(&(&b.path, &b.source)));
            reports
        })
    }
}

impl CheckersInner {
    fn jobs(&self, subjects: &[CheckedDocument]) -> Vec<CheckJob> {
        let mut jobs: BTreeMap<(usize, PathBuf), Vec<CheckedDocument>> = BTreeMap::new();
        for (index, checker) in self.checkers.iter().enumerate() {
            for subject in subjects.iter().filter(|subject| checker.matches_path(&subject.path)) {
                let Some(folder) = subject.path.parent() else { continue };
                let found = checker
                    .roots
                    .iter()
                    .find_map(|group| group.find_root(&*self.search.view, folder, &self.root));
                let usual = if folder.starts_with(&self.root) { &self.root } else { folder };
                let root = found.unwrap_or_else(|| usual.to_owned());
                jobs.entry((index, root)).or_default().push(subject.clone());
            }
        }
        let job = |((checker, root), subjects)| CheckJob { checker, root, subjects };
        jobs.into_iter().map(job).collect()
    }

    async fn work(&self, job: CheckJob, until: Instant) -> Vec<DiagnosticsReport> {
        let Some(checker) = self.checkers.get(job.checker) else { return Vec::new() };
        let report = |subject: &CheckedDocument, said| {
            DiagnosticsReport::new(subject.path.clone(), checker.name.clone(), said)
        };
        let unknown =
            |subject: &CheckedDocument, why: &str| report(subject, Saying::Unknown { why: why.to_owned() });
        let asked = Instant::now();
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
        let lane = self.lane(&job.root);
        let checked = run::run_checker(self, checker, &job, &lane, &subjects, asked);
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
                reports.extend(lane.other_reports(job.checker, checker, &found, &subjects).await);
            }
        }
        reports
    }

    fn lane(&self, root: &Path) -> Arc<CheckerQueue> {
        let mut lanes = self.lanes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(lanes.entry(root.to_owned()).or_default())
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
