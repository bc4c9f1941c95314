//! Groups the sources' reports: one line for each source, proof and presence of a baseline.

use std::collections::BTreeSet;
use std::path::Path;

use super::{display_path, proof, thing};
use crate::delta::{DiagnosticsDelta, ReportedDiagnostic, SourceStatus};
use copydesk_servers::report::Proof;
use copydesk_servers::sanitize;
use copydesk_servers::source::TREE_SITTER;

/// The cap on files that one line names.
const MAX_NAMED_FILES: usize = 3;

pub(super) struct SourceGroup<'a> {
    pub(super) source: &'a str,
    proof: Proof,
    why: Option<&'a str>,
    has_baseline: bool,
    files: BTreeSet<&'a Path>,
    /// The same source has another group, for other files.
    is_partial: bool,
    /// Another source reported some of its diagnostics first.
    has_duplicates: bool,
    pub(super) problems: Vec<&'a ReportedDiagnostic>,
}

impl<'a> SourceGroup<'a> {
    fn is_of(&self, answer: &SourceStatus) -> bool {
        let is_known = self.proof != Proof::Unknown;
        self.source == answer.source
            && self.proof == answer.proof
            && self.why == answer.why.as_deref()
            && (!is_known || self.has_baseline == answer.has_baseline)
    }

    fn new(answer: &'a SourceStatus) -> Self {
        Self {
            source: &answer.source,
            proof: answer.proof,
            why: answer.why.as_deref(),
            has_baseline: answer.has_baseline,
            files: BTreeSet::new(),
            is_partial: false,
            has_duplicates: false,
            problems: Vec::new(),
        }
    }

    /// The group's line in the text.
    pub(super) fn headline(&self, delta: &DiagnosticsDelta, root: &Path) -> String {
        let least = delta.min_severity;
        let source = sanitize::sanitize_line(self.source, 80);
        // The model should know what "no new errors" covers. A syntax check proves nothing about types.
        let is_syntax = self.source == TREE_SITTER;
        let source = if is_syntax { format!("{source}, syntax only") } else { source };
        let files = self.named(root);
        if self.proof == Proof::Unknown {
            let why = sanitize::sanitize_line(self.why.unwrap_or("it did not answer"), 300);
            let what =
                if self.is_partial { format!("not known for {files}") } else { proof(self.proof).into() };
            return format!("{source}: {what}: {why}");
        }
        let new = if self.has_baseline { "new " } else { "" };
        let other = if self.has_duplicates { "other " } else { "" };
        let count = match self.problems.len() {
            0 => format!("no {other}{new}{}s", thing(least)),
            1 => format!("1 {other}{new}{}", thing(least)),
            count => format!("{count} {other}{new}{}s", thing(least)),
        };
        let place =
            if self.is_partial && !self.has_baseline { format!(" in {files}") } else { String::new() };
        let is_clear = self.has_baseline || self.problems.is_empty() || !delta.is_comparison;
        let baseline_note = if is_clear {
            ""
        } else {
            " (what it said before is not known, so older and new ones cannot be told apart)"
        };
        let proof = if is_syntax { String::new() } else { format!(", {}", proof(self.proof)) };
        format!("{source}{proof}: {count}{place}{baseline_note}")
    }

    fn named(&self, root: &Path) -> String {
        let names: Vec<_> =
            self.files.iter().take(MAX_NAMED_FILES).map(|file| display_path(file, root)).collect();
        let more = self.files.len().saturating_sub(MAX_NAMED_FILES);
        let more = if more > 0 { format!(" and {more} more files") } else { String::new() };
        names.join(", ") + &more
    }
}

/// In the order of the sources' reports; within a source, known verdicts first. A syntax source without findings gets
/// no line beside a source that knows more.
pub(super) fn group_by_source(delta: &DiagnosticsDelta) -> Vec<SourceGroup<'_>> {
    let mut groups: Vec<SourceGroup<'_>> = Vec::new();
    for answer in &delta.sources {
        let at = groups.iter().position(|group| group.is_of(answer)).unwrap_or_else(|| {
            groups.push(SourceGroup::new(answer));
            groups.len() - 1
        });
        groups.get_mut(at).into_iter().for_each(|group| {
            group.files.insert(&answer.path);
            group.has_duplicates |= answer.duplicate_count > 0;
        });
    }
    for (list, has_baseline) in [(&delta.new, true), (&delta.unsure, false)] {
        for problem in list {
            let is_its = |group: &&mut SourceGroup<'_>| {
                let known = (group.source, group.proof, group.has_baseline);
                known == (&problem.source, problem.proof, has_baseline)
            };
            groups.iter_mut().find(is_its).into_iter().for_each(|group| group.problems.push(problem));
        }
    }
    let mut order: Vec<&str> = Vec::new();
    for group in &groups {
        if !order.contains(&group.source) {
            order.push(group.source);
        }
    }
    let place = |group: &SourceGroup<'_>| order.iter().position(|source| *source == group.source);
    groups.sort_by_key(|group| (place(group), group.proof, !group.has_baseline));
    let others_know =
        delta.sources.iter().any(|answer| answer.source != TREE_SITTER && answer.proof != Proof::Unknown);
    groups.retain(|group| {
        let is_silent = group.source == TREE_SITTER && group.problems.is_empty();
        !(is_silent && others_know)
    });
    let sources: Vec<_> = groups.iter().map(|group| group.source).collect();
    for group in &mut groups {
        group.is_partial = sources.iter().filter(|source| **source == group.source).count() > 1;
    }
    groups
}
