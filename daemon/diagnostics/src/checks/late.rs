//! What was not known in time, waited for beside the work.
//!
//! What came until somebody asks is told together, as one difference to what was told before. A file that is changed meanwhile is
//! left out: as it was told last is what its next check is compared with.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::pending::Change;
use super::{Checks, State, text_of};
use crate::delta::Delta;
use crate::ledger::{Ledger, Standing};
use crate::told;
use copydesk_servers::report::{Proof, Report};
use copydesk_servers::source::Subject;

/// How long it is waited for: a large project takes minutes to be read.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);

/// Files that are waited for because of a change to others.
const MOST_OTHERS: usize = 16;

/// Files that a note names.
const NAMED: usize = 5;

/// What has not been told yet.
#[derive(Default)]
pub(super) struct Late {
    said: Ledger,
    /// What was last told of the same files.
    before: Ledger,
    /// It was announced, so that it is told even if nothing is other.
    is_announced: bool,
}

impl Late {
    fn add(&mut self, known: &Ledger, reports: &[Report], subjects: &[Subject], is_announced: bool) {
        for report in reports {
            let text = text_of(subjects)(&report.path);
            if self.said.standing(report, text) == Standing::First {
                self.before.put_missing(report, known);
            }
        }
        self.said.put(reports, text_of(subjects));
        self.is_announced |= is_announced && !reports.is_empty();
    }

    /// The file is another one now: what was said of it was not told.
    pub(super) fn withdraw(&mut self, path: &Path, known: &mut Ledger) {
        known.unsay(path, &self.said, &self.before);
        self.said.forget(path);
        self.before.forget(path);
    }
}

impl Checks {
    /// What came of checks that were not done when their call ended.
    pub fn take_late(&self) -> Vec<String> {
        let late = std::mem::take(&mut self.lock().late);
        if late.said.is_empty() {
            return Vec::new();
        }
        let mut known: Vec<_> = late.said.all().collect();
        known.sort_by_key(|(report, _)| (report.path.clone(), report.source.clone()));
        let reports: Vec<Report> = known.iter().map(|(report, _)| (*report).clone()).collect();
        let texts: HashMap<PathBuf, Arc<String>> = known
            .iter()
            .filter_map(|(report, text)| Some((report.path.clone(), Arc::clone((*text)?))))
            .collect();
        let before = late.before.baselines(&reports, |path: &Path| texts.get(path));
        let delta = Delta::of(&before, &reports, self.shared.options.least);
        let is_other = !(delta.new.is_empty() && delta.unsure.is_empty() && delta.fixed.is_empty());
        if !is_other && !late.is_announced {
            return Vec::new();
        }
        let told = self.told(&delta, &|path| texts.get(path).cloned(), Duration::ZERO);
        let paths = reports.iter().map(|report| &report.path).collect();
        told.map(|told| format!("Checked by now: {}.\n{}", self.named(&paths), told.output))
            .into_iter()
            .collect()
    }

    pub(super) fn named(&self, paths: &BTreeSet<&PathBuf>) -> String {
        let names: Vec<_> =
            paths.iter().take(NAMED).map(|path| told::path(path, &self.shared.root)).collect();
        match paths.len().saturating_sub(NAMED) {
            0 => names.join(", "),
            more => format!("{} and {more} more files", names.join(", ")),
        }
    }

    /// The change is open until it came. Where not all that it changed is known to who is asked, nothing is proven.
    pub(super) fn wait_for_late(&self, subjects: Vec<Subject>, delta: &Delta, change: Change, is_cut: bool) {
        let is_open = |subject: &Subject| {
            let mut answers = delta.answers.iter().filter(|answer| answer.path == subject.path);
            answers.any(|answer| answer.is_open)
        };
        let mut subjects: Vec<_> = subjects.into_iter().filter(is_open).collect();
        let others = self.open_others(&subjects, delta);
        subjects.extend(others);
        if subjects.is_empty() {
            return;
        }
        change.is_answered_but_for(delta);
        // Whoever asks goes with the session.
        let shared = Arc::downgrade(&self.shared);
        let sources = self.shared.sources.clone();
        let others = self.others(&subjects);
        tokio::spawn(async move {
            let mut reports = sources.later(&subjects, Instant::now() + PATIENCE).await;
            reports.iter_mut().filter(|_| is_cut).for_each(|report| report.said.doubt());
            if let Some(shared) = shared.upgrade() {
                let checks = Checks { shared };
                let (subjects, reports) = checks.with_others(subjects, reports, &others);
                checks.came(&subjects, &reports);
            }
            drop(change);
        });
    }

    /// Other files of which servers of ours have still to speak. An editor is not made to open them.
    fn open_others(&self, subjects: &[Subject], delta: &Delta) -> Vec<Subject> {
        let (Some(texts), None) = (&self.shared.texts, &self.shared.sources.editor) else {
            return Vec::new();
        };
        let asked = |path: &Path| {
            subjects.iter().any(|subject| subject.path == path) || self.lock().made.contains_key(path)
        };
        let open = delta.answers.iter().filter(|answer| answer.is_open && !asked(&answer.path));
        let paths: BTreeSet<_> = open.map(|answer| &answer.path).collect();
        paths.into_iter().take(MOST_OTHERS).filter_map(|path| texts.text(path)).collect()
    }

    /// What was waited for has come.
    fn came(&self, subjects: &[Subject], reports: &[Report]) {
        let is_other = self.lock().came(subjects, reports, true);
        if is_other {
            self.show(subjects);
        }
    }
}

impl State {
    /// What is still about the texts as they are is going to be told. `is_announced` where it was waited for. Tells whether there is any.
    pub(super) fn came(&mut self, subjects: &[Subject], reports: &[Report], is_announced: bool) -> bool {
        let is_current = |report: &&Report| {
            let Some(text) = text_of(subjects)(&report.path) else { return true };
            !is_announced || !self.made.contains_key(&report.path) || self.made.is(&report.path, Some(text))
        };
        let known = |report: &&Report| report.said.proof() != Proof::Unknown;
        let reports: Vec<_> = reports.iter().filter(known).filter(is_current).cloned().collect();
        if reports.is_empty() {
            return false;
        }
        self.late.add(&self.ledger, &reports, subjects, is_announced);
        self.keep(subjects, &reports);
        true
    }
}
