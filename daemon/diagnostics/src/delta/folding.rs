//! What is said more than once is told once: by the one who said it first, except that a grammar gives way to everyone else,
//! because it sees that something is wrong but not what.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;

use copydesk_text::Position;

use super::Problem;
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::source::TREE_SITTER;

/// The same words, or the same code, at the same place.
type Key<'a> = (&'a OsStr, Position, Severity, &'a str);

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Folding<'a> {
    words: HashSet<Key<'a>>,
    /// By whom, the source and the one that it speaks for.
    codes: HashMap<Key<'a>, (&'a str, Option<&'a str>)>,
}

impl<'a> Folding<'a> {
    /// Which of them are not yet told.
    pub(super) fn firsts(&mut self, problems: &'a [Problem]) -> Vec<bool> {
        let line = |problem: &'a Problem| (problem.path.as_os_str(), problem.diagnostic.span.start.line);
        let is_syntax = |problem: &Problem| *problem.source == *TREE_SITTER;
        let mut told = HashSet::new();
        if problems.iter().any(is_syntax) {
            let errors = problems.iter().filter(|problem| problem.diagnostic.severity == Severity::Error);
            told.extend(errors.filter(|problem| !is_syntax(problem)).map(line));
        }
        let gives_way = |problem: &'a Problem| is_syntax(problem) && told.contains(&line(problem));
        problems.iter().map(|problem| !gives_way(problem) && self.is_first(problem)).collect()
    }

    fn is_first(&mut self, problem: &'a Problem) -> bool {
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
