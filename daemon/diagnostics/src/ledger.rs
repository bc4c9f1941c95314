//! What was last said, by whom, of which text of which file: what the next report is compared with.
//!
//! An entry keeps the text that it is about, so that it can be moved to any later one, whoever changed it. Bounded: what was not
//! asked for the longest goes first, and is then not known.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_text::Change;

use crate::baseline::Baseline;
use copydesk_servers::report::{Proof, Report, Said};
use copydesk_servers::source::TREE_SITTER;

/// Files with a source each.
const MOST: usize = 1000;

/// Of their texts, all together.
const MOST_BYTES: usize = 16 * 1024 * 1024;

type Key = (PathBuf, String);

#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    entries: HashMap<Key, Entry>,
    /// Who did not know last what to say of a file.
    open: HashSet<Key>,
    clock: u64,
    /// How often something was changed that what is said of any file may depend on.
    changes: u64,
    /// Which of these was a person's.
    typed: u64,
}

#[derive(Debug, Clone)]
struct Entry {
    report: Report,
    /// None where it is not known what the text was.
    text: Option<Arc<String>>,
    used: u64,
    /// What had been changed when it was said.
    changes: u64,
}

/// What a report is beside what its source last said of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing was said of it.
    First,
    /// That was of another text.
    OtherText,
    Same,
    /// Of the same text something else.
    Differs,
}

impl Ledger {
    /// Whether all who answer for the file have said something of this very text, and nothing was changed since. A grammar does not
    /// count: it is heard where those that know more are not ready, and they may be by now.
    pub(crate) fn knows(&self, path: &Path, text: &Arc<String>) -> bool {
        let is_same = |entry: &Entry| {
            entry.changes == self.changes && entry.text.as_ref().is_some_and(|known| known == text)
        };
        let mut entries = self.of(path).filter(|entry| entry.report.source != TREE_SITTER).peekable();
        let is_open = self.open.iter().any(|(open, source)| open == path && source != TREE_SITTER);
        !is_open && entries.peek().is_some() && entries.all(is_same)
    }

    /// Whether anybody but a grammar has said something of this text.
    pub(crate) fn has(&self, path: &Path, text: Option<&Arc<String>>) -> bool {
        let mut entries = self.of(path).filter(|entry| entry.report.source != TREE_SITTER);
        entries.any(|entry| entry.text.as_ref() == text)
    }

    pub(crate) fn standing(&self, report: &Report, text: Option<&Arc<String>>) -> Standing {
        match self.entries.get(&key(report)) {
            None => Standing::First,
            Some(entry) if entry.text.as_ref() != text => Standing::OtherText,
            Some(entry) if entry.report.said.diagnostics() == report.said.diagnostics() => Standing::Same,
            Some(_) => Standing::Differs,
        }
    }

    /// What is said of any file may be another thing now.
    pub(crate) fn changed(&mut self) {
        self.changes += 1;
    }

    /// The same, and a person has done it.
    pub(crate) fn typed(&mut self) {
        self.changed();
        self.typed = self.changes;
    }

    /// Whether a person has typed something since this source last spoke of the file.
    pub(crate) fn is_typed_since(&self, report: &Report) -> bool {
        self.entries.get(&key(report)).is_some_and(|entry| entry.changes < self.typed)
    }

    /// How often it was.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether this source did not know last what to say of the file.
    pub(crate) fn is_open(&self, report: &Report) -> bool {
        self.open.contains(&key(report))
    }

    /// What was said before of the files of these reports, moved to the texts that they are about.
    pub(crate) fn baselines<'a>(
        &self,
        reports: &[Report],
        now: impl Fn(&Path) -> Option<&'a Arc<String>>,
    ) -> Vec<Baseline> {
        let moved = |report: &Report| {
            let entry = self.entries.get(&key(report))?;
            Some(match (&entry.text, now(&report.path)) {
                (Some(old), Some(new)) if !Arc::ptr_eq(old, new) => {
                    Baseline::through(&entry.report, old, &Change::between(old, new))
                }
                _ => Baseline::still(&entry.report),
            })
        };
        reports.iter().filter_map(moved).collect()
    }

    /// What is known counts from now on; what is not leaves what was.
    pub(crate) fn put<'a>(&mut self, reports: &[Report], now: impl Fn(&Path) -> Option<&'a Arc<String>>) {
        for report in reports {
            if report.said.proof() == Proof::Unknown {
                if self.open.len() < MOST && matches!(report.said, Said::Unknown { .. }) {
                    self.open.insert(key(report));
                }
                continue;
            }
            self.open.remove(&key(report));
            self.clock += 1;
            let (text, changes) = (now(&report.path).cloned(), self.changes);
            let report = Report { past: None, ..report.clone() };
            let entry = Entry { report, text, used: self.clock, changes };
            self.entries.insert(key(&entry.report), entry);
        }
        self.trim();
    }

    fn trim(&mut self) {
        let size = |entry: &Entry| entry.text.as_ref().map_or(0, |text| text.len());
        while self.entries.len() > MOST || self.entries.values().map(size).sum::<usize>() > MOST_BYTES {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { return };
            self.entries.remove(&oldest);
        }
    }

    /// What another one knows of the files of these reports, where this one knows nothing; that it is not known, too.
    pub(crate) fn put_first(&mut self, reports: &[Report], other: &Self) {
        for report in reports {
            let (used, changes) = (other.clock, other.changes);
            let unknown = || Entry {
                report: Report { said: Said::Unknown { why: String::new() }, past: None, ..report.clone() },
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
    pub(crate) fn put_missing(&mut self, report: &Report, other: &Self) {
        if let Some(entry) = other.entries.get(&key(report)) {
            self.entries.entry(key(report)).or_insert_with(|| entry.clone());
        }
        self.trim();
    }

    /// As if these had not been said of the file, but what `before` has.
    pub(crate) fn unsay(&mut self, path: &Path, said: &Self, before: &Self) {
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
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Report, Option<&Arc<String>>)> {
        self.entries.values().map(|entry| (&entry.report, entry.text.as_ref()))
    }

    /// The files that were told of last, the latest first.
    pub(crate) fn latest(&self, most: usize) -> Vec<PathBuf> {
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

    fn of(&self, path: &Path) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |((known, _), _)| known == path).map(|(_, entry)| entry)
    }
}

fn key(report: &Report) -> Key {
    (report.path.clone(), report.source.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str) -> Report {
        Report::new(name.into(), "s", Said::Proven(Vec::new()))
    }

    #[test]
    fn what_is_taken_over_is_bounded_too() {
        let (mut all, text) = (Ledger::default(), Arc::new("x".repeat(MOST_BYTES / 4)));
        for number in 0..10 {
            let mut one = Ledger::default();
            one.put(&[report(&number.to_string())], |_| Some(&text));
            all.put_first(&[report(&number.to_string())], &one);
        }
        assert_eq!(all.entries.len(), 4);
    }

    #[test]
    fn what_was_not_known_first_stays_so() {
        let (mut first, mut now, text) = (Ledger::default(), Ledger::default(), Arc::new(String::new()));
        first.put_first(&[report("a")], &now);
        now.put(&[report("a"), report("b")], |_| Some(&text));
        first.put_first(&[report("a"), report("b")], &now);
        let known = |name: &str| {
            let baselines = first.baselines(&[report(name)], |_| Some(&text));
            baselines.iter().any(|baseline| baseline.known.is_some())
        };
        assert_eq!((known("a"), known("b")), (false, true));
    }
}
