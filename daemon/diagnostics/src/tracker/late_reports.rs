//! Reports that came after their call ended.
//!
//! [`DiagnosticsTracker::take_late_notes`] returns everything that came since the last time as one difference to what
//! was reported before. A file that changed meanwhile is left out: its next check is compared with its last reported
//! state.

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

/// The cap on other files to wait for after a change.
const MAX_OTHER_FILES: usize = 16;

/// The cap on files that a note names.
const MAX_NAMED_FILES: usize = 5;

/// Late reports that no note has included yet.
#[derive(Default)]
pub(super) struct LateReports {
    reports: DiagnosticsHistory,
    /// The last reported state of the same files.
    before: DiagnosticsHistory,
    /// A call announced these reports, so they make a note even if nothing is different.
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
            if self.reports.compare(report, text) == HistoryMatch::Unseen {
                self.before.copy_missing(report, known);
            }
        }
        self.reports.record(reports, text_of(subjects));
        self.is_announced |= is_announced && !reports.is_empty();
    }

    /// The file changed: reports on its old text are dropped.
    pub(super) fn withdraw(&mut self, path: &Path, known: &mut DiagnosticsHistory) {
        known.revert(path, &self.reports, &self.before);
        self.reports.forget(path);
        self.before.forget(path);
    }
}

impl DiagnosticsTracker {
    /// The results of checks that were not done when their call ended.
    pub fn take_late_notes(&self) -> Vec<String> {
        let late = std::mem::take(&mut self.lock().late);
        if late.reports.is_empty() {
            return Vec::new();
        }
        let mut known: Vec<_> = late.reports.reports().collect();
        known.sort_by_key(|(report, _)| (report.path.clone(), report.source.clone()));
        let reports: Vec<DiagnosticsReport> = known.iter().map(|(report, _)| (*report).clone()).collect();
        let texts: HashMap<PathBuf, Arc<String>> = known
            .iter()
            .filter_map(|(report, text)| Some((report.path.clone(), Arc::clone((*text)?))))
            .collect();
        let before = late.before.baselines(&reports, |path: &Path| texts.get(path));
        let delta = DiagnosticsDelta::compute(&before, &reports, self.shared.options.min_severity);
        let is_different = !(delta.new.is_empty() && delta.unsure.is_empty() && delta.fixed.is_empty());
        if !is_different && !late.is_announced {
            return Vec::new();
        }
        let summary = self.summarize(&delta, &|path| texts.get(path).cloned(), Duration::ZERO);
        let paths = reports.iter().map(|report| &report.path).collect();
        summary
            .map(|summary| format!("Checked by now: {}.\n{}", self.join_paths(&paths), summary.output))
            .into_iter()
            .collect()
    }

    pub(super) fn join_paths(&self, paths: &BTreeSet<&PathBuf>) -> String {
        let names: Vec<_> = paths
            .iter()
            .take(MAX_NAMED_FILES)
            .map(|path| report_text::display_path(path, &self.shared.root))
            .collect();
        match paths.len().saturating_sub(MAX_NAMED_FILES) {
            0 => names.join(", "),
            more => format!("{} and {more} more files", names.join(", ")),
        }
    }

    /// Waits in the background for pending reports; the change stays unchecked until then. `is_truncated` means that
    /// sources may not know all that changed, so nothing is proven.
    pub(super) fn wait_for_late(
        &self,
        subjects: Vec<CheckedDocument>,
        delta: &DiagnosticsDelta,
        change: UncheckedChange,
        is_truncated: bool,
    ) {
        let is_pending = |subject: &CheckedDocument| {
            let mut answers = delta.sources.iter().filter(|answer| answer.path == subject.path);
            answers.any(|answer| answer.is_pending)
        };
        let mut subjects: Vec<_> = subjects.into_iter().filter(is_pending).collect();
        let others = self.pending_others(&subjects, delta);
        subjects.extend(others);
        if subjects.is_empty() {
            return;
        }
        change.narrow_to_pending(delta);
        // The task ends with the session.
        let shared = Arc::downgrade(&self.shared);
        let sources = self.shared.sources.clone();
        let others = self.other_documents(&subjects);
        tokio::spawn(async move {
            let mut reports = sources.check_when_ready(&subjects, Instant::now() + LATE_TIMEOUT).await;
            reports
                .iter_mut()
                .filter(|_| is_truncated)
                .for_each(|report| report.verdict.downgrade_to_likely());
            if let Some(shared) = shared.upgrade() {
                let tracker = DiagnosticsTracker { shared };
                let (subjects, reports) = tracker.with_others(subjects, reports, &others);
                tracker.record_awaited_reports(&subjects, &reports);
            }
            drop(change);
        });
    }

    /// Other files that our servers have yet to report on. An editor does not open files for this.
    fn pending_others(&self, subjects: &[CheckedDocument], delta: &DiagnosticsDelta) -> Vec<CheckedDocument> {
        let (Some(texts), None) = (&self.shared.texts, &self.shared.sources.editor) else {
            return Vec::new();
        };
        let is_checked = |path: &Path| {
            subjects.iter().any(|subject| subject.path == path) || self.lock().own_edits.contains_key(path)
        };
        let pending = delta.sources.iter().filter(|answer| answer.is_pending && !is_checked(&answer.path));
        let paths: BTreeSet<_> = pending.map(|answer| &answer.path).collect();
        paths.into_iter().take(MAX_OTHER_FILES).filter_map(|path| texts.document(path)).collect()
    }

    fn record_awaited_reports(&self, subjects: &[CheckedDocument], reports: &[DiagnosticsReport]) {
        let is_different = self.lock().record_late_reports(subjects, reports, true);
        if is_different {
            self.notify_viewer(subjects);
        }
    }
}

impl TrackerState {
    /// Queues the reports on current texts for the next note, and returns whether there are any. `is_announced` if a
    /// call announced them.
    pub(super) fn record_late_reports(
        &mut self,
        subjects: &[CheckedDocument],
        reports: &[DiagnosticsReport],
        is_announced: bool,
    ) -> bool {
        let is_current = |report: &&DiagnosticsReport| {
            let Some(text) = text_of(subjects)(&report.path) else { return true };
            !is_announced
                || !self.own_edits.contains_key(&report.path)
                || self.own_edits.is_own_text(&report.path, Some(text))
        };
        let known = |report: &&DiagnosticsReport| report.verdict.proof() != Proof::Unknown;
        let reports: Vec<_> = reports.iter().filter(known).filter(is_current).cloned().collect();
        if reports.is_empty() {
            return false;
        }
        self.late.add(&self.history, &reports, subjects, is_announced);
        self.record(subjects, &reports);
        true
    }
}
