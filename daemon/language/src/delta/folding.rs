//! What is said more than once is told once: by the one who said it first, except that a grammar gives way to everyone else,
//! because it sees that something is wrong but not what.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use copydesk_text::Position;

use super::Problem;
use crate::diagnostic::Severity;
use crate::source::TREE_SITTER;

/// The same words, or the same code, at the same place.
type Key = (PathBuf, Position, Severity, String);

/// What was told so far.
#[derive(Debug, Default)]
pub(super) struct Folding {
    words: HashSet<Key>,
    /// By whom, the source and the one that it speaks for.
    codes: HashMap<Key, (String, Option<String>)>,
}

impl Folding {
    /// Those that are not yet told.
    pub(super) fn folded(&mut self, mut problems: Vec<Problem>) -> Vec<Problem> {
        let line = |problem: &Problem| (problem.path.clone(), problem.diagnostic.span.start.line);
        let is_syntax = |problem: &Problem| problem.source == TREE_SITTER;
        if problems.iter().any(is_syntax) {
            let errors = problems.iter().filter(|problem| problem.diagnostic.severity == Severity::Error);
            let told: HashSet<_> = errors.filter(|problem| !is_syntax(problem)).map(line).collect();
            problems.retain(|problem| !is_syntax(problem) || !told.contains(&line(problem)));
        }
        problems.retain(|problem| self.is_first(problem));
        problems
    }

    fn is_first(&mut self, problem: &Problem) -> bool {
        let item = &problem.diagnostic;
        let key =
            |words: &str| -> Key { (problem.path.clone(), item.span.start, item.severity, words.to_owned()) };
        if !self.words.insert(key(&item.message)) {
            return false;
        }
        // Different speakers have different words for the same thing, but the same code.
        let Some(code) = &item.code else { return true };
        let speaker = (problem.source.clone(), item.source.clone());
        let first = self.codes.entry(key(code)).or_insert_with(|| speaker.clone());
        *first == speaker
    }
}
