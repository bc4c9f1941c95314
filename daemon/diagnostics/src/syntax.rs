//! Syntax errors of a text, found with tree-sitter: always available, fast, and for exactly the given text.
//!
//! A text without syntax errors may still be wrong in every other way. A text with one is wrong, unless only a
//! preprocessor or a template engine could tell ([`GrammarStrictness`]): the verdict is then likely or
//! unknown.
//! Parsing runs on a blocking thread. The verdict on a text that is too large, or takes too long, is unknown.

mod faults;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tree_sitter::Node;

use copydesk_servers::diagnostic::Diagnostic;
use copydesk_servers::report::{DiagnosticsReport, Verdict};
use copydesk_servers::source::{CheckFuture, CheckedDocument, DiagnosticsSource, TREE_SITTER};
use copydesk_syntax::grammar::{self, Grammar, GrammarStrictness};
use copydesk_syntax::tree_cache::SyntaxTrees;

use crate::time_limits::{PARSE_TIMEOUT, SYNTAX_TREE_IDLE_TIME};

/// No user wrote a larger text by hand.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// Clones share their trees.
#[derive(Debug, Default, Clone)]
pub struct SyntaxSource {
    trees: SyntaxTrees,
    /// A task evicts unused trees.
    is_eviction_running: Arc<AtomicBool>,
}

impl SyntaxSource {
    /// The trees, for others who ask about the same texts.
    pub fn trees(&self) -> SyntaxTrees {
        self.trees.clone()
    }

    /// Whether a grammar is built in for this file.
    pub fn serves(path: &Path) -> bool {
        grammar::grammar_for(path).is_some()
    }

    /// Parses the text, which may take a while.
    fn verdict_for(&self, grammar: &Grammar, subject: &CheckedDocument, until: Instant) -> Verdict {
        if subject.text.len() > MAX_TEXT_BYTES {
            return unknown("the file is larger than 4 MB");
        }
        let Some(tree) = self.trees.parse(grammar, &subject.path, &subject.text, until) else {
            return unknown("parsing it took too long");
        };
        let allows_comma = grammar.name == "json" && grammar::allows_trailing_comma(&subject.path);
        let is_last_comma = |node: Node<'_>| {
            allows_comma && subject.text.get(node.byte_range()).is_some_and(|text| text.trim() == ",")
        };
        judge(grammar, &subject.text, faults::find_faults(&tree, &subject.text, &is_last_comma))
    }

    /// Starts the eviction of unused trees, unless it runs.
    fn start_eviction(&self) {
        if !self.is_eviction_running.swap(true, Ordering::SeqCst) {
            tokio::spawn(self.clone().evict_unused());
        }
    }

    /// Runs until no tree is left.
    async fn evict_unused(self) {
        loop {
            let before = Instant::now();
            tokio::time::sleep(SYNTAX_TREE_IDLE_TIME).await;
            if self.trees.evict_older(before) {
                continue;
            }
            self.is_eviction_running.store(false, Ordering::SeqCst);
            // A tree that came meanwhile relies on this task.
            if !self.trees.evict_older(before) || self.is_eviction_running.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    }
}

fn judge(grammar: &Grammar, text: &str, found: Vec<Diagnostic>) -> Verdict {
    // `${{ … }}` stands in strings of workflow files.
    let is_template = || {
        let braces =
            text.match_indices("{{").any(|(at, _)| !text.get(..at).is_some_and(|text| text.ends_with('$')));
        braces || text.contains("{%") || text.contains("<%")
    };
    match grammar.strictness {
        _ if found.is_empty() => Verdict::Proven(found),
        GrammarStrictness::Code => Verdict::Proven(found),
        GrammarStrictness::Loose => Verdict::Likely(found),
        GrammarStrictness::Data if is_template() => unknown("it seems to be a template"),
        GrammarStrictness::Data => Verdict::Proven(found),
    }
}

fn unknown(why: &str) -> Verdict {
    Verdict::Unknown { why: why.to_owned() }
}

impl DiagnosticsSource for SyntaxSource {
    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: tokio::time::Instant) -> CheckFuture<'a> {
        let served: Vec<_> = subjects
            .iter()
            .filter_map(|subject| Some((grammar::grammar_for(&subject.path)?, subject.clone())))
            .collect();
        Box::pin(async move {
            let mut reports = Vec::with_capacity(served.len());
            if !served.is_empty() {
                self.start_eviction();
            }
            for (grammar, subject) in served {
                let (path, syntax) = (subject.path.clone(), self.clone());
                let work = move || {
                    let until = until.into_std().min(Instant::now() + PARSE_TIMEOUT);
                    syntax.verdict_for(grammar, &subject, until)
                };
                let parsed = tokio::time::timeout_at(until, tokio::task::spawn_blocking(work)).await;
                let verdict = match parsed {
                    Ok(Ok(verdict)) => verdict,
                    Ok(Err(_)) => unknown("the parser failed"),
                    Err(_) => unknown("there was no time left to parse it"),
                };
                reports.push(DiagnosticsReport::new(path, TREE_SITTER, verdict));
            }
            reports
        })
    }

    /// A proposed text is parsed like any other.
    fn check_proposed<'a>(
        &'a self,
        subjects: &'a [CheckedDocument],
        until: tokio::time::Instant,
    ) -> CheckFuture<'a> {
        self.check(subjects, until)
    }
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod speed_tests;
#[cfg(test)]
mod tests;
