//! What is said to be wrong in the lines of hunks.
//!
//! It is kept with the hunk as it was then: of one that is another by now nothing is said until somebody looks again.

use std::collections::HashMap;
use std::path::Path;

use copydesk_text::review::{Hunk, HunkId, Print};

use super::Reviews;
use super::tracked::Tracked;

/// Problems that one hunk is shown with.
const MOST: usize = 20;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Information,
    Hint,
}

/// One that an agent's edits caused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// From 0: of the text, and of a hunk's problems counted from its first line.
    pub line: usize,
    pub severity: Severity,
    pub code: Option<String>,
    /// Who says so.
    pub source: String,
    pub message: String,
}

/// Those of the hunks of a review, each with what the hunk was.
pub(super) type Problems = HashMap<HunkId, (Print, Vec<Problem>)>;

impl Reviews {
    /// All that is wrong with this text of a document because of a session's edits. What is of another text than there is now
    /// is not taken.
    pub fn found(&self, session: &str, name: &Path, text: &str, problems: &[Problem]) {
        self.lock().each(name, |of, tracked| {
            if of == session && !tracked.is_before() {
                tracked.found(text, problems);
            }
        });
    }
}

impl Tracked {
    fn found(&mut self, text: &str, problems: &[Problem]) {
        let is_nothing = problems.is_empty() && self.problems.is_empty();
        if is_nothing || self.review.text() != text {
            return;
        }
        let mut now = Problems::new();
        for (hunk, first) in self.review.lines() {
            let lines = first..first + self.review.now(hunk).lines().count();
            let inside = problems.iter().filter(|problem| lines.contains(&problem.line));
            let inside = inside.map(|problem| Problem { line: problem.line - first, ..problem.clone() });
            let inside: Vec<_> = inside.take(MOST).collect();
            if !inside.is_empty() {
                now.insert(hunk.id, (self.review.decision(hunk).expected, inside));
            }
        }
        self.is_changed |= now != self.problems;
        self.problems = now;
    }

    /// Those that are known of a hunk as it is.
    pub(super) fn problems_of(&self, hunk: &Hunk) -> &[Problem] {
        match self.problems.get(&hunk.id) {
            Some((print, problems)) if *print == self.review.decision(hunk).expected => problems,
            _ => &[],
        }
    }
}
