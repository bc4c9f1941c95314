//! What a change did to the problems: new ones, fixed ones, those that remain, and those of which nobody knows whether they are new,
//! because it is not known what was said before.
//!
//! A problem is the same as one before if the same speaker says the same words of the same place, moved through the change; or, where the
//! change touched its lines, of a place among the lines that stand there now. Equal problems are counted: of two of which one was fixed,
//! one remains. What reads differently is another problem (see `matching` for the one exception).
//! What several speakers say of the same place is one problem (see `deduplicate`). Where another source has proof, the grammar is not heard: what it
//! takes for wrong may be newer than it, or a macro.
//!
//! Invariant: what is said of a text as it was before is never new.
//! Invariant: what is not known is neither fixed nor new nor remaining.

mod deduplicate;
mod matching;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::baseline::{Baseline, ShiftedDiagnostic};
use copydesk_servers::diagnostic::{Diagnostic, Severity};
use copydesk_servers::report::{DiagnosticsReport, Proof, Verdict};
use copydesk_servers::sanitize;
use copydesk_servers::source::TREE_SITTER;
use deduplicate::Deduplicator;
use matching::match_diagnostics;

/// The worst first, then in the order in which the files were told of, then as in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiagnosticsDelta {
    /// What is less severe than this is left out.
    pub min_severity: Severity,
    /// Who answered for which file, in the order of the reports.
    pub sources: Vec<SourceStatus>,
    pub new: Vec<ReportedDiagnostic>,
    /// There now; what was there before is not known.
    pub unsure: Vec<ReportedDiagnostic>,
    pub remaining: Vec<ReportedDiagnostic>,
    /// At the places that they had.
    pub fixed: Vec<ReportedDiagnostic>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceStatus {
    pub path: PathBuf,
    pub source: String,
    pub proof: Proof,
    /// Where it is unknown.
    pub why: Option<String>,
    /// It is unknown, and may be known later.
    pub is_pending: bool,
    /// It is known what was said before.
    pub has_baseline: bool,
    /// How many of those that are new, or may be, another one said first: they are told as that one's.
    pub duplicate_count: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedDiagnostic {
    pub path: Arc<Path>,
    /// Whose report it is from.
    pub source: Arc<str>,
    pub proof: Proof,
    pub diagnostic: Diagnostic,
}

impl ReportedDiagnostic {
    /// In one line, for a person.
    pub fn message(&self) -> String {
        sanitize::sanitize_line(&self.diagnostic.message, 500)
    }

    /// The same of its code, where it has one.
    pub fn code(&self) -> Option<String> {
        self.diagnostic
            .code
            .as_deref()
            .filter(|code| !code.is_empty())
            .map(|code| sanitize::sanitize_line(code, 80))
    }
}

impl DiagnosticsDelta {
    /// Of two that are of the same source and file the later one counts.
    pub(crate) fn compute(before: &[Baseline], after: &[DiagnosticsReport], least: Severity) -> Self {
        let mut baselines: HashMap<(&Path, Option<&str>), &Baseline> = HashMap::new();
        for baseline in before {
            baselines.insert((&baseline.path, baseline.source.as_deref()), baseline);
        }
        let mut delta = Self {
            min_severity: least,
            sources: Vec::new(),
            new: Vec::new(),
            unsure: Vec::new(),
            remaining: Vec::new(),
            fixed: Vec::new(),
        };
        let after = latest(after);
        let is_syntax = |report: &DiagnosticsReport| report.source == TREE_SITTER;
        let others =
            after.iter().filter(|report| !is_syntax(report) && report.verdict.proof() == Proof::Proven);
        let proven: HashSet<_> = others.map(|report| report.path.as_os_str()).collect();
        let is_heard =
            |report: &&&DiagnosticsReport| !is_syntax(report) || !proven.contains(report.path.as_os_str());
        for report in after.iter().filter(is_heard) {
            let of = |source| baselines.get(&(report.path.as_path(), source));
            let baseline = of(Some(report.source.as_str())).or_else(|| of(None));
            delta.add(report, baseline.and_then(|baseline| baseline.diagnostics.as_deref()));
        }
        delta.ordered()
    }

    fn add(&mut self, report: &DiagnosticsReport, before: Option<&[ShiftedDiagnostic]>) {
        let why = match &report.verdict {
            Verdict::Unknown { why } | Verdict::Unchecked { why } => Some(why.clone()),
            Verdict::Proven(_) | Verdict::Likely(_) => None,
        };
        self.sources.push(SourceStatus {
            path: report.path.clone(),
            source: report.source.clone(),
            proof: report.verdict.proof(),
            why,
            is_pending: matches!(report.verdict, Verdict::Unknown { .. }),
            has_baseline: before.is_some(),
            duplicate_count: 0,
        });
        let Some(after) = report.verdict.diagnostics() else { return };
        let (path, source): (Arc<Path>, Arc<str>) =
            (report.path.as_path().into(), report.source.as_str().into());
        let problem = |diagnostic: &Diagnostic| ReportedDiagnostic {
            path: Arc::clone(&path),
            source: Arc::clone(&source),
            proof: report.verdict.proof(),
            diagnostic: diagnostic.clone(),
        };
        let is_wanted = |diagnostic: &Diagnostic| diagnostic.severity <= self.min_severity;
        let after: Vec<_> = after.iter().filter(|item| is_wanted(item)).collect();
        let Some(before) = before else {
            self.unsure.extend(after.into_iter().map(problem));
            return;
        };
        let before: Vec<_> = before.iter().filter(|item| is_wanted(&item.diagnostic)).collect();
        let mut is_left = vec![true; before.len()];
        for (item, same) in after.iter().zip(match_diagnostics(&before, &after)) {
            match same {
                Some(same) => {
                    is_left.get_mut(same).map(|left| std::mem::replace(left, false));
                    self.remaining.push(problem(item));
                }
                None => self.new.push(problem(item)),
            }
        }
        let left = before.iter().zip(is_left).filter(|(_, is_left)| *is_left);
        let was = |item: &ShiftedDiagnostic| {
            problem(&Diagnostic { span: item.previous_span, ..item.diagnostic.clone() })
        };
        self.fixed.extend(left.map(|(item, _)| was(item)));
    }

    /// In order, and each told once.
    fn ordered(mut self) -> Self {
        let mut files: HashMap<PathBuf, usize> = HashMap::new();
        for answer in &self.sources {
            let next = files.len();
            files.entry(answer.path.clone()).or_insert(next);
        }
        let place = |problem: &ReportedDiagnostic| {
            let file = files.get(&*problem.path).copied().unwrap_or(usize::MAX);
            (problem.diagnostic.severity, file, problem.diagnostic.span)
        };
        for list in [&mut self.new, &mut self.unsure, &mut self.remaining, &mut self.fixed] {
            list.sort_by_cached_key(place);
        }
        let mut present = Deduplicator::default();
        let [remaining, new, unsure] =
            [&self.remaining, &self.new, &self.unsure].map(|list| present.mark_first(list));
        let fixed = Deduplicator::default().mark_first(&self.fixed);
        for (problem, _) in self
            .new
            .iter()
            .zip(&new)
            .chain(self.unsure.iter().zip(&unsure))
            .filter(|(_, is_first)| !**is_first)
        {
            let is_its = |answer: &&mut SourceStatus| {
                *answer.path == *problem.path && *answer.source == *problem.source
            };
            self.sources.iter_mut().find(is_its).into_iter().for_each(|answer| answer.duplicate_count += 1);
        }
        keep(&mut self.remaining, &remaining);
        keep(&mut self.new, &new);
        keep(&mut self.unsure, &unsure);
        keep(&mut self.fixed, &fixed);
        self
    }
}

fn keep(problems: &mut Vec<ReportedDiagnostic>, which: &[bool]) {
    let mut which = which.iter();
    problems.retain(|_| which.next() == Some(&true));
}

/// The last report of each source and file, in the order of the first.
fn latest(reports: &[DiagnosticsReport]) -> Vec<&DiagnosticsReport> {
    let mut places: HashMap<(&Path, &str), usize> = HashMap::new();
    let mut found: Vec<&DiagnosticsReport> = Vec::new();
    for report in reports {
        let place = *places.entry((&report.path, &report.source)).or_insert(found.len());
        match found.get_mut(place) {
            Some(earlier) => *earlier = report,
            None => found.push(report),
        }
    }
    found
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod speed_tests;
#[cfg(test)]
mod tests;
