//! Reports that came after their call ended.
//!
//! [`DiagnosticsTracker::take_late_notes`] returns everything that came since the last time as one difference to what
//! was reported before.
//!
//! Invariant: a note holds for the workspace at the moment when it is taken. A report may depend on any file, so every
//! change withdraws the reports that no note has included, and their files are checked again.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::unchecked_changes::UncheckedChange;
use super::{CheckStart, DiagnosticsTracker, TrackerState, text_of};
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
    /// Files whose reports were withdrawn, and that no check has taken up yet.
    withdrawn: BTreeSet<PathBuf>,
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

    /// Something changed: the reports may not hold any more. Their files are to be checked again.
    pub(super) fn withdraw(&mut self, known: &mut DiagnosticsHistory) {
        let LateReports { reports, before, withdrawn, .. } = self;
        known.revert(reports, before);
        withdrawn.extend(reports.reports().map(|(report, _)| report.path.clone()));
        while withdrawn.len() > MAX_OTHER_FILES {
            withdrawn.pop_last();
        }
        (*reports, *before) = Default::default();
    }
}

impl DiagnosticsTracker {
    /// The results of checks that were not done when their call ended.
    pub fn take_late_notes(&self) -> Vec<String> {
        let epoch = self.edit_epoch();
        let mut state = self.lock();
        state.note_epoch(epoch);
        let mut late = std::mem::take(&mut state.late);
        state.late.withdrawn = std::mem::take(&mut late.withdrawn);
        // The withdrawn reports were announced, too.
        state.late.is_announced = late.is_announced && late.reports.is_empty();
        drop(state);
        self.spawn_late_check(self.take_withdrawn(&[]), None, false);
        if late.reports.is_empty() {
            Vec::new()
        } else {
            self.render_late_reports(&late).into_iter().collect()
        }
    }

    fn render_late_reports(&self, late: &LateReports) -> Option<String> {
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
            return None;
        }
        let summary = self.summarize(&delta, &|path| texts.get(path).cloned(), Duration::ZERO)?;
        let paths = reports.iter().map(|report| &report.path).collect();
        Some(format!("Checked by now: {}.\n{}", self.join_paths(&paths), summary.output))
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

    /// Waits in the background for pending reports, and for those that the change withdrew; the change stays unchecked
    /// until then. `is_truncated` means that sources may not know all that changed, so nothing is proven.
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
        let withdrawn = self.take_withdrawn(&subjects);
        subjects.extend(withdrawn);
        if !subjects.is_empty() {
            change.narrow_to_pending(delta);
        }
        self.spawn_late_check(subjects, Some(change), is_truncated);
    }

    /// The files whose late reports were withdrawn, and that no later check has reported on.
    fn take_withdrawn(&self, besides: &[CheckedDocument]) -> Vec<CheckedDocument> {
        let Some(texts) = &self.shared.texts else { return Vec::new() };
        let mut state = self.lock();
        let mut withdrawn = std::mem::take(&mut state.late.withdrawn);
        withdrawn.retain(|path| {
            state.history.is_awaited(path) && besides.iter().all(|subject| subject.path != *path)
        });
        drop(state);
        withdrawn.iter().filter_map(|path| texts.document(path)).collect()
    }

    /// Checks these files in the background until the reports hold for the workspace as it is by then.
    fn spawn_late_check(
        &self,
        mut subjects: Vec<CheckedDocument>,
        change: Option<UncheckedChange>,
        is_truncated: bool,
    ) {
        if subjects.is_empty() {
            return;
        }
        // The task ends with the session.
        let shared = Arc::downgrade(&self.shared);
        let sources = self.shared.sources.clone();
        tokio::spawn(async move {
            let until = Instant::now() + LATE_TIMEOUT;
            while !subjects.is_empty() && Instant::now() < until {
                sources.wait_until_ready(&subjects, until).await;
                let Some(tracker) = shared.upgrade().map(|shared| DiagnosticsTracker { shared }) else {
                    break;
                };
                let check = tracker.begin_late_check(subjects);
                drop(tracker);
                let mut reports = sources.check_when_ready(&check.subjects, until).await;
                let weakened = reports.iter_mut().filter(|_| is_truncated);
                weakened.for_each(|report| report.verdict.downgrade_to_likely());
                let Some(tracker) = shared.upgrade().map(|shared| DiagnosticsTracker { shared }) else {
                    break;
                };
                subjects = tracker.finish_late_check(check, reports);
            }
            drop(change);
        });
    }

    fn begin_late_check(&self, subjects: Vec<CheckedDocument>) -> LateCheck {
        let epoch = self.edit_epoch();
        let mut state = self.lock();
        state.note_epoch(epoch);
        let start = CheckStart { changes: state.history.change_count() };
        drop(state);
        let current = |subject: CheckedDocument| {
            let now = self.shared.texts.as_ref().and_then(|texts| texts.document(&subject.path));
            now.unwrap_or(subject)
        };
        let subjects: Vec<_> = subjects.into_iter().map(current).collect();
        let others = self.other_documents(&subjects);
        LateCheck { subjects, others, start }
    }

    /// Records the reports, unless something changed meanwhile. Returns the files to check again.
    fn finish_late_check(&self, check: LateCheck, reports: Vec<DiagnosticsReport>) -> Vec<CheckedDocument> {
        let LateCheck { subjects, others, start } = check;
        let (subjects, reports) = self.with_others(subjects, reports, &others);
        let epoch = self.edit_epoch();
        let mut state = self.lock();
        state.note_epoch(epoch);
        if state.history.change_count() != start.changes {
            let is_awaited = |subject: &CheckedDocument| state.history.is_awaited(&subject.path);
            return subjects.into_iter().filter(is_awaited).collect();
        }
        let has_news = state.record_late_reports(&subjects, &reports, true);
        drop(state);
        if has_news {
            self.notify_viewer(&subjects);
        }
        Vec::new()
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
}

/// A check in the background.
struct LateCheck {
    subjects: Vec<CheckedDocument>,
    /// The texts of other files that it may report on.
    others: Vec<CheckedDocument>,
    start: CheckStart,
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
