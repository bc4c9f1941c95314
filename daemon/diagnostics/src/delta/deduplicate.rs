//! Drops diagnostics that several sources report: the first source keeps it. The syntax source yields to every other
//! one, because it sees that something is wrong but not what.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;

use copydesk_text::Position;

use super::ReportedDiagnostic;
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::source::TREE_SITTER;

/// The same message, or the same code, at the same position.
type DuplicateKey<'a> = (&'a OsStr, Position, Severity, &'a str);

/// What was listed so far.
#[derive(Debug, Default)]
pub(super) struct Deduplicator<'a> {
    words: HashSet<DuplicateKey<'a>>,
    /// With its speaker: the source, and the tool whose diagnostics the source passes on.
    codes: HashMap<DuplicateKey<'a>, (&'a str, Option<&'a str>)>,
}

impl<'a> Deduplicator<'a> {
    /// Marks the diagnostics that are not listed yet.
    pub(super) fn mark_first(&mut self, problems: &'a [ReportedDiagnostic]) -> Vec<bool> {
        let line =
            |problem: &'a ReportedDiagnostic| (problem.path.as_os_str(), problem.diagnostic.span.start.line);
        let is_syntax = |problem: &ReportedDiagnostic| *problem.source == *TREE_SITTER;
        let mut error_lines = HashSet::new();
        if problems.iter().any(is_syntax) {
            let errors = problems.iter().filter(|problem| problem.diagnostic.severity == Severity::Error);
            error_lines.extend(errors.filter(|problem| !is_syntax(problem)).map(line));
        }
        let yields =
            |problem: &'a ReportedDiagnostic| is_syntax(problem) && error_lines.contains(&line(problem));
        problems.iter().map(|problem| !yields(problem) && self.is_first(problem)).collect()
    }

    fn is_first(&mut self, problem: &'a ReportedDiagnostic) -> bool {
        let item = &problem.diagnostic;
        let key = |words: &'a str| (problem.path.as_os_str(), item.span.start, item.severity, words);
        if !self.words.insert(key(&item.message)) {
            return false;
        }
        // Speakers word the same problem differently, but give it the same code.
        let Some(code) = &item.code else { return true };
        let speaker = (&*problem.source, item.source.as_deref());
        *self.codes.entry(key(code)).or_insert(speaker) == speaker
    }
}
