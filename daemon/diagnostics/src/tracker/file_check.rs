//! What is wrong with a file, whether it is new or not.

use tokio::time::Instant;

use super::{DiagnosticsSummary, DiagnosticsTracker, text_of};
use crate::delta::DiagnosticsDelta;
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::report::DiagnosticsReport;
use copydesk_servers::source::CheckedDocument;

impl DiagnosticsTracker {
    /// Errors and warnings. They count as known from now on. `None` if no source reports on the file.
    pub async fn check_file(&self, document: CheckedDocument) -> Option<DiagnosticsSummary> {
        if self.is_disabled() {
            return None;
        }
        let (started, path) = (Instant::now(), document.path.clone());
        let subjects = vec![document];
        let start = self.begin(&subjects);
        let (subjects, reports) = self.check(subjects, started + self.shared.options.wait).await;
        self.record_reports(&subjects, &reports, start);
        let is_asked = |report: &&DiagnosticsReport| report.path == path;
        let reports: Vec<_> = reports.iter().filter(is_asked).cloned().collect();
        let least = self.shared.options.min_severity.max(Severity::Warning);
        let delta = DiagnosticsDelta::list(&reports, least);
        self.summarize(&delta, &|path| text_of(&subjects)(path).cloned(), started.elapsed())
    }
}
