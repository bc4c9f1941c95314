//! Diagnostics of a compiler that publishes through an editor's language server. A compiler sees only saved files, so its verdict may be
//! unknown while the server's is known. It is reported under the compiler's own name: otherwise a diagnostic that it has not checked again
//! would count as fixed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use copydesk_servers::known_servers::known_servers;
use copydesk_servers::{Diagnostic, DiagnosticsReport, Verdict};

/// The cap on files that are remembered as a compiler's.
const MAX_FILES: usize = 1000;

/// Caps on the editor's list of sources that have not seen a text, and on the characters of a name.
const MAX_UNSEEN: usize = 4;
const MAX_NAME: usize = 100;

#[derive(Debug, Default)]
pub(super) struct CompilerDiagnostics(Mutex<BTreeSet<PathBuf>>);

impl CompilerDiagnostics {
    /// The diagnostics that are no compiler's, and the compilers' reports. Once a compiler has had
    /// diagnostics for a file, or has yet to see it, it always gets a report: an empty one means that the file is clean.
    pub(super) fn split_off_compilers(
        &self,
        path: &Path,
        mut items: Vec<Diagnostic>,
        unseen: &[String],
        verdict: impl Fn(Vec<Diagnostic>) -> Verdict,
    ) -> (Vec<Diagnostic>, Vec<DiagnosticsReport>) {
        let names = unseen.iter().take(MAX_UNSEEN).map(|name| name.chars().take(MAX_NAME).collect());
        let unseen: Vec<String> = names.collect();
        let unknown = |name: &String| {
            let verdict = Verdict::Unknown { why: "it looks only at what is saved".to_owned() };
            DiagnosticsReport::new(path.to_owned(), name.clone(), verdict)
        };
        let mut reports: Vec<_> = unseen.iter().map(unknown).collect();
        let compilers = known_servers()
            .iter()
            .filter_map(|server| Some((server.quirks.compiler_name()?, &server.quirks)));
        for (name, quirks) in compilers {
            let is_own = |item: &Diagnostic| {
                item.source.as_deref().is_some_and(|source| quirks.is_save_only_source(source))
            };
            let is_unseen = unseen.iter().any(|unseen| unseen == name);
            if !self.is_for(path, is_unseen || items.iter().any(is_own)) {
                continue;
            }
            let (own, others) = items.into_iter().partition(is_own);
            items = others;
            if !is_unseen {
                reports.push(DiagnosticsReport::new(path.to_owned(), name, verdict(own)));
            }
        }
        (items, reports)
    }

    /// Whether a compiler reported on a file, now or before.
    fn is_for(&self, path: &Path, is_now: bool) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_now && known.len() < MAX_FILES {
            known.insert(path.to_owned());
        }
        known.contains(path)
    }
}

#[cfg(test)]
mod tests {
    use copydesk_servers::{DiagnosticSpan, Severity};

    use super::*;

    fn item(source: &str) -> Diagnostic {
        let (span, message, source) = (DiagnosticSpan::default(), source.into(), Some(source.into()));
        Diagnostic {
            span,
            severity: Severity::Error,
            code: None,
            source,
            message,
            related: Vec::new(),
            data: None,
        }
    }

    #[test]
    fn a_compiler_has_its_own_report_which_is_unknown_until_it_sees_the_text() {
        let compiler_diagnostics = CompilerDiagnostics::default();
        let split = |items: &[&str], unseen: &[&str]| {
            let items = items.iter().map(|source| item(source)).collect();
            let unseen: Vec<_> = unseen.iter().map(|name| (*name).to_owned()).collect();
            compiler_diagnostics.split_off_compilers(Path::new("/a"), items, &unseen, Verdict::Proven)
        };
        let own = |verdict: Verdict| vec![DiagnosticsReport::new("/a".into(), "rustc", verdict)];
        let unknown = Verdict::Unknown { why: "it looks only at what is saved".to_owned() };
        // No compiler has reported yet.
        assert_eq!(split(&["native"], &[]), (vec![item("native")], Vec::new()));
        let verdict = Verdict::Proven(vec![item("rustc"), item("clippy")]);
        assert_eq!(split(&["native", "rustc", "clippy"], &[]), (vec![item("native")], own(verdict)));
        assert_eq!(split(&["native", "rustc"], &["rustc"]), (vec![item("native")], own(unknown)));
        assert_eq!(split(&[], &[]), (Vec::new(), own(Verdict::Proven(Vec::new()))));
    }
}
