//! What was last said, by whom, of which text of which file: what the next report is compared with.
//!
//! An entry keeps the text that it is about, so that it can be moved to any later one, whoever changed it. Bounded: what was not
//! asked for the longest goes first, and is then not known.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use copydesk_text::Change;

use crate::baseline::Baseline;
use crate::report::{Proof, Report};
use crate::source::TREE_SITTER;

/// Files with a source each.
const MOST: usize = 1000;

#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    entries: HashMap<(PathBuf, String), Entry>,
    clock: u64,
}

#[derive(Debug, Clone)]
struct Entry {
    report: Report,
    /// None where it is not known what the text was.
    text: Option<Arc<String>>,
    used: u64,
}

impl Ledger {
    /// Whether anybody has said something of this very text. A grammar does not count: it is heard where those that know more are not
    /// ready, and they may be by now.
    pub(crate) fn knows(&self, path: &Path, text: &Arc<String>) -> bool {
        let is_same = |known: &Arc<String>| Arc::ptr_eq(known, text) || known == text;
        let mut entries = self.of(path).filter(|entry| entry.report.source != TREE_SITTER);
        entries.any(|entry| entry.text.as_ref().is_some_and(is_same))
    }

    /// What was said before of the files of these reports, moved to the texts that they are about.
    pub(crate) fn baselines<'a>(
        &self,
        reports: &[Report],
        now: impl Fn(&Path) -> Option<&'a Arc<String>>,
    ) -> Vec<Baseline> {
        let moved = |report: &Report| {
            let entry = self.entries.get(&(report.path.clone(), report.source.clone()))?;
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
        for report in reports.iter().filter(|report| report.said.proof() != Proof::Unknown) {
            self.clock += 1;
            let entry = Entry { report: report.clone(), text: now(&report.path).cloned(), used: self.clock };
            self.entries.insert((report.path.clone(), report.source.clone()), entry);
        }
        while self.entries.len() > MOST {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { return };
            self.entries.remove(&oldest);
        }
    }

    /// The same for what this one knows nothing of.
    pub(crate) fn put_missing(&mut self, other: &Self) {
        for (key, entry) in &other.entries {
            self.entries.entry(key.clone()).or_insert_with(|| entry.clone());
        }
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
    }

    fn of(&self, path: &Path) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |((known, _), _)| known == path).map(|(_, entry)| entry)
    }
}
