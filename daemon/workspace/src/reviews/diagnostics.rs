//! Diagnostics on the lines of hunks.
//!
//! Each is stored with the hunk as it was then. A hunk that has changed since has no diagnostics until the
//! next check.

use std::collections::HashMap;
use std::path::Path;

use copydesk_text::review::{Hunk, HunkFingerprint, HunkId};

use super::ReviewTracker;
use super::tracked_review::TrackedReview;

/// The cap on diagnostics that one hunk shows.
const MAX_HUNK_DIAGNOSTICS: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewSeverity {
    Error,
    Warning,
    Information,
    Hint,
}

/// A problem that an agent's edits caused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewDiagnostic {
    /// From 0: in the text, or within a hunk from its first line.
    pub line: usize,
    pub severity: ReviewSeverity,
    pub code: Option<String>,
    /// The source that reported it.
    pub source: String,
    pub message: String,
}

/// The diagnostics of each hunk, with the hunk's fingerprint at that time.
pub(super) type DiagnosticsByHunk = HashMap<HunkId, (HunkFingerprint, Vec<ReviewDiagnostic>)>;

impl ReviewTracker {
    /// Sets all diagnostics that a session's edits caused in this text of a document. Ignored if the text has
    /// changed since.
    pub fn set_diagnostics(&self, session: &str, name: &Path, text: &str, problems: &[ReviewDiagnostic]) {
        self.lock().for_each_review(name, |owner, tracked| {
            if owner == session && !tracked.is_proposal() {
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
            let inside: Vec<_> = inside.take(MAX_HUNK_DIAGNOSTICS).collect();
            if !inside.is_empty() {
                now.insert(hunk.id, (self.review.decision_for(hunk).expected, inside));
            }
        }
        self.is_changed |= now != self.problems;
        self.problems = now;
    }

    /// The diagnostics of a hunk, if it is unchanged.
    pub(super) fn hunk_diagnostics(&self, hunk: &Hunk) -> &[ReviewDiagnostic] {
        match self.problems.get(&hunk.id) {
            Some((print, problems)) if *print == self.review.decision_for(hunk).expected => problems,
            _ => &[],
        }
    }
}
