//! What of the problems a session has caused, for whoever shows them where they are.

use std::path::Path;
use std::sync::Arc;

use super::{DiagnosticsTracker, TrackerState};
use crate::delta::{DiagnosticsDelta, ReportedDiagnostic};
use copydesk_servers::report::DiagnosticsReport;
use copydesk_servers::source::CheckedDocument;

/// Whoever shows problems beside the lines that they are in.
pub trait DiagnosticsViewer: Send + Sync {
    /// All that is wrong with this text, as far as it is known, and was not before this session changed it; or of which it is
    /// not known whether it was.
    fn show_problems(&self, path: &Path, text: &str, problems: &[ReportedDiagnostic]);
}

impl DiagnosticsTracker {
    /// Tells of problems from now on. The first one to be told stays.
    pub fn set_viewer(&self, viewer: Arc<dyn DiagnosticsViewer>) {
        let _ = self.shared.viewer.set(viewer);
    }

    pub(super) fn notify_viewer(&self, subjects: &[CheckedDocument]) {
        let Some(viewer) = self.shared.viewer.get() else { return };
        for subject in subjects {
            let problems = self.lock().caused(subject, self.shared.options.min_severity);
            if let Some(problems) = problems {
                viewer.show_problems(&subject.path, &subject.text, &problems);
            }
        }
    }
}

impl TrackerState {
    /// None where nothing is known of this text.
    fn caused(
        &self,
        subject: &CheckedDocument,
        least: copydesk_servers::diagnostic::Severity,
    ) -> Option<Vec<ReportedDiagnostic>> {
        let is_of = |(report, text): &(&DiagnosticsReport, Option<&Arc<String>>)| {
            report.path == subject.path && *text == Some(&subject.text)
        };
        let reports: Vec<DiagnosticsReport> =
            self.ledger.reports().filter(is_of).map(|(report, _)| report.clone()).collect();
        if reports.is_empty() {
            return None;
        }
        let baselines = self.first.baselines(&reports, |_| Some(&subject.text));
        let delta = DiagnosticsDelta::compute(&baselines, &reports, least);
        Some(delta.new.into_iter().chain(delta.unsure).collect())
    }
}
