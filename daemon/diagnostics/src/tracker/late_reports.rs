//! What was not known in time, waited for beside the work.
//!
//! What came until somebody asks is told together, as one difference to what was told before. A file that is changed meanwhile is
//! left out: as it was told last is what its next check is compared with.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::unchecked_changes::UncheckedChange;
use super::{DiagnosticsTracker, TrackerState, text_of};
use crate::delta::DiagnosticsDelta;
use crate::history::{DiagnosticsHistory, HistoryMatch};
use crate::report_text;
use crate::time_limits::LATE_TIMEOUT;
use copydesk_servers::report::{DiagnosticsReport, Proof};
use copydesk_servers::source::CheckedDocument;

/// Files that are waited for because of a change to others.
const MOST_OTHERS: usize = 16;

/// Files that a note names.
const NAMED: usize = 5;

/// What has not been told yet.
#[derive(Default)]
pub(super) struct LateReports {
    said: DiagnosticsHistory,
    /// What was last told of the same files.
    before: DiagnosticsHistory,
    /// It was announced, so that it is told even if nothing is other.
    is_announced: bool,
}

impl LateReports {
    fn add(
        &mut self,
        known: &DiagnosticsHistory,
        reports: &[DiagnosticsReport],
        subjects: &[CheckedDocument],
        is_announced: bool,
    ) {
        for report in reports {
            let text = text_of(subjects)(&report.path);
            if self.said.compare(report, text) == HistoryMatch::Unseen {
                self.before.copy_missing(report, known);
            }
        }
        self.said.record(reports, text_of(subjects));
        self.is_announced |= is_announced && !reports.is_empty();
    }

    /// The file is another one now: what was said of it was not told.
    pub(super) fn withdraw(&mut self, path: &Path, known: &mut DiagnosticsHistory) {
        known.revert(path, &self.said, &self.before);
        self.said.forget(path);
        self.before.forget(path);
    }
}

impl DiagnosticsTracker {
    /// What came of checks that were not done when their call ended.
    pub fn take_late_notes(&self) -> Vec<String> {
        let late = std::mem::take(&mut self.lock().late);
        if late.said.is_empty() {
            return Vec::new();
        }
        let mut known: Vec<_> = late.said.reports().collect();
        known.sort_by_key(|(report, _)| (report.path.clone(), report.source.clone()));
        let reports: Vec<DiagnosticsReport> = known.iter().map(|(report, _)| (*report).clone()).collect();
        let texts: HashMap<PathBuf, Arc<String>> = known
            .iter()
            .filter_map(|(report, text)| Some((report.path.clone(), Arc::clone((*text)?))))
            .collect();
        let before = late.before.baselines(&reports, |path: &Path| texts.get(path));
        let delta = DiagnosticsDelta::compute(&before, &reports, self.shared.options.min_severity);
        let is_other = !(delta.new.is_empty() && delta.unsure.is_empty() && delta.fixed.is_empty());
        if !is_other && !late.is_announced {
            return Vec::new();
        }
        let told = self.told(&delta, &|path| texts.get(path).cloned(), Duration::ZERO);
        let paths = reports.iter().map(|report| &report.path).collect();
        told.map(|told| format!("Checked by now: {}.\n{}", self.join_paths(&paths), told.output))
            .into_iter()
            .collect()
    }

    pub(super) fn join_paths(&self, paths: &BTreeSet<&PathBuf>) -> String {
        let names: Vec<_> =
            paths.iter().take(NAMED).map(|path| report_text::display_path(path, &self.shared.root)).collect();
        match paths.len().saturating_sub(NAMED) {
            0 => names.join(", "),
            more => format!("{} and {more} more files", names.join(", ")),
        }
    }

    /// The change is open until it came. Where not all that it changed is known to who is asked, nothing is proven.
    pub(super) fn wait_for_late(
        &self,
        subjects: Vec<CheckedDocument>,
        delta: &DiagnosticsDelta,
        change: UncheckedChange,
        is_cut: bool,
    ) {
        let is_open = |subject: &CheckedDocument| {
            let mut answers = delta.sources.iter().filter(|answer| answer.path == subject.path);
            answers.any(|answer| answer.is_pending)
        };
        let mut subjects: Vec<_> = subjects.into_iter().filter(is_open).collect();
        let others = self.open_others(&subjects, delta);
        subjects.extend(others);
        if subjects.is_empty() {
            return;
        }
        change.narrow_to_pending(delta);
        // Whoever asks goes with the session.
        let shared = Arc::downgrade(&self.shared);
        let sources = self.shared.sources.clone();
        let others = self.others(&subjects);
        tokio::spawn(async move {
            let mut reports = sources.check_when_ready(&subjects, Instant::now() + LATE_TIMEOUT).await;
            reports.iter_mut().filter(|_| is_cut).for_each(|report| report.verdict.downgrade_to_likely());
            if let Some(shared) = shared.upgrade() {
                let checks = DiagnosticsTracker { shared };
                let (subjects, reports) = checks.with_others(subjects, reports, &others);
                checks.came(&subjects, &reports);
            }
            drop(change);
        });
    }

    /// Other files of which servers of ours have still to speak. An editor is not made to open them.
    fn open_others(&self, subjects: &[CheckedDocument], delta: &DiagnosticsDelta) -> Vec<CheckedDocument> {
        let (Some(texts), None) = (&self.shared.texts, &self.shared.sources.editor) else {
            return Vec::new();
        };
        let asked = |path: &Path| {
            subjects.iter().any(|subject| subject.path == path) || self.lock().made.contains_key(path)
        };
        let open = delta.sources.iter().filter(|answer| answer.is_pending && !asked(&answer.path));
        let paths: BTreeSet<_> = open.map(|answer| &answer.path).collect();
        paths.into_iter().take(MOST_OTHERS).filter_map(|path| texts.document(path)).collect()
    }

    /// What was waited for has come.
    fn came(&self, subjects: &[CheckedDocument], reports: &[DiagnosticsReport]) {
        let is_other = self.lock().record_late_reports(subjects, reports, true);
        if is_other {
            self.notify_viewer(subjects);
        }
    }
}

impl TrackerState {
    /// What is still about the texts as they are is going to be told. `is_announced` where it was waited for. Tells whether there is any.
    pub(super) fn record_late_reports(
        &mut self,
        subjects: &[CheckedDocument],
        reports: &[DiagnosticsReport],
        is_announced: bool,
    ) -> bool {
        let is_current = |report: &&DiagnosticsReport| {
            let Some(text) = text_of(subjects)(&report.path) else { return true };
            !is_announced
                || !self.made.contains_key(&report.path)
                || self.made.is_own_text(&report.path, Some(text))
        };
        let known = |report: &&DiagnosticsReport| report.verdict.proof() != Proof::Unknown;
        let reports: Vec<_> = reports.iter().filter(known).filter(is_current).cloned().collect();
        if reports.is_empty() {
            return false;
        }
        self.late.add(&self.ledger, &reports, subjects, is_announced);
        self.keep(subjects, &reports);
        true
    }
}
