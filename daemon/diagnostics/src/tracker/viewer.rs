//! The diagnostics that a session caused, for a view that shows them in the text.

use std::path::Path;
use std::sync::Arc;

use super::{DiagnosticsTracker, TrackerState};
use crate::delta::{DiagnosticsDelta, ReportedDiagnostic};
use copydesk_servers::report::DiagnosticsReport;
use copydesk_servers::source::CheckedDocument;

/// Shows diagnostics beside their lines.
pub trait DiagnosticsViewer: Send + Sync {
    /// All known diagnostics of this text that were not there before this session changed it, or may not have been.
    fn show_problems(&self, path: &Path, text: &str, problems: &[ReportedDiagnostic]);
}

impl DiagnosticsTracker {
    /// Reports diagnostics to this viewer from now on. A tracker keeps its first viewer.
    pub fn set_viewer(&self, viewer: Arc<dyn DiagnosticsViewer>) {
        let _ = self.shared.viewer.set(viewer);
    }

    pub(super) fn notify_viewer(&self, subjects: &[CheckedDocument]) {
        let Some(viewer) = self.shared.viewer.get() else { return };
        for subject in subjects {
            let problems = self.lock().caused_diagnostics(subject, self.shared.options.min_severity);
            if let Some(problems) = problems {
                viewer.show_problems(&subject.path, &subject.text, &problems);
            }
        }
    }
}

impl TrackerState {
    /// `None` if nothing is known of this text.
    fn caused_diagnostics(
        &self,
        subject: &CheckedDocument,
        least: copydesk_servers::diagnostic::Severity,
    ) -> Option<Vec<ReportedDiagnostic>> {
        let is_of = |(report, text): &(&DiagnosticsReport, Option<&Arc<String>>)| {
            report.path == subject.path && *text == Some(&subject.text)
        };
        let reports: Vec<DiagnosticsReport> =
            self.history.reports().filter(is_of).map(|(report, _)| report.clone()).collect();
        if reports.is_empty() {
            return None;
        }
        let baselines = self.session_baseline.baselines(&reports, |_| Some(&subject.text));
        let delta = DiagnosticsDelta::compute(&baselines, &reports, least);
        Some(delta.new.into_iter().chain(delta.unsure).collect())
    }
}
