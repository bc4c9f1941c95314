//! What is said of files without a change: how they were before the next one, unless one that was made may have done it.

use std::sync::Arc;

use super::pending::Change;
use super::{Asked, Checks, State, text_of};
use crate::ledger::Standing;
use copydesk_servers::report::{Proof, Report, Said};
use copydesk_servers::source::{Subject, TREE_SITTER};

impl State {
    /// What sources know of the past of files that nobody here has heard of. Where a change is open besides `own`, that may be its doing.
    pub(super) fn learn(&mut self, subjects: &[Subject], reports: &[Report], own: Option<&Change>) {
        let text = text_of(subjects);
        for report in reports {
            let text = text(&report.path);
            let is_first = self.ledger.standing(report, text) == Standing::First;
            let Some(past) = report.past.as_ref().filter(|_| is_first) else { continue };
            if !self.pending.touches(report, own) {
                let past =
                    Report::new(report.path.clone(), report.source.clone(), Said::Proven(past.clone()));
                self.ledger.put(std::slice::from_ref(&past), |_| text);
                self.turn.was(&past, text);
            }
        }
    }

    /// What is said of a text that this session made, and was not known of it; and what is other of a text that is the same: something
    /// that it made may have done that. What else is heard is what later changes are compared with.
    fn is_news(&self, report: &Report, text: Option<&Arc<String>>) -> bool {
        if report.said.proof() == Proof::Unknown {
            return false;
        }
        let is_own = self.made.contains_key(&report.path)
            && text.is_none_or(|text| self.made.is(&report.path, Some(text)));
        match self.ledger.standing(report, text) {
            Standing::Same => false,
            // Of the same text it may be another thing because a person typed elsewhere.
            Standing::Differs => !self.made.is_empty() && !self.ledger.is_typed_since(report),
            Standing::First if self.pending.touches(report, None) => true,
            // It was asked for when something was made, and had no answer.
            Standing::First if self.ledger.is_open(report) && !self.made.is_empty() => true,
            Standing::First | Standing::OtherText => {
                is_own && !(report.source == TREE_SITTER && self.ledger.has(&report.path, text))
            }
        }
    }
}

impl Checks {
    pub(super) fn heard(&self, subjects: &[Subject], reports: &[Report], asked: Asked) {
        let text = text_of(subjects);
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut reports = reports.to_vec();
        if state.ledger.changes() == asked.changes {
            state.learn(subjects, &reports, None);
        } else {
            // Nobody knows whether it is how things were before what was changed meanwhile, or after it.
            reports.retain(|report| state.ledger.standing(report, text(&report.path)) == Standing::Same);
        }
        // What is other while a change is being made is its doing, perhaps: whoever makes it compares it, or the next one who asks.
        reports.retain(|report| match state.ledger.standing(report, text(&report.path)) {
            Standing::Same => true,
            Standing::First if !state.made.contains_key(&report.path) => true,
            _ => !state.pending.is_awaited(report),
        });
        let (news, quiet): (Vec<_>, Vec<_>) =
            reports.into_iter().partition(|report| state.is_news(report, text(&report.path)));
        for report in &quiet {
            if state.ledger.standing(report, text(&report.path)) == Standing::First {
                state.turn.heard(report, text(&report.path));
            }
        }
        state.ledger.put(&quiet, &text);
        let is_other = state.came(subjects, &news, false);
        drop(guard);
        if is_other {
            self.show(subjects);
        }
    }
}
