//! The diagnostics that a whole turn caused and fixed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{DiagnosticsSummary, DiagnosticsTracker, EditedDocument};
use crate::baseline::Baseline;
use crate::delta::DiagnosticsDelta;
use crate::history::DiagnosticsHistory;
use copydesk_servers::report::DiagnosticsReport;

/// The cap on recorded files of a turn.
const MAX_CHANGED_FILES: usize = 4096;

/// The state when the turn began.
#[derive(Default)]
pub(super) struct TurnBaseline {
    /// Includes the first reports on files that the turn had not changed.
    history: DiagnosticsHistory,
    /// The files that the turn changed, and whether it created them.
    changed: HashMap<PathBuf, bool>,
}

impl TurnBaseline {
    pub(super) fn record_edit(&mut self, edited: &EditedDocument, is_created: bool) {
        if edited.after.is_none() {
            self.history.forget(&edited.path);
        }
        if self.changed.len() < MAX_CHANGED_FILES {
            self.changed.entry(edited.path.clone()).or_insert(is_created);
        }
    }

    /// The first report on a file counts as the state at the beginning if the turn has changed nothing.
    pub(super) fn record_first_report(&mut self, report: &DiagnosticsReport, text: Option<&Arc<String>>) {
        if self.changed.is_empty() {
            self.record_baseline(report, text);
        }
    }

    /// The state before the last change counts as the state at the beginning, unless the turn has changed the file.
    pub(super) fn record_baseline(&mut self, report: &DiagnosticsReport, text: Option<&Arc<String>>) {
        if !self.changed.contains_key(&report.path) {
            let mut reported = DiagnosticsHistory::default();
            reported.record(std::slice::from_ref(report), |_| text);
            self.history.copy_missing(report, &reported);
        }
    }
}

impl DiagnosticsTracker {
    pub fn begin_turn(&self) {
        let mut state = self.lock();
        state.turn = TurnBaseline { history: state.history.clone(), changed: HashMap::new() };
    }

    /// What is new and fixed since the turn began. `None` if nothing is.
    pub fn end_turn(&self) -> Option<DiagnosticsSummary> {
        let state = self.lock();
        let known: Vec<_> = state.history.reports().collect();
        let reports: Vec<DiagnosticsReport> = known.iter().map(|(report, _)| (*report).clone()).collect();
        let texts: HashMap<PathBuf, Arc<String>> = known
            .iter()
            .filter_map(|(report, text)| Some((report.path.clone(), Arc::clone((*text)?))))
            .collect();
        let mut before = state.turn.history.baselines(&reports, |path: &Path| texts.get(path));
        let created = state.turn.changed.iter().filter(|(_, is_created)| **is_created);
        before.extend(created.map(|(path, _)| Baseline::empty(path.clone())));
        drop(state);
        let delta = DiagnosticsDelta::compute(&before, &reports, self.shared.options.min_severity);
        let is_same = delta.new.is_empty() && delta.fixed.is_empty();
        if is_same { None } else { self.summarize(&delta, &|path| texts.get(path).cloned(), Duration::ZERO) }
    }
}
