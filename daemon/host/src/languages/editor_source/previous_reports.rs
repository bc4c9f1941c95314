//! An editor's last reports on files beyond the checked ones. A report that differs from the last one may be the effect of a change.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use copydesk_servers::{DiagnosticsReport, Verdict};

/// The cap on remembered reports.
const MAX_REPORTS: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct PreviousReports(Mutex<HashMap<EditorReportKey, Verdict>>);

/// A file, and the source of the report.
type EditorReportKey = (PathBuf, String);

impl PreviousReports {
    /// The reports that differ from the last ones. A file that is in neither `reports` nor `mentioned` is clean now, unless the cap cut the
    /// list off (`is_cut`). An unknown file has not changed.
    pub(super) fn changed(
        &self,
        reports: Vec<DiagnosticsReport>,
        is_cut: bool,
        mentioned: &BTreeSet<PathBuf>,
    ) -> Vec<DiagnosticsReport> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_mentioned = |(path, source): &EditorReportKey| {
            // If one source is unknown for a file, the others are too.
            let is_about = |report: &DiagnosticsReport| {
                report.source == *source || report.verdict.diagnostics().is_none()
            };
            reports.iter().any(|report| report.path == *path && is_about(report)) || mentioned.contains(path)
        };
        let gone: Vec<_> = last.keys().filter(|key| !is_cut && !is_mentioned(key)).cloned().collect();
        let mut changed = Vec::new();
        for (path, source) in gone {
            let before = last.remove(&(path.clone(), source.clone()));
            if before.as_ref().and_then(Verdict::diagnostics).is_some_and(|items| !items.is_empty()) {
                changed.push(DiagnosticsReport::new(path, source, Verdict::Likely(Vec::new())));
            }
        }
        let is_changed = |report: &DiagnosticsReport| {
            if report.verdict.diagnostics().is_none() {
                return false;
            }
            let key = (report.path.clone(), report.source.clone());
            if last.len() >= MAX_REPORTS && !last.contains_key(&key) {
                return true;
            }
            let before = last.insert(key, report.verdict.clone());
            before.is_none_or(|before| before.diagnostics() != report.verdict.diagnostics())
        };
        changed.extend(reports.into_iter().filter(is_changed));
        changed
    }
}

#[cfg(test)]
mod tests {
    use copydesk_servers::{Diagnostic, DiagnosticSpan, Severity};

    use super::*;

    fn report(name: &str, verdict: Verdict) -> DiagnosticsReport {
        DiagnosticsReport::new(name.into(), "s", verdict)
    }

    fn wrong() -> Verdict {
        let (span, message) = (DiagnosticSpan::default(), "wrong".into());
        let (severity, related) = (Severity::Error, Vec::new());
        Verdict::Proven(vec![Diagnostic {
            span,
            severity,
            code: None,
            source: None,
            message,
            related,
            data: None,
        }])
    }

    fn unknown() -> Verdict {
        Verdict::Unknown { why: "typing".to_owned() }
    }

    #[test]
    fn an_unknown_report_is_no_change_and_hides_none() {
        let previous = PreviousReports::default();
        let changed =
            |verdict: Verdict| previous.changed(vec![report("b", verdict)], false, &BTreeSet::new());
        assert_eq!(changed(wrong()), [report("b", wrong())]);
        assert_eq!(changed(unknown()), []);
        assert_eq!(changed(wrong()), []);
        // The same for a second source.
        let compiler = || DiagnosticsReport::new("b".into(), "rustc", wrong());
        assert_eq!(
            previous.changed(vec![report("b", wrong()), compiler()], false, &BTreeSet::new()),
            [compiler()]
        );
        assert_eq!(changed(unknown()), []);
        assert_eq!(previous.changed(vec![report("b", wrong()), compiler()], false, &BTreeSet::new()), []);
    }

    #[test]
    fn only_a_complete_answer_that_omits_a_file_means_it_is_fixed() {
        let previous = PreviousReports::default();
        previous.changed(vec![report("b", wrong())], false, &BTreeSet::new());
        assert_eq!(previous.changed(Vec::new(), true, &BTreeSet::new()), []);
        let fixed = report("b", Verdict::Likely(Vec::new()));
        assert_eq!(previous.changed(Vec::new(), false, &BTreeSet::new()), [fixed]);
    }
}
