//! Collects the answers of one server into reports. What did not arrive is unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::path::{Path, PathBuf};

use super::check::report_for;
use super::dependents::DependentDocuments;
use super::doubtful_diagnostics::{drop_echoes, drop_overruled};
use super::prior_diagnostics::PriorDiagnostics;
use super::slot::ServerSlot;
use crate::diagnostic::Diagnostic;
use crate::report::{DiagnosticsReport, Verdict};
use crate::source::CheckedDocument;

/// The cap on other files to report as unknown. The text names a few, and counts the rest.
const MAX_UNKNOWN_FILES: usize = 1000;

const LATE: &str = "it did not answer in time";

pub(super) const CHANGED_MEANWHILE: &str = "it was changed meanwhile";

pub(super) enum ServerAnswer {
    /// With the hash of its text.
    File(PathBuf, u64, Verdict),
    /// The diagnostics that follow a save, such as a compiler's.
    OnSave(PathBuf, Option<Verdict>),
    OtherFiles(Vec<(PathBuf, Verdict)>),
    /// More texts to check.
    Dependents(DependentDocuments),
}

/// The answers so far.
pub(super) struct AnswerCollector<'a> {
    pub(super) slot: &'a ServerSlot,
    /// The documents' generation when the check began.
    pub(super) generation: u64,
    pub(super) requested: &'a BTreeSet<PathBuf>,
    /// The server knows all changes on the disk.
    pub(super) knows_disk: bool,
    pub(super) verdicts: BTreeMap<PathBuf, Verdict>,
    pub(super) on_save: BTreeMap<PathBuf, Verdict>,
    /// Files whose save should be followed by diagnostics.
    pub(super) expected_on_save: BTreeSet<PathBuf>,
    /// Reported without a request.
    pub(super) other_files: BTreeMap<PathBuf, Verdict>,
    /// Dependents that were checked.
    pub(super) asked_dependents: BTreeSet<PathBuf>,
    /// Dependents beyond the limit.
    pub(super) unchecked: BTreeSet<PathBuf>,
    /// There may be more dependents.
    pub(super) is_search_cut: bool,
    /// The compiler has found no error after the last write.
    pub(super) is_compiled: bool,
    /// Other files that are reported even if unknown.
    pub(super) known_before: BTreeSet<PathBuf>,
    /// Captured before the server heard of the change.
    pub(super) prior: PriorDiagnostics,
}

impl AnswerCollector<'_> {
    pub(super) fn add(&mut self, answer: ServerAnswer) {
        match answer {
            ServerAnswer::File(path, text, verdict) => {
                let verdict = self.weigh(verdict);
                let mut documents = self.slot.documents();
                documents.cache_verdict(&path, (text, self.generation), &verdict);
                // Another check has sent another text meanwhile, and reports on that.
                let is_same = documents.text_hash(&path) == Some(text);
                let changed = || Verdict::Unknown { why: CHANGED_MEANWHILE.to_owned() };
                let verdict = if is_same { verdict } else { changed() };
                self.verdicts.insert(path, verdict);
            }
            ServerAnswer::OnSave(path, verdict) => {
                self.on_save.extend(verdict.map(|verdict| (path, verdict)));
            }
            ServerAnswer::OtherFiles(others) => {
                for (path, verdict) in others {
                    let verdict = self.weigh(verdict);
                    // A requested answer takes precedence over an unrequested one.
                    let has_answer =
                        self.verdicts.get(&path).is_some_and(|verdict| verdict.diagnostics().is_some());
                    if has_answer || self.requested.contains(&path) {
                        continue;
                    }
                    let mut documents = self.slot.documents();
                    if let Some(text) = documents.text_hash(&path) {
                        documents.cache_verdict(&path, (text, self.generation), &verdict);
                    }
                    self.asked_dependents.extend(verdict.diagnostics().is_none().then(|| path.clone()));
                    self.other_files.insert(path, verdict);
                }
            }
            ServerAnswer::Dependents(_) => {}
        }
    }

    /// Nothing is proven if the server may have missed other changes.
    fn weigh(&self, mut verdict: Verdict) -> Verdict {
        if !self.knows_disk {
            verdict.downgrade_to_likely();
        }
        verdict
    }

    pub(super) fn is_complete(&self) -> bool {
        self.requested.iter().all(|path| self.verdicts.contains_key(path))
    }

    /// Every requested text has an answer, and all are unknown.
    pub(super) fn is_all_unknown(&self) -> bool {
        let is_unknown =
            |path| self.verdicts.get(path).is_some_and(|verdict| verdict.diagnostics().is_none());
        self.requested.iter().all(is_unknown)
    }

    /// Other files are reported if known. Dependents and files that were known before are also reported as unknown.
    pub(super) fn finish(mut self, subjects: &[(CheckedDocument, String)]) -> Vec<DiagnosticsReport> {
        let is_known = !self.is_all_unknown();
        let mut reports = Vec::new();
        for (subject, _) in subjects {
            let verdict = self.verdicts.remove(&subject.path);
            let verdict = verdict.unwrap_or_else(|| Verdict::Unknown { why: LATE.to_owned() });
            reports.push(self.with_previous(
                report_for(self.slot, &subject.path, verdict),
                PriorDiagnostics::previous_diagnostics,
            ));
        }
        let source = self.slot.launch.quirks.compiler_name().unwrap_or_default().to_owned();
        for path in mem::take(&mut self.expected_on_save).into_iter().filter(|_| is_known) {
            self.on_save.entry(path).or_insert_with(|| Verdict::Unknown { why: LATE.to_owned() });
        }
        for (path, verdict) in mem::take(&mut self.on_save) {
            let report = DiagnosticsReport::new(path, source.clone(), self.weigh(verdict));
            reports.push(self.with_previous(report, PriorDiagnostics::previous_on_save));
        }
        let mut others = BTreeMap::new();
        for (path, verdict) in
            mem::take(&mut self.other_files).into_iter().chain(mem::take(&mut self.verdicts))
        {
            if !self.requested.contains(&path)
                && (verdict.diagnostics().is_some() || !others.contains_key(&path))
            {
                others.insert(path, verdict);
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
        others.retain(|path, verdict| {
            let is_unknown = verdict.diagnostics().is_none();
            unknown += usize::from(is_unknown && self.known_before.contains(path));
            !is_unknown || (is_known && self.known_before.contains(path) && unknown <= MAX_UNKNOWN_FILES)
        });
        let others = others.into_iter().map(|(path, verdict)| report_for(self.slot, &path, verdict));
        reports
            .extend(others.map(|report| self.with_previous(report, PriorDiagnostics::previous_diagnostics)));
        drop_echoes(&mut reports, |item| self.slot.launch.quirks.is_echo(item));
        if self.is_compiled {
            drop_overruled(&mut reports, &self.slot.launch.quirks);
        }
        if let Some((subject, _)) = subjects.first().filter(|_| is_known && self.is_search_cut) {
            reports.push(DiagnosticsReport::unsearched(&subject.path, &self.slot.launch.name));
        }
        reports
    }

    fn with_previous(
        &self,
        report: DiagnosticsReport,
        previous_of: impl Fn(&PriorDiagnostics, &Path, Option<u64>) -> Option<Vec<Diagnostic>>,
    ) -> DiagnosticsReport {
        let may_have_changed = self.requested.contains(&report.path) && self.prior.is_closed(&report.path);
        let text = self.slot.documents().text_hash(&report.path);
        let previous = previous_of(&self.prior, &report.path, text).filter(|_| !may_have_changed);
        DiagnosticsReport { previous, ..report }
    }
}
