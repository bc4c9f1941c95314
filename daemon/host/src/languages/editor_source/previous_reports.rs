//! What an editor last said of files that nobody asked about: what of it is other now is what a change may have done to them.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use copydesk_servers::{DiagnosticsReport, Verdict};

/// Files that are remembered.
const MOST: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct PreviousReports(Mutex<HashMap<EditorReportKey, Verdict>>);

/// A file, and who speaks of it.
type EditorReportKey = (PathBuf, String);

impl PreviousReports {
    /// Those of which something else is said than was last. Of what is not mentioned any more, there or elsewhere, nothing is wrong, if all was mentioned;
    /// of what is mentioned as not known nothing is other.
    pub(super) fn changed(
        &self,
        said: Vec<DiagnosticsReport>,
        is_cut: bool,
        mentioned: &BTreeSet<PathBuf>,
    ) -> Vec<DiagnosticsReport> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_mentioned = |(path, source): &EditorReportKey| {
            // Who does not know what one says of it does not know what the others do.
            let is_its = |report: &DiagnosticsReport| {
                report.source == *source || report.verdict.diagnostics().is_none()
            };
            said.iter().any(|report| report.path == *path && is_its(report)) || mentioned.contains(path)
        };
        let gone: Vec<_> = last.keys().filter(|key| !is_cut && !is_mentioned(key)).cloned().collect();
        let mut changed = Vec::new();
        for (path, source) in gone {
            let before = last.remove(&(path.clone(), source.clone()));
            if before.as_ref().and_then(Verdict::diagnostics).is_some_and(|items| !items.is_empty()) {
                changed.push(DiagnosticsReport::new(path, source, Verdict::Likely(Vec::new())));
            }
        }
        let is_other = |report: &DiagnosticsReport| {
            if report.verdict.diagnostics().is_none() {
                return false;
            }
            let key = (report.path.clone(), report.source.clone());
            if last.len() >= MOST && !last.contains_key(&key) {
                return true;
            }
            let before = last.insert(key, report.verdict.clone());
            before.is_none_or(|before| before.diagnostics() != report.verdict.diagnostics())
        };
        changed.extend(said.into_iter().filter(is_other));
        changed
    }
}

#[cfg(test)]
mod tests {
    use copydesk_servers::{Diagnostic, DiagnosticSpan, Severity};

    use super::*;

    fn report(name: &str, said: Verdict) -> DiagnosticsReport {
        DiagnosticsReport::new(name.into(), "s", said)
    }

    fn wrong() -> Verdict {
        let (span, message) = (DiagnosticSpan::default(), "wrong".into());
        let (severity, related) = (Severity::Error, Vec::new());
        Verdict::Proven(vec![Diagnostic { span, severity, code: None, source: None, message, related }])
    }

    fn unknown() -> Verdict {
        Verdict::Unknown { why: "typing".to_owned() }
    }

    #[test]
    fn what_is_not_known_for_a_while_was_neither_fixed_nor_is_it_new_then() {
        let others = PreviousReports::default();
        let told = |said: Verdict| others.changed(vec![report("b", said)], false, &BTreeSet::new());
        assert_eq!(told(wrong()), [report("b", wrong())]);
        assert_eq!(told(unknown()), []);
        assert_eq!(told(wrong()), []);
        // Nor what another one said of it.
        let compiler = || DiagnosticsReport::new("b".into(), "rustc", wrong());
        assert_eq!(
            others.changed(vec![report("b", wrong()), compiler()], false, &BTreeSet::new()),
            [compiler()]
        );
        assert_eq!(told(unknown()), []);
        assert_eq!(others.changed(vec![report("b", wrong()), compiler()], false, &BTreeSet::new()), []);
    }

    #[test]
    fn only_what_a_whole_answer_does_not_mention_is_gone() {
        let others = PreviousReports::default();
        others.changed(vec![report("b", wrong())], false, &BTreeSet::new());
        assert_eq!(others.changed(Vec::new(), true, &BTreeSet::new()), []);
        let fixed = report("b", Verdict::Likely(Vec::new()));
        assert_eq!(others.changed(Vec::new(), false, &BTreeSet::new()), [fixed]);
    }
}
