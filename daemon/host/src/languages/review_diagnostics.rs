//! Shows the problems that a session caused beside the hunks that contain them.

use std::path::Path;
use std::sync::Arc;

use copydesk_diagnostics::{DiagnosticsTracker, DiagnosticsViewer, ReportedDiagnostic};
use copydesk_servers::Severity;
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::reviews::{self, ReviewTracker};

/// The cap on problems of one file.
const MAX_PROBLEMS: usize = 500;

/// `session` is the one that the user sees: a subagent's edits are reviewed in the session that started it.
pub fn show_in_reviews(checks: &DiagnosticsTracker, files: &WorkspaceFiles, session: &str) {
    let (reviews, session) = (files.reviews().clone(), session.to_owned());
    checks.set_viewer(Arc::new(ReviewDiagnostics { reviews, session }));
}

struct ReviewDiagnostics {
    reviews: ReviewTracker,
    session: String,
}

impl DiagnosticsViewer for ReviewDiagnostics {
    fn show_problems(&self, path: &Path, text: &str, problems: &[ReportedDiagnostic]) {
        let problems: Vec<_> = problems.iter().take(MAX_PROBLEMS).map(problem).collect();
        self.reviews.set_diagnostics(&self.session, path, text, &problems);
    }
}

fn problem(problem: &ReportedDiagnostic) -> reviews::ReviewDiagnostic {
    reviews::ReviewDiagnostic {
        line: problem.diagnostic.span.start.line as usize,
        severity: match problem.diagnostic.severity {
            Severity::Error => reviews::ReviewSeverity::Error,
            Severity::Warning => reviews::ReviewSeverity::Warning,
            Severity::Information => reviews::ReviewSeverity::Information,
            Severity::Hint => reviews::ReviewSeverity::Hint,
        },
        code: problem.code(),
        source: problem.source.to_string(),
        message: problem.message(),
    }
}
