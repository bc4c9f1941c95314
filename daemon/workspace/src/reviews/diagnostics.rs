//! What is said to be wrong in the lines of hunks.
//!
//! It is kept with the hunk as it was then: of one that is another by now nothing is said until somebody looks again.

use std::collections::HashMap;
use std::path::Path;

use copydesk_text::review::{Hunk, HunkFingerprint, HunkId};

use super::ReviewTracker;
use super::tracked_review::TrackedReview;

/// Problems that one hunk is shown with.
const MOST: usize = 20;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewSeverity {
    Error,
    Warning,
    Information,
    Hint,
}

/// One that an agent's edits caused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewDiagnostic {
    /// From 0: of the text, and of a hunk's problems counted from its first line.
    pub line: usize,
    pub severity: ReviewSeverity,
    pub code: Option<String>,
    /// Who says so.
    pub source: String,
    pub message: String,
}

/// Those of the hunks of a review, each with what the hunk was.
pub(super) type DiagnosticsByHunk = HashMap<HunkId, (HunkFingerprint, Vec<ReviewDiagnostic>)>;

impl ReviewTracker {
    /// All that is wrong with this text of a document because of a session's edits. What is of another text than there is now
    /// is not taken.
    pub fn set_diagnostics(&self, session: &str, name: &Path, text: &str, problems: &[ReviewDiagnostic]) {
        self.lock().for_each_review(name, |of, tracked| {
            if of == session && !tracked.is_proposal() {
                tracked.set_diagnostics(text, problems);
            }
        });
    }
}

impl TrackedReview {
    fn set_diagnostics(&mut self, text: &str, problems: &[ReviewDiagnostic]) {
        let is_nothing = problems.is_empty() && self.problems.is_empty();
        if is_nothing || self.review.text() != text {
            return;
        }
        let mut now = DiagnosticsByHunk::new();
        for (hunk, first) in self.review.hunks_with_lines() {
            let lines = first..first + self.review.hunk_text(hunk).lines().count();
            let inside = problems.iter().filter(|problem| lines.contains(&problem.line));
            let inside =
                inside.map(|problem| ReviewDiagnostic { line: problem.line - first, ..problem.clone() });
            let inside: Vec<_> = inside.take(MOST).collect();
            if !inside.is_empty() {
                now.insert(hunk.id, (self.review.decision_for(hunk).expected, inside));
            }
        }
        self.is_changed |= now != self.problems;
        self.problems = now;
    }

    /// Those that are known of a hunk as it is.
    pub(super) fn hunk_diagnostics(&self, hunk: &Hunk) -> &[ReviewDiagnostic] {
        match self.problems.get(&hunk.id) {
            Some((print, problems)) if *print == self.review.decision_for(hunk).expected => problems,
            _ => &[],
        }
    }
}
