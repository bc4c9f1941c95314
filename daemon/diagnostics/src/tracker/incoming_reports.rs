//! What is said of files without a change: how they were before the next one, unless one that was made may have done it.

use std::sync::Arc;

use super::unchecked_changes::UncheckedChange;
use super::{CheckStart, DiagnosticsTracker, TrackerState, text_of};
use crate::history::HistoryMatch;
use copydesk_servers::report::{DiagnosticsReport, Proof, Verdict};
use copydesk_servers::source::{CheckedDocument, TREE_SITTER};

impl TrackerState {
    /// What sources know of the past of files that nobody here has heard of. Where a change is open besides `own`, that may be its doing.
    pub(super) fn learn_previous(
        &mut self,
        subjects: &[CheckedDocument],
        reports: &[DiagnosticsReport],
        own: Option<&UncheckedChange>,
    ) {
        let text = text_of(subjects);
        for report in reports {
            let text = text(&report.path);
            let is_first = self.ledger.compare(report, text) == HistoryMatch::Unseen;
            let Some(past) = report.previous.as_ref().filter(|_| is_first) else { continue };
            if !self.pending.may_affect(report, own) {
                let past = DiagnosticsReport::new(
                    report.path.clone(),
                    report.source.clone(),
                    Verdict::Proven(past.clone()),
                );
                self.ledger.record(std::slice::from_ref(&past), |_| text);
                self.turn.record_baseline(&past, text);
            }
        }
    }

    /// What is said of a text that this session made, and was not known of it; and what is other of a text that is the same: something
    /// that it made may have done that. What else is heard is what later changes are compared with.
    fn is_news(&self, report: &DiagnosticsReport, text: Option<&Arc<String>>) -> bool {
        if report.verdict.proof() == Proof::Unknown {
            return false;
        }
        let is_own = self.made.contains_key(&report.path)
            && text.is_none_or(|text| self.made.is_own_text(&report.path, Some(text)));
        match self.ledger.compare(report, text) {
            HistoryMatch::Same => false,
            // Of the same text it may be another thing because a person typed elsewhere.
            HistoryMatch::Differs => !self.made.is_empty() && !self.ledger.is_user_edited_since(report),
            HistoryMatch::Unseen if self.pending.may_affect(report, None) => true,
            // It was asked for when something was made, and had no answer.
            HistoryMatch::Unseen if self.ledger.is_unknown(report) && !self.made.is_empty() => true,
            HistoryMatch::Unseen | HistoryMatch::OtherText => {
                is_own && !(report.source == TREE_SITTER && self.ledger.has_report_on(&report.path, text))
            }
        }
    }
}

impl DiagnosticsTracker {
    pub(super) fn record_reports(
        &self,
        subjects: &[CheckedDocument],
        reports: &[DiagnosticsReport],
        asked: CheckStart,
    ) {
        let text = text_of(subjects);
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut reports = reports.to_vec();
        if state.ledger.change_count() == asked.changes {
            state.learn_previous(subjects, &reports, None);
        } else {
            // Nobody knows whether it is how things were before what was changed meanwhile, or after it.
            reports.retain(|report| state.ledger.compare(report, text(&report.path)) == HistoryMatch::Same);
        }
        // What is other while a change is being made is its doing, perhaps: whoever makes it compares it, or the next one who asks.
        reports.retain(|report| match state.ledger.compare(report, text(&report.path)) {
            HistoryMatch::Same => true,
            HistoryMatch::Unseen if !state.made.contains_key(&report.path) => true,
            _ => !state.pending.is_being_compared(report),
        });
        let (news, quiet): (Vec<_>, Vec<_>) =
            reports.into_iter().partition(|report| state.is_news(report, text(&report.path)));
        for report in &quiet {
            if state.ledger.compare(report, text(&report.path)) == HistoryMatch::Unseen {
                state.turn.record_first_report(report, text(&report.path));
            }
        }
        state.ledger.record(&quiet, &text);
        let is_other = state.record_late_reports(subjects, &news, false);
        drop(guard);
        if is_other {
            self.notify_viewer(subjects);
        }
    }
}
