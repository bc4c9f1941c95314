//! What a change did to the problems: new ones, fixed ones, those that remain, and those of which nobody knows whether they are new,
//! because it is not known what was said before.
//!
//! A problem is the same as one before if the same speaker says the same words of the same place, moved through the change; or, where the
//! change touched its lines, of a place among the lines that stand there now. Equal problems are counted: of two of which one was fixed,
//! one remains. What reads differently is another problem (see `matching` for the one exception).
//! What several speakers say of the same place is one problem (see `folding`). Where another source has proof, the grammar is not heard: what it
//! takes for wrong may be newer than it, or a macro.
//!
//! Invariant: what is said of a text as it was before is never new.
//! Invariant: what is not known is neither fixed nor new nor remaining.

mod folding;
mod matching;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::baseline::{Baseline, Moved};
use copydesk_servers::clean;
use copydesk_servers::diagnostic::{Diagnostic, Severity};
use copydesk_servers::report::{Proof, Report, Said};
use copydesk_servers::source::TREE_SITTER;
use folding::Folding;
use matching::matched;

/// The worst first, then in the order in which the files were told of, then as in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Delta {
    /// What is less severe than this is left out.
    pub least: Severity,
    /// Who answered for which file, in the order of the reports.
    pub answers: Vec<Answer>,
    pub new: Vec<Problem>,
    /// There now; what was there before is not known.
    pub unsure: Vec<Problem>,
    pub remaining: Vec<Problem>,
    /// At the places that they had.
    pub fixed: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub path: PathBuf,
    pub source: String,
    pub proof: Proof,
    /// Where it is unknown.
    pub why: Option<String>,
    /// It is unknown, and may be known later.
    pub is_open: bool,
    /// It is known what was said before.
    pub has_baseline: bool,
    /// How many of those that are new, or may be, another one said first: they are told as that one's.
    pub again: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: Arc<Path>,
    /// Whose report it is from.
    pub source: Arc<str>,
    pub proof: Proof,
    pub diagnostic: Diagnostic,
}

impl Problem {
    /// In one line, for a person.
    pub fn message(&self) -> String {
        clean::line(&self.diagnostic.message, 500)
    }

    /// The same of its code, where it has one.
    pub fn code(&self) -> Option<String> {
        self.diagnostic.code.as_deref().filter(|code| !code.is_empty()).map(|code| clean::line(code, 80))
    }
}

impl Delta {
    /// Of two that are of the same source and file the later one counts.
    pub(crate) fn of(before: &[Baseline], after: &[Report], least: Severity) -> Self {
        let mut baselines: HashMap<(&Path, Option<&str>), &Baseline> = HashMap::new();
        for baseline in before {
            baselines.insert((&baseline.path, baseline.source.as_deref()), baseline);
        }
        let mut delta = Self {
            least,
            answers: Vec::new(),
            new: Vec::new(),
            unsure: Vec::new(),
            remaining: Vec::new(),
            fixed: Vec::new(),
        };
        let after = latest(after);
        let is_syntax = |report: &Report| report.source == TREE_SITTER;
        let others = after.iter().filter(|report| !is_syntax(report) && report.said.proof() == Proof::Proven);
        let proven: HashSet<_> = others.map(|report| report.path.as_os_str()).collect();
        let is_heard = |report: &&&Report| !is_syntax(report) || !proven.contains(report.path.as_os_str());
        for report in after.iter().filter(is_heard) {
            let of = |source| baselines.get(&(report.path.as_path(), source));
            let baseline = of(Some(report.source.as_str())).or_else(|| of(None));
            delta.add(report, baseline.and_then(|baseline| baseline.known.as_deref()));
        }
        delta.ordered()
    }

    fn add(&mut self, report: &Report, before: Option<&[Moved]>) {
        let why = match &report.said {
            Said::Unknown { why } | Said::Unasked { why } => Some(why.clone()),
            Said::Proven(_) | Said::Likely(_) => None,
        };
        self.answers.push(Answer {
            path: report.path.clone(),
            source: report.source.clone(),
            proof: report.said.proof(),
            why,
            is_open: matches!(report.said, Said::Unknown { .. }),
            has_baseline: before.is_some(),
            again: 0,
        });
        let Some(after) = report.said.diagnostics() else { return };
        let (path, source): (Arc<Path>, Arc<str>) =
            (report.path.as_path().into(), report.source.as_str().into());
        let problem = |diagnostic: &Diagnostic| Problem {
            path: Arc::clone(&path),
            source: Arc::clone(&source),
            proof: report.said.proof(),
            diagnostic: diagnostic.clone(),
        };
        let is_wanted = |diagnostic: &Diagnostic| diagnostic.severity <= self.least;
        let after: Vec<_> = after.iter().filter(|item| is_wanted(item)).collect();
        let Some(before) = before else {
            self.unsure.extend(after.into_iter().map(problem));
            return;
        };
        let before: Vec<_> = before.iter().filter(|item| is_wanted(&item.diagnostic)).collect();
        let mut is_left = vec![true; before.len()];
        for (item, same) in after.iter().zip(matched(&before, &after)) {
            match same {
                Some(same) => {
                    is_left.get_mut(same).map(|left| std::mem::replace(left, false));
                    self.remaining.push(problem(item));
                }
                None => self.new.push(problem(item)),
            }
        }
        let left = before.iter().zip(is_left).filter(|(_, is_left)| *is_left);
        let was = |item: &Moved| problem(&Diagnostic { span: item.was, ..item.diagnostic.clone() });
        self.fixed.extend(left.map(|(item, _)| was(item)));
    }

    /// In order, and each told once.
    fn ordered(mut self) -> Self {
        let mut files: HashMap<PathBuf, usize> = HashMap::new();
        for answer in &self.answers {
            let next = files.len();
            files.entry(answer.path.clone()).or_insert(next);
        }
        let place = |problem: &Problem| {
            let file = files.get(&*problem.path).copied().unwrap_or(usize::MAX);
            (problem.diagnostic.severity, file, problem.diagnostic.span)
        };
        for list in [&mut self.new, &mut self.unsure, &mut self.remaining, &mut self.fixed] {
            list.sort_by_cached_key(place);
        }
        let mut present = Folding::default();
        let [remaining, new, unsure] =
            [&self.remaining, &self.new, &self.unsure].map(|list| present.firsts(list));
        let fixed = Folding::default().firsts(&self.fixed);
        for (problem, _) in self
            .new
            .iter()
            .zip(&new)
            .chain(self.unsure.iter().zip(&unsure))
            .filter(|(_, is_first)| !**is_first)
        {
            let is_its =
                |answer: &&mut Answer| *answer.path == *problem.path && *answer.source == *problem.source;
            self.answers.iter_mut().find(is_its).into_iter().for_each(|answer| answer.again += 1);
        }
        keep(&mut self.remaining, &remaining);
        keep(&mut self.new, &new);
        keep(&mut self.unsure, &unsure);
        keep(&mut self.fixed, &fixed);
        self
    }
}

fn keep(problems: &mut Vec<Problem>, which: &[bool]) {
    let mut which = which.iter();
    problems.retain(|_| which.next() == Some(&true));
}

/// The last report of each source and file, in the order of the first.
fn latest(reports: &[Report]) -> Vec<&Report> {
    let mut places: HashMap<(&Path, &str), usize> = HashMap::new();
    let mut found: Vec<&Report> = Vec::new();
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
mod properties;
#[cfg(test)]
mod speed;
#[cfg(test)]
mod tests;
