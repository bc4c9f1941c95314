//! Reports that do not follow an edit: they become the baseline of the next change, unless an earlier change of the
//! session may have caused them.

use std::sync::Arc;

use super::unchecked_changes::UncheckedChange;
use super::{CheckStart, DiagnosticsTracker, TrackerState, text_of};
use crate::history::HistoryMatch;
use copydesk_servers::report::{DiagnosticsReport, Proof, Verdict};
use copydesk_servers::source::{CheckedDocument, TREE_SITTER};

impl TrackerState {
    /// Records the previous diagnostics that sources know of files without a history. Skips reports that an unchecked
    /// change other than `own` may have affected.
    pub(super) fn learn_previous(
        &mut self,
        subjects: &[CheckedDocument],
        reports: &[DiagnosticsReport],
        own: Option<&UncheckedChange>,
    ) {
        let text = text_of(subjects);
        for report in reports {
            let text = text(&report.path);
            let is_unseen = self.history.compare(report, text) == HistoryMatch::Unseen;
            let Some(previous) = report.previous.as_ref().filter(|_| is_unseen) else { continue };
            if !self.pending.may_affect(report, own) {
                let previous = DiagnosticsReport::new(
                    report.path.clone(),
                    report.source.clone(),
                    Verdict::Proven(previous.clone()),
                );
                self.history.record(std::slice::from_ref(&previous), |_| text);
                self.turn.record_baseline(&previous, text);
            }
        }
    }

    /// Whether a report is news for the model: it is about a text that this session made, or it differs for an
    /// unchanged text, which an edit of the session may have caused. Every other report is a baseline for later
    /// changes.
    fn is_news(&self, report: &DiagnosticsReport, text: Option<&Arc<String>>) -> bool {
        if report.verdict.proof() == Proof::Unknown {
            return false;
        }
        let is_own = self.own_edits.contains_key(&report.path)
            && text.is_none_or(|text| self.own_edits.is_own_text(&report.path, Some(text)));
        match self.history.compare(report, text) {
            HistoryMatch::Same => false,
            // The user may have caused the difference by typing elsewhere.
            HistoryMatch::Differs => !self.own_edits.is_empty() && !self.history.is_user_edited_since(report),
            HistoryMatch::Unseen if self.pending.may_affect(report, None) => true,
            // A check of an edit asked for it and got no answer.
            HistoryMatch::Unseen if self.history.is_unknown(report) && !self.own_edits.is_empty() => true,
            HistoryMatch::Unseen | HistoryMatch::OtherText => {
                is_own && !(report.source == TREE_SITTER && self.history.has_report_on(&report.path, text))
            }
        }
    }
}

impl DiagnosticsTracker {
    pub(super) fn record_reports(
        &self,
        subjects: &[CheckedDocument],
        reports: &[DiagnosticsReport],
        start: CheckStart,
    ) {
        let text = text_of(subjects);
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut reports = reports.to_vec();
        if state.history.change_count() == start.changes {
            state.learn_previous(subjects, &reports, None);
        } else {
            // It is unclear whether these reports describe the state before or after a change made meanwhile.
            reports.retain(|report| state.history.compare(report, text(&report.path)) == HistoryMatch::Same);
        }
        // A difference during an open change may be caused by it: the check of that change compares it, or the next
        // check does.
        reports.retain(|report| match state.history.compare(report, text(&report.path)) {
            HistoryMatch::Same => true,
            HistoryMatch::Unseen if !state.own_edits.contains_key(&report.path) => true,
            _ => !state.pending.is_being_compared(report),
        });
        let (news, baselines): (Vec<_>, Vec<_>) =
            reports.into_iter().partition(|report| state.is_news(report, text(&report.path)));
        for report in &baselines {
            if state.history.compare(report, text(&report.path)) == HistoryMatch::Unseen {
                state.turn.record_first_report(report, text(&report.path));
            }
        }
        state.history.record(&baselines, &text);
        let has_news = state.record_late_reports(subjects, &news, false);
        drop(guard);
        if has_news {
            self.notify_viewer(subjects);
        }
    }
}
