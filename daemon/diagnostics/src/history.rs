//! What was last said, by whom, of which text of which file: what the next report is compared with.
//!
//! An entry keeps the text that it is about, so that it can be moved to any later one, whoever changed it. Bounded: what was not
//! asked for the longest goes first, and is then not known.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_text::Change;

use crate::baseline::Baseline;
use copydesk_servers::report::{DiagnosticsReport, Proof, Verdict};
use copydesk_servers::source::TREE_SITTER;

/// Files with a source each.
const MOST: usize = 1000;

/// Of their texts, all together.
const MOST_BYTES: usize = 16 * 1024 * 1024;

type HistoryKey = (PathBuf, String);

#[derive(Debug, Clone, Default)]
pub(crate) struct DiagnosticsHistory {
    entries: HashMap<HistoryKey, HistoryEntry>,
    /// Who did not know last what to say of a file.
    open: HashSet<HistoryKey>,
    clock: u64,
    /// How often something was changed that what is said of any file may depend on.
    changes: u64,
    /// Which of these was a person's.
    typed: u64,
}

#[derive(Debug, Clone)]
struct HistoryEntry {
    report: DiagnosticsReport,
    /// None where it is not known what the text was.
    text: Option<Arc<String>>,
    used: u64,
    /// What had been changed when it was said.
    changes: u64,
}

/// What a report is beside what its source last said of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryMatch {
    /// Nothing was said of it.
    Unseen,
    /// That was of another text.
    OtherText,
    Same,
    /// Of the same text something else.
    Differs,
}

impl DiagnosticsHistory {
    /// Whether all who answer for the file have said something of this very text, and nothing was changed since. A grammar does not
    /// count: it is heard where those that know more are not ready, and they may be by now.
    pub(crate) fn is_current(&self, path: &Path, text: &Arc<String>) -> bool {
        let is_same = |entry: &HistoryEntry| {
            entry.changes == self.changes && entry.text.as_ref().is_some_and(|known| known == text)
        };
        let mut entries = self.of(path).filter(|entry| entry.report.source != TREE_SITTER).peekable();
        let is_open = self.open.iter().any(|(open, source)| open == path && source != TREE_SITTER);
        !is_open && entries.peek().is_some() && entries.all(is_same)
    }

    /// Whether anybody but a grammar has said something of this text.
    pub(crate) fn has_report_on(&self, path: &Path, text: Option<&Arc<String>>) -> bool {
        let mut entries = self.of(path).filter(|entry| entry.report.source != TREE_SITTER);
        entries.any(|entry| entry.text.as_ref() == text)
    }

    pub(crate) fn compare(&self, report: &DiagnosticsReport, text: Option<&Arc<String>>) -> HistoryMatch {
        match self.entries.get(&key(report)) {
            None => HistoryMatch::Unseen,
            Some(entry) if entry.text.as_ref() != text => HistoryMatch::OtherText,
            Some(entry) if entry.report.verdict.diagnostics() == report.verdict.diagnostics() => {
                HistoryMatch::Same
            }
            Some(_) => HistoryMatch::Differs,
        }
    }

    /// What is said of any file may be another thing now.
    pub(crate) fn note_change(&mut self) {
        self.changes += 1;
    }

    /// The same, and a person has done it.
    pub(crate) fn note_user_edit(&mut self) {
        self.note_change();
        self.typed = self.changes;
    }

    /// Whether a person has typed something since this source last spoke of the file.
    pub(crate) fn is_user_edited_since(&self, report: &DiagnosticsReport) -> bool {
        self.entries.get(&key(report)).is_some_and(|entry| entry.changes < self.typed)
    }

    /// How often it was.
    pub(crate) fn change_count(&self) -> u64 {
        self.changes
    }

    /// Whether this source did not know last what to say of the file.
    pub(crate) fn is_unknown(&self, report: &DiagnosticsReport) -> bool {
        self.open.contains(&key(report))
    }

    /// What was said before of the files of these reports, moved to the texts that they are about.
    pub(crate) fn baselines<'a>(
        &self,
        reports: &[DiagnosticsReport],
        now: impl Fn(&Path) -> Option<&'a Arc<String>>,
    ) -> Vec<Baseline> {
        let moved = |report: &DiagnosticsReport| {
            let entry = self.entries.get(&key(report))?;
            Some(match (&entry.text, now(&report.path)) {
                (Some(old), Some(new)) if !Arc::ptr_eq(old, new) => {
                    Baseline::shifted(&entry.report, old, &Change::between(old, new))
                }
                _ => Baseline::unchanged(&entry.report),
            })
        };
        reports.iter().filter_map(moved).collect()
    }

    /// What is known counts from now on; what is not leaves what was.
    pub(crate) fn record<'a>(
        &mut self,
        reports: &[DiagnosticsReport],
        now: impl Fn(&Path) -> Option<&'a Arc<String>>,
    ) {
        for report in reports {
            if report.verdict.proof() == Proof::Unknown {
                if self.open.len() < MOST && matches!(report.verdict, Verdict::Unknown { .. }) {
                    self.open.insert(key(report));
                }
                continue;
            }
            self.open.remove(&key(report));
            self.clock += 1;
            let (text, changes) = (now(&report.path).cloned(), self.changes);
            let report = DiagnosticsReport { previous: None, ..report.clone() };
            let entry = HistoryEntry { report, text, used: self.clock, changes };
            self.entries.insert(key(&entry.report), entry);
        }
        self.trim();
    }

    fn trim(&mut self) {
        let size = |entry: &HistoryEntry| entry.text.as_ref().map_or(0, |text| text.len());
        while self.entries.len() > MOST || self.entries.values().map(size).sum::<usize>() > MOST_BYTES {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { return };
            self.entries.remove(&oldest);
        }
    }

    /// What another one knows of the files of these reports, where this one knows nothing; that it is not known, too.
    pub(crate) fn record_first(&mut self, reports: &[DiagnosticsReport], other: &Self) {
        for report in reports {
            let (used, changes) = (other.clock, other.changes);
            let unknown = || HistoryEntry {
                report: DiagnosticsReport {
                    verdict: Verdict::Unknown { why: String::new() },
                    previous: None,
                    ..report.clone()
                },
                text: None,
                used,
                changes,
            };
            let known = other.entries.get(&key(report)).cloned();
            self.entries.entry(key(report)).or_insert_with(|| known.unwrap_or_else(unknown));
        }
        self.trim();
    }

    /// What another one knows of one source and file, where this one knows nothing.
    pub(crate) fn copy_missing(&mut self, report: &DiagnosticsReport, other: &Self) {
        if let Some(entry) = other.entries.get(&key(report)) {
            self.entries.entry(key(report)).or_insert_with(|| entry.clone());
        }
        self.trim();
    }

    /// As if these had not been said of the file, but what `before` has.
    pub(crate) fn revert(&mut self, path: &Path, said: &Self, before: &Self) {
        for key in said.entries.keys().filter(|(known, _)| known == path) {
            match before.entries.get(key) {
                Some(entry) => _ = self.entries.insert(key.clone(), entry.clone()),
                None => _ = self.entries.remove(key),
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All that is known, with the texts that it is about.
    pub(crate) fn reports(&self) -> impl Iterator<Item = (&DiagnosticsReport, Option<&Arc<String>>)> {
        self.entries.values().map(|entry| (&entry.report, entry.text.as_ref()))
    }

    /// The files that were told of last, the latest first.
    pub(crate) fn recent_paths(&self, most: usize) -> Vec<PathBuf> {
        let mut all: Vec<_> = self.entries.iter().map(|((path, _), entry)| (entry.used, path)).collect();
        all.sort_unstable_by(|one, other| other.cmp(one));
        let mut found: Vec<PathBuf> = Vec::new();
        for (_, path) in all {
            if found.len() < most && !found.contains(path) {
                found.push(path.clone());
            }
        }
        found
    }

    /// The file is gone.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.entries.retain(|(known, _), _| known != path);
        self.open.retain(|(known, _)| known != path);
    }

    fn of(&self, path: &Path) -> impl Iterator<Item = &HistoryEntry> {
        self.entries.iter().filter(move |((known, _), _)| known == path).map(|(_, entry)| entry)
    }
}

fn key(report: &DiagnosticsReport) -> HistoryKey {
    (report.path.clone(), report.source.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str) -> DiagnosticsReport {
        DiagnosticsReport::new(name.into(), "s", Verdict::Proven(Vec::new()))
    }

    #[test]
    fn what_is_taken_over_is_bounded_too() {
        let (mut all, text) = (DiagnosticsHistory::default(), Arc::new("x".repeat(MOST_BYTES / 4)));
        for number in 0..10 {
            let mut one = DiagnosticsHistory::default();
            one.record(&[report(&number.to_string())], |_| Some(&text));
            all.record_first(&[report(&number.to_string())], &one);
        }
        assert_eq!(all.entries.len(), 4);
    }

    #[test]
    fn what_was_not_known_first_stays_so() {
        let (mut first, mut now, text) =
            (DiagnosticsHistory::default(), DiagnosticsHistory::default(), Arc::new(String::new()));
        first.record_first(&[report("a")], &now);
        now.record(&[report("a"), report("b")], |_| Some(&text));
        first.record_first(&[report("a"), report("b")], &now);
        let known = |name: &str| {
            let baselines = first.baselines(&[report(name)], |_| Some(&text));
            baselines.iter().any(|baseline| baseline.diagnostics.is_some())
        };
        assert_eq!((known("a"), known("b")), (false, true));
    }
}
