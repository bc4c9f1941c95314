//! What a whole turn did to the problems.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{DiagnosticsSummary, DiagnosticsTracker, EditedDocument};
use crate::baseline::Baseline;
use crate::delta::DiagnosticsDelta;
use crate::history::DiagnosticsHistory;
use copydesk_servers::report::DiagnosticsReport;

/// Files that a turn makes, as far as it is known of them.
const MOST: usize = 4096;

/// How it was when the turn began.
#[derive(Default)]
pub(super) struct TurnBaseline {
    /// With what was first heard since of files that nobody had changed.
    ledger: DiagnosticsHistory,
    /// What it has changed, and whether it was not there.
    made: HashMap<PathBuf, bool>,
}

impl TurnBaseline {
    pub(super) fn record_edit(&mut self, edited: &EditedDocument, is_created: bool) {
        if edited.after.is_none() {
            self.ledger.forget(&edited.path);
        }
        if self.made.len() < MOST {
            self.made.entry(edited.path.clone()).or_insert(is_created);
        }
    }

    /// What is said of a file for the first time was so when the turn began, if it has changed nothing.
    pub(super) fn record_first_report(&mut self, report: &DiagnosticsReport, text: Option<&Arc<String>>) {
        if self.made.is_empty() {
            self.record_baseline(report, text);
        }
    }

    /// What was so before the last change was so when the turn began, as far as anybody knows.
    pub(super) fn record_baseline(&mut self, report: &DiagnosticsReport, text: Option<&Arc<String>>) {
        if !self.made.contains_key(&report.path) {
            let mut heard = DiagnosticsHistory::default();
            heard.record(std::slice::from_ref(report), |_| text);
            self.ledger.copy_missing(report, &heard);
        }
    }
}

impl DiagnosticsTracker {
    pub fn begin_turn(&self) {
        let mut state = self.lock();
        state.turn = TurnBaseline { ledger: state.ledger.clone(), made: HashMap::new() };
    }

    /// What is new and what was fixed since the turn began, as it is known now. Nothing where nothing is.
    pub fn end_turn(&self) -> Option<DiagnosticsSummary> {
        let state = self.lock();
        let known: Vec<_> = state.ledger.reports().collect();
        let reports: Vec<DiagnosticsReport> = known.iter().map(|(report, _)| (*report).clone()).collect();
        let texts: HashMap<PathBuf, Arc<String>> = known
            .iter()
            .filter_map(|(report, text)| Some((report.path.clone(), Arc::clone((*text)?))))
            .collect();
        let mut before = state.turn.ledger.baselines(&reports, |path: &Path| texts.get(path));
        let created = state.turn.made.iter().filter(|(_, is_created)| **is_created);
        before.extend(created.map(|(path, _)| Baseline::empty(path.clone())));
        drop(state);
        let delta = DiagnosticsDelta::compute(&before, &reports, self.shared.options.min_severity);
        let is_same = delta.new.is_empty() && delta.fixed.is_empty();
        if is_same { None } else { self.told(&delta, &|path| texts.get(path).cloned(), Duration::ZERO) }
    }
}
