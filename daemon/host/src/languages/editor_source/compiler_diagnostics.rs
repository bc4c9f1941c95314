//! What a compiler says through an editor's language server: it looks only at what is saved, so that what it said is not known any more when
//! the server still is. It is reported under its own name: else what it has not seen again would be told as fixed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use copydesk_servers::known_servers::known_servers;
use copydesk_servers::{Diagnostic, DiagnosticsReport, Verdict};

/// Files of which it is remembered that a compiler has to do with them.
const MOST: usize = 1000;

/// Sources that have not seen a text, of those that an editor names, and letters of their names.
const MOST_UNSEEN: usize = 4;
const MOST_NAME: usize = 100;

#[derive(Debug, Default)]
pub(super) struct CompilerDiagnostics(Mutex<BTreeSet<PathBuf>>);

impl CompilerDiagnostics {
    /// What is left of what was said of a file, and the reports of compilers on it. Where one has to do with a file it is always heard: that
    /// it says nothing is its word, too.
    pub(super) fn split_off_compilers(
        &self,
        path: &Path,
        mut items: Vec<Diagnostic>,
        unseen: &[String],
        said: impl Fn(Vec<Diagnostic>) -> Verdict,
    ) -> (Vec<Diagnostic>, Vec<DiagnosticsReport>) {
        let names = unseen.iter().take(MOST_UNSEEN).map(|name| name.chars().take(MOST_NAME).collect());
        let unseen: Vec<String> = names.collect();
        let unknown = |name: &String| {
            let said = Verdict::Unknown { why: "it looks only at what is saved".to_owned() };
            DiagnosticsReport::new(path.to_owned(), name.clone(), said)
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
                reports.push(DiagnosticsReport::new(path.to_owned(), name, said(own)));
            }
        }
        (items, reports)
    }

    /// Whether a compiler has to do with a file, now or before.
    fn is_for(&self, path: &Path, is_now: bool) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_now && known.len() < MOST {
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
        Diagnostic { span, severity: Severity::Error, code: None, source, message, related: Vec::new() }
    }

    #[test]
    fn what_a_compiler_has_not_seen_again_is_not_known_and_what_it_has_is_its_own() {
        let compiled = CompilerDiagnostics::default();
        let apart = |items: &[&str], unseen: &[&str]| {
            let items = items.iter().map(|source| item(source)).collect();
            let unseen: Vec<_> = unseen.iter().map(|name| (*name).to_owned()).collect();
            compiled.split_off_compilers(Path::new("/a"), items, &unseen, Verdict::Proven)
        };
        let own = |said: Verdict| vec![DiagnosticsReport::new("/a".into(), "rustc", said)];
        let unknown = Verdict::Unknown { why: "it looks only at what is saved".to_owned() };
        // Nothing of a compiler.
        assert_eq!(apart(&["native"], &[]), (vec![item("native")], Vec::new()));
        let said = Verdict::Proven(vec![item("rustc"), item("clippy")]);
        assert_eq!(apart(&["native", "rustc", "clippy"], &[]), (vec![item("native")], own(said)));
        assert_eq!(apart(&["native", "rustc"], &["rustc"]), (vec![item("native")], own(unknown)));
        assert_eq!(apart(&[], &[]), (Vec::new(), own(Verdict::Proven(Vec::new()))));
    }
}
