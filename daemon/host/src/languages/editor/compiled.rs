//! What a compiler says through an editor's language server: it looks only at what is saved, so that what it said is not known any more when
//! the server still is. It is reported under its own name: else what it has not seen again would be told as fixed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use copydesk_servers::known::servers;
use copydesk_servers::{Diagnostic, Report, Said};

/// Files of which it is remembered that a compiler has to do with them.
const MOST: usize = 1000;

/// Sources that have not seen a text, of those that an editor names, and letters of their names.
const MOST_UNSEEN: usize = 4;
const MOST_NAME: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Compiled(Mutex<BTreeSet<PathBuf>>);

impl Compiled {
    /// What is left of what was said of a file, and the reports of compilers on it. Where one has to do with a file it is always heard: that
    /// it says nothing is its word, too.
    pub(super) fn apart(
        &self,
        path: &Path,
        mut items: Vec<Diagnostic>,
        unseen: &[String],
        said: impl Fn(Vec<Diagnostic>) -> Said,
    ) -> (Vec<Diagnostic>, Vec<Report>) {
        let names = unseen.iter().take(MOST_UNSEEN).map(|name| name.chars().take(MOST_NAME).collect());
        let unseen: Vec<String> = names.collect();
        let unknown = |name: &String| {
            let said = Said::Unknown { why: "it looks only at what is saved".to_owned() };
            Report::new(path.to_owned(), name.clone(), said)
        };
        let mut reports: Vec<_> = unseen.iter().map(unknown).collect();
        let compilers =
            servers().iter().filter_map(|server| Some((server.quirks.compiler()?, &server.quirks)));
        for (name, quirks) in compilers {
            let is_own =
                |item: &Diagnostic| item.source.as_deref().is_some_and(|source| quirks.follows_save(source));
            let is_unseen = unseen.iter().any(|unseen| unseen == name);
            if !self.is_for(path, is_unseen || items.iter().any(is_own)) {
                continue;
            }
            let (own, others) = items.into_iter().partition(is_own);
            items = others;
            if !is_unseen {
                reports.push(Report::new(path.to_owned(), name, said(own)));
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
    use copydesk_servers::{Severity, Span};

    use super::*;

    fn item(source: &str) -> Diagnostic {
        let (span, message, source) = (Span::default(), source.into(), Some(source.into()));
        Diagnostic { span, severity: Severity::Error, code: None, source, message, related: Vec::new() }
    }

    #[test]
    fn what_a_compiler_has_not_seen_again_is_not_known_and_what_it_has_is_its_own() {
        let compiled = Compiled::default();
        let apart = |items: &[&str], unseen: &[&str]| {
            let items = items.iter().map(|source| item(source)).collect();
            let unseen: Vec<_> = unseen.iter().map(|name| (*name).to_owned()).collect();
            compiled.apart(Path::new("/a"), items, &unseen, Said::Proven)
        };
        let own = |said: Said| vec![Report::new("/a".into(), "rustc", said)];
        let unknown = Said::Unknown { why: "it looks only at what is saved".to_owned() };
        // Nothing of a compiler.
        assert_eq!(apart(&["native"], &[]), (vec![item("native")], Vec::new()));
        let said = Said::Proven(vec![item("rustc"), item("clippy")]);
        assert_eq!(apart(&["native", "rustc", "clippy"], &[]), (vec![item("native")], own(said)));
        assert_eq!(apart(&["native", "rustc"], &["rustc"]), (vec![item("native")], own(unknown)));
        assert_eq!(apart(&[], &[]), (Vec::new(), own(Said::Proven(Vec::new()))));
    }
}
