//! What was not known in time, waited for beside the work.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Checks;
use crate::delta::Delta;
use crate::report::{Proof, Report};
use crate::source::Subject;

/// How long it is waited for: a large project takes minutes to be read.
const PATIENCE: Duration = Duration::from_secs(300);

/// Notes that wait to be told.
const MOST: usize = 16;

impl Checks {
    /// What came of checks that were not done when their call ended.
    pub fn take_late(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().late)
    }

    pub(super) fn wait_for_late(&self, subjects: Vec<Subject>, delta: &Delta) {
        let is_open = |subject: &Subject| {
            let mut answers = delta.answers.iter().filter(|answer| answer.path == subject.path);
            answers.any(|answer| answer.proof == Proof::Unknown)
        };
        let subjects: Vec<_> = subjects.into_iter().filter(is_open).collect();
        if subjects.is_empty() {
            return;
        }
        // Whoever asks goes with the session.
        let shared = Arc::downgrade(&self.shared);
        let sources = self.shared.sources.clone();
        tokio::spawn(async move {
            let begun = Instant::now();
            let reports = sources.later(&subjects, begun + PATIENCE).await;
            if let Some(shared) = shared.upgrade() {
                Checks { shared }.came(&subjects, &reports, begun);
            }
        });
    }

    /// Tells of what is still about the texts as they are.
    pub(super) fn came(&self, subjects: &[Subject], reports: &[Report], begun: Instant) {
        let is_current = |report: &&Report| {
            let Some(subject) = subjects.iter().find(|subject| subject.path == report.path) else {
                return true;
            };
            let state = self.lock();
            !state.made.contains_key(&report.path) || state.made.is(&report.path, Some(&subject.text))
        };
        let known = |report: &&Report| report.said.proof() != Proof::Unknown;
        let reports: Vec<_> = reports.iter().filter(known).filter(is_current).cloned().collect();
        let delta = self.compare(&[], subjects, &reports, Vec::new());
        let Some(told) = self.told(&delta, begun) else { return };
        let mut state = self.lock();
        state.late.truncate(MOST - 1);
        state.late.push(told.output);
    }
}
