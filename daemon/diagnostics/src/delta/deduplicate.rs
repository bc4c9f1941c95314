//! What is said more than once is told once: by the one who said it first, except that a grammar gives way to everyone else,
//! because it sees that something is wrong but not what.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;

use copydesk_text::Position;

use super::ReportedDiagnostic;
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::source::TREE_SITTER;

/// The same words, or the same code, at the same place.
type DuplicateKey<'a> = (&'a OsStr, Position, Severity, &'a str);

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Deduplicator<'a> {
    words: HashSet<DuplicateKey<'a>>,
    /// By whom, the source and the one that it speaks for.
    codes: HashMap<DuplicateKey<'a>, (&'a str, Option<&'a str>)>,
}

impl<'a> Deduplicator<'a> {
    /// Which of them are not yet told.
    pub(super) fn mark_first(&mut self, problems: &'a [ReportedDiagnostic]) -> Vec<bool> {
        let line =
            |problem: &'a ReportedDiagnostic| (problem.path.as_os_str(), problem.diagnostic.span.start.line);
        let is_syntax = |problem: &ReportedDiagnostic| *problem.source == *TREE_SITTER;
        let mut told = HashSet::new();
        if problems.iter().any(is_syntax) {
            let errors = problems.iter().filter(|problem| problem.diagnostic.severity == Severity::Error);
            told.extend(errors.filter(|problem| !is_syntax(problem)).map(line));
        }
        let gives_way = |problem: &'a ReportedDiagnostic| is_syntax(problem) && told.contains(&line(problem));
        problems.iter().map(|problem| !gives_way(problem) && self.is_first(problem)).collect()
    }

    fn is_first(&mut self, problem: &'a ReportedDiagnostic) -> bool {
        let item = &problem.diagnostic;
        let key = |words: &'a str| (problem.path.as_os_str(), item.span.start, item.severity, words);
        if !self.words.insert(key(&item.message)) {
            return false;
        }
        // Different speakers have different words for the same thing, but the same code.
        let Some(code) = &item.code else { return true };
        let speaker = (&*problem.source, item.source.as_deref());
        *self.codes.entry(key(code)).or_insert(speaker) == speaker
    }
}
