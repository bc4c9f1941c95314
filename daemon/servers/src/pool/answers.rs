//! What one server said of texts, put together: each answer is weighed, and what did not come is told as unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::path::{Path, PathBuf};

use super::ask::report;
use super::past::Past;
use super::slot::Slot;
use crate::diagnostic::Diagnostic;
use crate::report::{Report, Said};
use crate::source::Subject;

/// Other files of which it is told that nothing is known.
const MOST_UNKNOWN: usize = 10;

const LATE: &str = "it did not answer in time";

pub(super) const CHANGED: &str = "it was changed meanwhile";

/// One answer.
pub(super) enum Got {
    /// With what stands for its text.
    Of(PathBuf, u64, Said),
    /// Of the same text, what follows a save alone.
    Saved(PathBuf, Option<Said>),
    Others(Vec<(PathBuf, Said)>),
    /// Texts that it is to be asked about, too; and files that it is not asked about.
    Linked(Vec<Subject>, Vec<PathBuf>),
}

/// What was said by now.
pub(super) struct Answers<'a> {
    pub(super) slot: &'a Slot,
    /// What the server knew when it was asked.
    pub(super) generation: u64,
    pub(super) subjects: &'a BTreeSet<PathBuf>,
    /// Everything that was changed on the disk is known to the server.
    pub(super) is_seen: bool,
    pub(super) said: BTreeMap<PathBuf, Said>,
    pub(super) saved: BTreeMap<PathBuf, Said>,
    /// Those of which something was to follow their saves.
    pub(super) followed: BTreeSet<PathBuf>,
    /// What came by the way.
    pub(super) others: BTreeMap<PathBuf, Said>,
    /// Other files that it was asked about.
    pub(super) asked: BTreeSet<PathBuf>,
    /// Other files that a change may break, and that it was not asked about.
    pub(super) beyond: BTreeSet<PathBuf>,
    /// Other files of which it is told also that they are not known.
    pub(super) known_before: BTreeSet<PathBuf>,
    /// Before it was told of anything.
    pub(super) past: Past,
}

impl Answers<'_> {
    pub(super) fn add(&mut self, got: Got) {
        match got {
            Got::Of(path, text, said) => {
                let said = self.weighed(said);
                let mut documents = self.slot.documents();
                documents.remember(&path, (text, self.generation), &said);
                // Somebody else held another text meanwhile, and is told what is said of that.
                let is_same = documents.text(&path) == Some(text);
                let changed = || Said::Unknown { why: CHANGED.to_owned() };
                let said = if is_same { said } else { changed() };
                self.said.insert(path, said);
            }
            Got::Saved(path, said) => self.saved.extend(said.map(|said| (path, said))),
            Got::Others(others) => {
                for (path, said) in others {
                    let said = self.weighed(said);
                    // What was asked for goes before what came by the way.
                    let is_asked = self.said.get(&path).is_some_and(|asked| asked.diagnostics().is_some());
                    if is_asked || self.subjects.contains(&path) {
                        continue;
                    }
                    let mut documents = self.slot.documents();
                    if let Some(text) = documents.text(&path) {
                        documents.remember(&path, (text, self.generation), &said);
                    }
                    self.asked.extend(said.diagnostics().is_none().then(|| path.clone()));
                    self.others.insert(path, said);
                }
            }
            Got::Linked(..) => {}
        }
    }

    /// Nothing is proven where the server may not know what else was changed.
    fn weighed(&self, mut said: Said) -> Said {
        if !self.is_seen {
            said.doubt();
        }
        said
    }

    pub(super) fn is_complete(&self) -> bool {
        self.subjects.iter().all(|path| self.said.contains_key(path))
    }

    /// Every text that was asked about has an answer, and none is known.
    pub(super) fn is_not_known(&self) -> bool {
        let is_unknown = |path| self.said.get(path).is_some_and(|said| said.diagnostics().is_none());
        self.subjects.iter().all(is_unknown)
    }

    /// Of other files it is told what is known; and of those that a change may break, and those that were known before, also that
    /// they are not known.
    pub(super) fn finish(mut self, subjects: &[(Subject, String)]) -> Vec<Report> {
        let is_known = !self.is_not_known();
        let mut reports = Vec::new();
        for (subject, _) in subjects {
            let said = self.said.remove(&subject.path);
            let said = said.unwrap_or_else(|| Said::Unknown { why: LATE.to_owned() });
            reports.push(self.with_past(report(self.slot, &subject.path, said), Past::own));
        }
        let source = self.slot.launch.quirks.compiler().unwrap_or_default().to_owned();
        for path in mem::take(&mut self.followed).into_iter().filter(|_| is_known) {
            self.saved.entry(path).or_insert_with(|| Said::Unknown { why: LATE.to_owned() });
        }
        for (path, said) in mem::take(&mut self.saved) {
            let report = Report::new(path, source.clone(), self.weighed(said));
            reports.push(self.with_past(report, Past::saved));
        }
        let mut others = BTreeMap::new();
        for (path, said) in mem::take(&mut self.others).into_iter().chain(mem::take(&mut self.said)) {
            if !self.subjects.contains(&path) && (said.diagnostics().is_some() || !others.contains_key(&path))
            {
                others.insert(path, said);
            }
        }
        for path in mem::take(&mut self.asked) {
            others.entry(path).or_insert_with(|| Said::Unknown { why: LATE.to_owned() });
        }
        for path in mem::take(&mut self.beyond) {
            self.known_before.insert(path.clone());
            others.entry(path).or_insert_with(Said::beyond);
        }
        let mut unknown = 0;
        others.retain(|path, said| {
            let is_unknown = said.diagnostics().is_none();
            unknown += usize::from(is_unknown && self.known_before.contains(path));
            !is_unknown || (is_known && self.known_before.contains(path) && unknown <= MOST_UNKNOWN)
        });
        let others = others.into_iter().map(|(path, said)| report(self.slot, &path, said));
        reports.extend(others.map(|report| self.with_past(report, Past::own)));
        reports
    }

    fn with_past(
        &self,
        report: Report,
        of: impl Fn(&Past, &Path, Option<u64>) -> Option<Vec<Diagnostic>>,
    ) -> Report {
        let is_other = self.subjects.contains(&report.path) && self.past.is_closed(&report.path);
        let text = self.slot.documents().text(&report.path);
        let past = of(&self.past, &report.path, text).filter(|_| !is_other);
        Report { past, ..report }
    }
}
