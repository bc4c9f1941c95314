//! What one server said of texts, put together: each answer is weighed, and what did not come is told as unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::path::{Path, PathBuf};

use super::check::report_for;
use super::prior_diagnostics::PriorDiagnostics;
use super::slot::ServerSlot;
use crate::diagnostic::Diagnostic;
use crate::report::{DiagnosticsReport, Verdict};
use crate::source::CheckedDocument;

/// Other files of which it is told that nothing is known.
const MOST_UNKNOWN: usize = 10;

const LATE: &str = "it did not answer in time";

pub(super) const CHANGED_MEANWHILE: &str = "it was changed meanwhile";

/// One answer.
pub(super) enum ServerAnswer {
    /// With what stands for its text.
    File(PathBuf, u64, Verdict),
    /// Of the same text, what follows a save alone.
    OnSave(PathBuf, Option<Verdict>),
    OtherFiles(Vec<(PathBuf, Verdict)>),
    /// Texts that it is to be asked about, too; and files that it is not asked about.
    Dependents(Vec<CheckedDocument>, Vec<PathBuf>),
}

/// What was said by now.
pub(super) struct AnswerCollector<'a> {
    pub(super) slot: &'a ServerSlot,
    /// What the server knew when it was asked.
    pub(super) generation: u64,
    pub(super) requested: &'a BTreeSet<PathBuf>,
    /// Everything that was changed on the disk is known to the server.
    pub(super) knows_disk: bool,
    pub(super) verdicts: BTreeMap<PathBuf, Verdict>,
    pub(super) on_save: BTreeMap<PathBuf, Verdict>,
    /// Those of which something was to follow their saves.
    pub(super) expected_on_save: BTreeSet<PathBuf>,
    /// What came by the way.
    pub(super) other_files: BTreeMap<PathBuf, Verdict>,
    /// Other files that it was asked about.
    pub(super) asked_dependents: BTreeSet<PathBuf>,
    /// Other files that a change may break, and that it was not asked about.
    pub(super) unchecked: BTreeSet<PathBuf>,
    /// Other files of which it is told also that they are not known.
    pub(super) known_before: BTreeSet<PathBuf>,
    /// Before it was told of anything.
    pub(super) prior: PriorDiagnostics,
}

impl AnswerCollector<'_> {
    pub(super) fn add(&mut self, got: ServerAnswer) {
        match got {
            ServerAnswer::File(path, text, said) => {
                let said = self.weighed(said);
                let mut documents = self.slot.documents();
                documents.cache_verdict(&path, (text, self.generation), &said);
                // Somebody else held another text meanwhile, and is told what is said of that.
                let is_same = documents.text_hash(&path) == Some(text);
                let changed = || Verdict::Unknown { why: CHANGED_MEANWHILE.to_owned() };
                let said = if is_same { said } else { changed() };
                self.verdicts.insert(path, said);
            }
            ServerAnswer::OnSave(path, said) => self.on_save.extend(said.map(|said| (path, said))),
            ServerAnswer::OtherFiles(others) => {
                for (path, said) in others {
                    let said = self.weighed(said);
                    // What was asked for goes before what came by the way.
                    let is_asked =
                        self.verdicts.get(&path).is_some_and(|asked| asked.diagnostics().is_some());
                    if is_asked || self.requested.contains(&path) {
                        continue;
                    }
                    let mut documents = self.slot.documents();
                    if let Some(text) = documents.text_hash(&path) {
                        documents.cache_verdict(&path, (text, self.generation), &said);
                    }
                    self.asked_dependents.extend(said.diagnostics().is_none().then(|| path.clone()));
                    self.other_files.insert(path, said);
                }
            }
            ServerAnswer::Dependents(..) => {}
        }
    }

    /// Nothing is proven where the server may not know what else was changed.
    fn weighed(&self, mut said: Verdict) -> Verdict {
        if !self.knows_disk {
            said.downgrade_to_likely();
        }
        said
    }

    pub(super) fn is_complete(&self) -> bool {
        self.requested.iter().all(|path| self.verdicts.contains_key(path))
    }

    /// Every text that was asked about has an answer, and none is known.
    pub(super) fn is_all_unknown(&self) -> bool {
        let is_unknown = |path| self.verdicts.get(path).is_some_and(|said| said.diagnostics().is_none());
        self.requested.iter().all(is_unknown)
    }

    /// Of other files it is told what is known; and of those that a change may break, and those that were known before, also that
    /// they are not known.
    pub(super) fn finish(mut self, subjects: &[(CheckedDocument, String)]) -> Vec<DiagnosticsReport> {
        let is_known = !self.is_all_unknown();
        let mut reports = Vec::new();
        for (subject, _) in subjects {
            let said = self.verdicts.remove(&subject.path);
            let said = said.unwrap_or_else(|| Verdict::Unknown { why: LATE.to_owned() });
            reports.push(self.with_past(
                report_for(self.slot, &subject.path, said),
                PriorDiagnostics::previous_diagnostics,
            ));
        }
        let source = self.slot.launch.quirks.compiler_name().unwrap_or_default().to_owned();
        for path in mem::take(&mut self.expected_on_save).into_iter().filter(|_| is_known) {
            self.on_save.entry(path).or_insert_with(|| Verdict::Unknown { why: LATE.to_owned() });
        }
        for (path, said) in mem::take(&mut self.on_save) {
            let report = DiagnosticsReport::new(path, source.clone(), self.weighed(said));
            reports.push(self.with_past(report, PriorDiagnostics::previous_on_save));
        }
        let mut others = BTreeMap::new();
        for (path, said) in mem::take(&mut self.other_files).into_iter().chain(mem::take(&mut self.verdicts))
        {
            if !self.requested.contains(&path)
                && (said.diagnostics().is_some() || !others.contains_key(&path))
            {
                others.insert(path, said);
            }
        }
        for path in mem::take(&mut self.asked_dependents) {
            others.entry(path).or_insert_with(|| Verdict::Unknown { why: LATE.to_owned() });
        }
        for path in mem::take(&mut self.unchecked) {
            self.known_before.insert(path.clone());
            others.entry(path).or_insert_with(Verdict::beyond_limit);
        }
        let mut unknown = 0;
        others.retain(|path, said| {
            let is_unknown = said.diagnostics().is_none();
            unknown += usize::from(is_unknown && self.known_before.contains(path));
            !is_unknown || (is_known && self.known_before.contains(path) && unknown <= MOST_UNKNOWN)
        });
        let others = others.into_iter().map(|(path, said)| report_for(self.slot, &path, said));
        reports.extend(others.map(|report| self.with_past(report, PriorDiagnostics::previous_diagnostics)));
        reports
    }

    fn with_past(
        &self,
        report: DiagnosticsReport,
        of: impl Fn(&PriorDiagnostics, &Path, Option<u64>) -> Option<Vec<Diagnostic>>,
    ) -> DiagnosticsReport {
        let is_other = self.requested.contains(&report.path) && self.prior.is_closed(&report.path);
        let text = self.slot.documents().text_hash(&report.path);
        let past = of(&self.prior, &report.path, text).filter(|_| !is_other);
        DiagnosticsReport { previous: past, ..report }
    }
}
