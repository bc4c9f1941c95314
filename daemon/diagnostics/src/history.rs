//! The last report of each source on each file: the next report is compared with it.
//!
//! An entry keeps the text that it is about, so it can be moved to any later text, the user's or the session's. The history is
//! bounded: it drops the least recently used entries first. A dropped entry is unknown.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_text::Change;

use crate::baseline::Baseline;
use copydesk_servers::report::{DiagnosticsReport, Proof, Verdict};
use copydesk_servers::source::TREE_SITTER;

/// The cap on pairs of a file and a source.
const MAX_ENTRIES: usize = 1000;

/// The cap on all their texts together.
const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;

type HistoryKey = (PathBuf, String);

#[derive(Debug, Clone, Default)]
pub(crate) struct DiagnosticsHistory {
    entries: HashMap<HistoryKey, HistoryEntry>,
    /// Pairs whose last verdict was unknown.
    open: HashSet<HistoryKey>,
    clock: u64,
    /// How many changes there were that any file's diagnostics may depend on.
    changes: u64,
    /// The number of the user's latest change among these.
    last_user_change: u64,
}

#[derive(Debug, Clone)]
struct HistoryEntry {
    report: DiagnosticsReport,
    /// `None` if the text is not known.
    text: Option<Arc<String>>,
    used: u64,
    /// `DiagnosticsHistory::changes` at the time of the report.
    changes: u64,
}

/// How a report compares with the source's previous one on the same file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryMatch {
    /// There was no previous report.
    Unseen,
    /// The previous report was about another text.
    OtherText,
    Same,
    /// The same text, but other diagnostics.
    Differs,
}

impl DiagnosticsHistory {
    /// Whether every source of the file has reported on this very text, and nothing changed since. Reports of the
    /// syntax source do not count: it stands in for sources that were not ready, and they may be by now.
    pub(crate) fn is_current(&self, path: &Path, text: &Arc<String>) -> bool {
        let is_same = |entry: &HistoryEntry| {
            entry.changes == self.changes && entry.text.as_ref().is_some_and(|known| known == text)
        };
        let mut entries = self.entries_of(path).filter(|entry| entry.report.source != TREE_SITTER).peekable();
        let is_open = self.open.iter().any(|(open, source)| open == path && source != TREE_SITTER);
        !is_open && entries.peek().is_some() && entries.all(is_same)
    }

    /// Whether a source other than the syntax source has reported on this text.
    pub(crate) fn has_report_on(&self, path: &Path, text: Option<&Arc<String>>) -> bool {
        let mut entries = self.entries_of(path).filter(|entry| entry.report.source != TREE_SITTER);
        entries.any(|entry| entry.text.as_ref() == text)
    }

    /// Whether sources other than the syntax source have reported on the file, and all of them on another text.
    pub(crate) fn is_other_text(&self, path: &Path, text: Option<&Arc<String>>) -> bool {
        let mut entries = self.entries_of(path).filter(|entry| entry.report.source != TREE_SITTER).peekable();
        entries.peek().is_some() && entries.all(|entry| entry.text.as_ref() != text)
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

    /// Something changed: the diagnostics of any file may differ now.
    pub(crate) fn note_change(&mut self) {
        self.changes += 1;
    }

    /// The same, by the user.
    pub(crate) fn note_user_edit(&mut self) {
        self.note_change();
        self.last_user_change = self.changes;
    }

    /// Whether the user has edited anything since this source last reported on the file.
    pub(crate) fn is_user_edited_since(&self, report: &DiagnosticsReport) -> bool {
        self.entries.get(&key(report)).is_some_and(|entry| entry.changes < self.last_user_change)
    }

    pub(crate) fn change_count(&self) -> u64 {
        self.changes
    }

    /// Whether this source's last verdict on the file was unknown.
    pub(crate) fn is_unknown(&self, report: &DiagnosticsReport) -> bool {
        self.open.contains(&key(report))
    }

    /// Whether any source's last verdict on the file was unknown.
    pub(crate) fn is_awaited(&self, path: &Path) -> bool {
        self.open.iter().any(|(open, _)| open == path)
    }

    /// The previous reports on the same files, moved to the texts that `reports` are about.
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

    /// Known verdicts replace the entries. Unknown ones leave them.
    pub(crate) fn record<'a>(
        &mut self,
        reports: &[DiagnosticsReport],
        now: impl Fn(&Path) -> Option<&'a Arc<String>>,
    ) {
        for report in reports {
            if report.verdict.proof() == Proof::Unknown {
                if self.open.len() < MAX_ENTRIES && matches!(report.verdict, Verdict::Unknown { .. }) {
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
        while self.entries.len() > MAX_ENTRIES
            || self.entries.values().map(size).sum::<usize>() > MAX_TEXT_BYTES
        {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { return };
            self.entries.remove(&oldest);
        }
    }

    /// Copies the entries of `other` for these files where this history has none. "Unknown" is copied, too.
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

    /// Copies the entry of `other` for one source and file, if this history has none.
    pub(crate) fn copy_missing(&mut self, report: &DiagnosticsReport, other: &Self) {
        if let Some(entry) = other.entries.get(&key(report)) {
            self.entries.entry(key(report)).or_insert_with(|| entry.clone());
        }
        self.trim();
    }

    /// Undoes the reports in `reported`: back to the entries of `before`, and unknown again.
    pub(crate) fn revert(&mut self, reported: &Self, before: &Self) {
        for key in reported.entries.keys() {
            match before.entries.get(key) {
                Some(entry) => _ = self.entries.insert(key.clone(), entry.clone()),
                None => _ = self.entries.remove(key),
            }
            if self.open.len() < MAX_ENTRIES {
                self.open.insert(key.clone());
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All known reports, with the texts that they are about.
    pub(crate) fn reports(&self) -> impl Iterator<Item = (&DiagnosticsReport, Option<&Arc<String>>)> {
        self.entries.values().map(|entry| (&entry.report, entry.text.as_ref()))
    }

    /// The most recently reported files, latest first.
    pub(crate) fn recent_paths(&self, most: usize) -> Vec<PathBuf> {
        let mut all: Vec<_> = self.entries.iter().map(|((path, _), entry)| (entry.used, path)).collect();
        all.sort_unstable_by(|one, other| other.cmp(one));
        let mut paths: Vec<PathBuf> = Vec::new();
        for (_, path) in all {
            if paths.len() < most && !paths.contains(path) {
                paths.push(path.clone());
            }
        }
        paths
    }

    /// Drops the entries of a deleted file.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.entries.retain(|(known, _), _| known != path);
        self.open.retain(|(known, _)| known != path);
    }

    fn entries_of(&self, path: &Path) -> impl Iterator<Item = &HistoryEntry> {
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
    fn copied_entries_are_bounded_too() {
        let (mut all, text) = (DiagnosticsHistory::default(), Arc::new("x".repeat(MAX_TEXT_BYTES / 4)));
        for number in 0..10 {
            let mut one = DiagnosticsHistory::default();
            one.record(&[report(&number.to_string())], |_| Some(&text));
            all.record_first(&[report(&number.to_string())], &one);
        }
        assert_eq!(all.entries.len(), 4);
    }

    #[test]
    fn an_unknown_first_entry_stays_unknown() {
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
