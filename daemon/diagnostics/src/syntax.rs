//! Syntax errors of a text, found with tree-sitter: always available, fast, and for exactly the given text.
//!
//! A text without syntax errors may still be wrong in every other way. A text with one is wrong, unless only a
//! preprocessor or a template engine could tell ([`GrammarStrictness`]): the verdict is then likely or
//! unknown.
//! Parsing runs on a blocking thread. The verdict on a text that is too large, or takes too long, is unknown.

mod faults;
mod tree_cache;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use tree_sitter::Node;

use copydesk_servers::diagnostic::Diagnostic;
use copydesk_servers::report::{DiagnosticsReport, Verdict};
use copydesk_servers::source::{CheckFuture, CheckedDocument, DiagnosticsSource, TREE_SITTER};
use copydesk_syntax::grammar::{self, Grammar, GrammarStrictness};
use copydesk_syntax::parse;
use tree_cache::{ParsedDocument, SyntaxTreeCache};

use crate::time_limits::{PARSE_TIMEOUT, SYNTAX_TREE_IDLE_TIME};

/// No user wrote a larger text by hand.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// The errors that the parser finds depend a little on the tree it started from. So that the verdict on a text is
/// always the same, a text with errors is parsed again from scratch, unless it is so large that this takes noticeable
/// time.
const MAX_REPARSED_BYTES: usize = 64 << 10;

#[derive(Debug, Default, Clone)]
pub struct SyntaxSource {
    trees: Arc<Mutex<SyntaxTreeCache>>,
}

impl SyntaxSource {
    /// Whether a grammar is built in for this file.
    pub fn serves(path: &Path) -> bool {
        grammar::grammar_for(path).is_some()
    }

    /// Parses the text, which may take a while.
    fn verdict_for(&self, grammar: &'static Grammar, subject: &CheckedDocument, until: Instant) -> Verdict {
        if subject.text.len() > MAX_TEXT_BYTES {
            return unknown("the file is larger than 4 MB");
        }
        let earlier = lock(&self.trees).get(&subject.path, &subject.text).cloned();
        let earlier = earlier.filter(|earlier| earlier.grammar == grammar.name);
        let Some(parsed) = parse_document(grammar, subject, earlier, until) else {
            return unknown("parsing it took too long");
        };
        let found = parsed.diagnostics.clone();
        lock(&self.trees).put(subject.path.clone(), parsed);
        judge(grammar, &subject.text, found)
    }

    /// Starts the eviction of unused trees, unless it runs.
    fn start_eviction(&self) {
        if !std::mem::replace(&mut lock(&self.trees).is_eviction_running, true) {
            tokio::spawn(evict_unused(Arc::downgrade(&self.trees)));
        }
    }
}

/// Runs until the cache is empty.
async fn evict_unused(trees: Weak<Mutex<SyntaxTreeCache>>) {
    loop {
        let before = Instant::now();
        tokio::time::sleep(SYNTAX_TREE_IDLE_TIME).await;
        let Some(trees) = trees.upgrade() else { return };
        let mut trees = lock(&trees);
        trees.is_eviction_running = trees.evict_older(before);
        if !trees.is_eviction_running {
            return;
        }
    }
}

fn lock(trees: &Mutex<SyntaxTreeCache>) -> MutexGuard<'_, SyntaxTreeCache> {
    trees.lock().unwrap_or_else(PoisonError::into_inner)
}

fn parse_document(
    grammar: &'static Grammar,
    subject: &CheckedDocument,
    earlier: Option<ParsedDocument>,
    until: Instant,
) -> Option<ParsedDocument> {
    if let Some(same) = earlier.as_ref().filter(|earlier| earlier.text == subject.text) {
        return Some(same.clone());
    }
    let language = (grammar.language)();
    let old = earlier.and_then(|earlier| parse::edit_tree(&earlier.tree, &earlier.text, &subject.text));
    let mut tree = parse::parse_tree(&language, &subject.text, old.as_ref(), until)?;
    if old.is_some() && tree.root_node().has_error() && subject.text.len() <= MAX_REPARSED_BYTES {
        tree = parse::parse_tree(&language, &subject.text, None, until)?;
    }
    let allows_comma = grammar.name == "json" && grammar::allows_trailing_comma(&subject.path);
    let is_last_comma = |node: Node<'_>| {
        allows_comma && subject.text.get(node.byte_range()).is_some_and(|text| text.trim() == ",")
    };
    let found = faults::find_faults(&tree, &subject.text, &is_last_comma);
    Some(ParsedDocument { grammar: grammar.name, text: subject.text.clone(), tree, diagnostics: found })
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
