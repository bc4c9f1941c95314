//! The problems that a session caused, beside the hunks that they are in.

use std::path::Path;
use std::sync::Arc;

use copydesk_diagnostics::{Checks, Problem, Viewer};
use copydesk_servers::Severity;
use copydesk_workspace::files::Files;
use copydesk_workspace::reviews::{self, Reviews};

/// What one file is shown with.
const MOST: usize = 500;

/// `session` is the one that a person sees: a task's edits are reviewed where the task was given.
pub fn show(checks: &Checks, files: &Files, session: &str) {
    let (reviews, session) = (files.reviews().clone(), session.to_owned());
    checks.shown_by(Arc::new(InReviews { reviews, session }));
}

struct InReviews {
    reviews: Reviews,
    session: String,
}

impl Viewer for InReviews {
    fn found(&self, path: &Path, text: &str, problems: &[Problem]) {
        let problems: Vec<_> = problems.iter().take(MOST).map(problem).collect();
        self.reviews.found(&self.session, path, text, &problems);
    }
}

fn problem(problem: &Problem) -> reviews::Problem {
    reviews::Problem {
        line: problem.diagnostic.span.start.line as usize,
        severity: match problem.diagnostic.severity {
            Severity::Error => reviews::Severity::Error,
            Severity::Warning => reviews::Severity::Warning,
            Severity::Information => reviews::Severity::Information,
            Severity::Hint => reviews::Severity::Hint,
        },
        code: problem.code(),
        source: problem.source.to_string(),
        message: problem.message(),
    }
}
