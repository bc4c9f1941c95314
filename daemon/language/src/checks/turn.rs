//! What a whole turn did to the problems.

use std::sync::Arc;

use tokio::time::Instant;

use super::{Checks, Told};
use crate::delta::Delta;
use crate::report::Report;

impl Checks {
    pub fn begin_turn(&self) {
        let mut state = self.lock();
        state.turn = state.ledger.clone();
    }

    /// What is new and what was fixed since the turn began, as it is known now. Nothing where nothing is.
    pub fn end_turn(&self) -> Option<Told> {
        let (delta, begun) = {
            let state = self.lock();
            let known: Vec<_> = state.ledger.all().collect();
            let reports: Vec<Report> = known.iter().map(|(report, _)| (*report).clone()).collect();
            let text = |path: &std::path::Path| -> Option<&Arc<String>> {
                known.iter().find(|(report, _)| report.path == path).and_then(|(_, text)| *text)
            };
            let before = state.turn.baselines(&reports, text);
            (Delta::of(&before, &reports, self.shared.options.least), Instant::now())
        };
        let is_same = delta.new.is_empty() && delta.fixed.is_empty();
        if is_same { None } else { self.told(&delta, begun) }
    }
}
