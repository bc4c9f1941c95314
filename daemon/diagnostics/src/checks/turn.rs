//! What a whole turn did to the problems.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{Checks, Edited, Told};
use crate::baseline::Baseline;
use crate::delta::Delta;
use crate::ledger::Ledger;
use copydesk_servers::report::Report;

/// Files that a turn makes, as far as it is known of them.
const MOST: usize = 4096;

/// How it was when the turn began.
#[derive(Default)]
pub(super) struct Turn {
    /// With what was first heard since of files that nobody had changed.
    ledger: Ledger,
    /// What it has changed, and whether it was not there.
    made: HashMap<PathBuf, bool>,
}

impl Turn {
    pub(super) fn made(&mut self, edited: &Edited, is_created: bool) {
        if edited.after.is_none() {
            self.ledger.forget(&edited.path);
        }
        if self.made.len() < MOST {
            self.made.entry(edited.path.clone()).or_insert(is_created);
        }
    }

    /// What is said of a file for the first time was so when the turn began, if it has changed nothing.
    pub(super) fn heard(&mut self, report: &Report, text: Option<&Arc<String>>) {
        if self.made.is_empty() {
            self.was(report, text);
        }
    }

    /// What was so before the last change was so when the turn began, as far as anybody knows.
    pub(super) fn was(&mut self, report: &Report, text: Option<&Arc<String>>) {
        if !self.made.contains_key(&report.path) {
            let mut heard = Ledger::default();
            heard.put(std::slice::from_ref(report), |_| text);
            self.ledger.put_missing(report, &heard);
        }
    }
}

impl Checks {
    pub fn begin_turn(&self) {
        let mut state = self.lock();
        state.turn = Turn { ledger: state.ledger.clone(), made: HashMap::new() };
    }

    /// What is new and what was fixed since the turn began, as it is known now. Nothing where nothing is.
    pub fn end_turn(&self) -> Option<Told> {
        let state = self.lock();
        let known: Vec<_> = state.ledger.all().collect();
        let reports: Vec<Report> = known.iter().map(|(report, _)| (*report).clone()).collect();
        let texts: HashMap<PathBuf, Arc<String>> = known
            .iter()
            .filter_map(|(report, text)| Some((report.path.clone(), Arc::clone((*text)?))))
            .collect();
        let mut before = state.turn.ledger.baselines(&reports, |path: &Path| texts.get(path));
        let created = state.turn.made.iter().filter(|(_, is_created)| **is_created);
        before.extend(created.map(|(path, _)| Baseline::nothing(path.clone())));
        drop(state);
        let delta = Delta::of(&before, &reports, self.shared.options.least);
        let is_same = delta.new.is_empty() && delta.fixed.is_empty();
        if is_same { None } else { self.told(&delta, &|path| texts.get(path).cloned(), Duration::ZERO) }
    }
}
