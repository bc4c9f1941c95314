//! What a change did to the diagnostics: new, fixed, remaining, and *unsure* ones, whose baseline is unknown.
//!
//! A diagnostic is the same as an earlier one if the same speaker says the same words at the same position, moved
//! through the change. If the change touched its lines, any position in the lines that replaced them will do. Equal
//! diagnostics are counted: if one of two is fixed, one remains. Different words make a different diagnostic
//! (`matching` has the one exception). If several speakers say the same of one position, it counts as one diagnostic
//! (see `deduplicate`). The syntax source is ignored where another source has proof: its grammar may be older than the
//! language, or not know a macro.
//!
//! Invariant: what a source already said of the text before the change is never new.
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

/// Sorted by severity (worst first), then by the order of the files in the reports, then by position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DiagnosticsDelta {
    /// Less severe diagnostics are left out.
    pub min_severity: Severity,
    /// It compares with a baseline. Otherwise all diagnostics are listed, as `unsure`.
    pub is_comparison: bool,
    /// Which source reported on which file, in the order of the reports.
    pub sources: Vec<SourceStatus>,
    pub new: Vec<ReportedDiagnostic>,
    /// Present now; the baseline is unknown.
    pub unsure: Vec<ReportedDiagnostic>,
    pub remaining: Vec<ReportedDiagnostic>,
    /// At their old positions.
    pub fixed: Vec<ReportedDiagnostic>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceStatus {
    pub path: PathBuf,
    pub source: String,
    pub proof: Proof,
    /// Set if the verdict is unknown.
    pub why: Option<String>,
    /// The verdict is unknown, and may be known later.
    pub is_pending: bool,
    pub has_baseline: bool,
    /// How many of its new or unsure diagnostics another source reported first. They are listed as that source's.
    pub duplicate_count: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedDiagnostic {
    pub path: Arc<Path>,
    /// The source of the report.
    pub source: Arc<str>,
    pub proof: Proof,
    pub diagnostic: Diagnostic,
}

impl ReportedDiagnostic {
    /// In one line, for the user.
    pub fn message(&self) -> String {
        sanitize::sanitize_line(&self.diagnostic.message, 500)
    }

    pub fn code(&self) -> Option<String> {
        self.diagnostic
            .code
            .as_deref()
            .filter(|code| !code.is_empty())
            .map(|code| sanitize::sanitize_line(code, 80))
    }
}

impl DiagnosticsDelta {
    /// If two reports have the same source and file, the later one counts.
    pub(crate) fn compute(before: &[Baseline], after: &[DiagnosticsReport], least: Severity) -> Self {
        let mut baselines: HashMap<(&Path, Option<&str>), &Baseline> = HashMap::new();
        for baseline in before {
            baselines.insert((&baseline.path, baseline.source.as_deref()), baseline);
        }
        let mut delta = Self {
            min_severity: least,
            is_comparison: true,
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
        let counts =
            |report: &&&DiagnosticsReport| !is_syntax(report) || !proven.contains(report.path.as_os_str());
        for report in after.iter().filter(counts) {
            let baseline_of = |source| baselines.get(&(report.path.as_path(), source));
            let baseline = baseline_of(Some(report.source.as_str())).or_else(|| baseline_of(None));
            delta.add(report, baseline.and_then(|baseline| baseline.diagnostics.as_deref()));
        }
        delta.sorted()
    }

    /// All diagnostics of the reports, old and new.
    pub(crate) fn list(reports: &[DiagnosticsReport], least: Severity) -> Self {
        Self { is_comparison: false, ..Self::compute(&[], reports, least) }
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
        let mut is_fixed = vec![true; before.len()];
        for (item, same) in after.iter().zip(match_diagnostics(&before, &after)) {
            match same {
                Some(same) => {
                    is_fixed.get_mut(same).map(|fixed| std::mem::replace(fixed, false));
                    self.remaining.push(problem(item));
                }
                None => self.new.push(problem(item)),
            }
        }
        let fixed = before.iter().zip(is_fixed).filter(|(_, is_fixed)| *is_fixed);
        let at_old_position = |item: &ShiftedDiagnostic| {
            problem(&Diagnostic { span: item.previous_span, ..item.diagnostic.clone() })
        };
        self.fixed.extend(fixed.map(|(item, _)| at_old_position(item)));
    }

    /// Sorts the lists and drops duplicates.
    fn sorted(mut self) -> Self {
        let mut files: HashMap<PathBuf, usize> = HashMap::new();
        for answer in &self.sources {
            let next = files.len();
            files.entry(answer.path.clone()).or_insert(next);
        }
        let sort_key = |problem: &ReportedDiagnostic| {
            let file = files.get(&*problem.path).copied().unwrap_or(usize::MAX);
            (problem.diagnostic.severity, file, problem.diagnostic.span)
        };
        for list in [&mut self.new, &mut self.unsure, &mut self.remaining, &mut self.fixed] {
            list.sort_by_cached_key(sort_key);
        }
        let mut deduplicator = Deduplicator::default();
        let [remaining, new, unsure] =
            [&self.remaining, &self.new, &self.unsure].map(|list| deduplicator.mark_first(list));
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
        retain_marked(&mut self.remaining, &remaining);
        retain_marked(&mut self.new, &new);
        retain_marked(&mut self.unsure, &unsure);
        retain_marked(&mut self.fixed, &fixed);
        self
    }
}

fn retain_marked(problems: &mut Vec<ReportedDiagnostic>, which: &[bool]) {
    let mut which = which.iter();
    problems.retain(|_| which.next() == Some(&true));
}

/// The last report of each source and file, in the order of their first reports.
fn latest(reports: &[DiagnosticsReport]) -> Vec<&DiagnosticsReport> {
    let mut indexes: HashMap<(&Path, &str), usize> = HashMap::new();
    let mut latest_reports: Vec<&DiagnosticsReport> = Vec::new();
    for report in reports {
        let index = *indexes.entry((&report.path, &report.source)).or_insert(latest_reports.len());
        match latest_reports.get_mut(index) {
            Some(earlier) => *earlier = report,
            None => latest_reports.push(report),
        }
    }
    latest_reports
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod speed_tests;
#[cfg(test)]
mod tests;
