//! Files that a change may break and of which an editor's servers say nothing while they are closed.
//!
//! They are asked about with what was changed, before the change and after it, so that there is something to compare with. Of one of which
//! nothing was ever known it is not told that nothing is, unless there are more than are asked about.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use copydesk_servers::known_servers::{ServerRole, known_servers, language_of};
use copydesk_servers::{
    CheckedDocument, DependentFiles, DependentsQuery, DiagnosticsReport, DocumentProvider, find_dependents,
};
use futures_util::future::join_all;
use tokio::time::{Instant, timeout};

use crate::time_limits::CLOSED_DEPENDENTS_TIMEOUT;
use copydesk_servers::time_limits::DEPENDENTS_READ_TIMEOUT;

/// An editor is not made to open more than these.
const MOST: usize = 8;
/// Of the files that one call changed, those that others are looked for.
const MOST_CHANGED: usize = 4;
/// Files of which it is remembered that something was known.
const MOST_KNOWN: usize = 1000;

pub(super) struct ClosedDependents {
    texts: Arc<dyn DocumentProvider>,
    root: PathBuf,
    known: Mutex<BTreeSet<PathBuf>>,
}

impl ClosedDependents {
    pub(super) fn new(texts: Arc<dyn DocumentProvider>, root: &Path) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { texts, root, known: Mutex::default() }
    }

    /// Their texts, those that are open first, and files of which there are too many to be looked at; none of those that were changed themselves.
    pub(super) async fn find_dependents(
        &self,
        subjects: &[CheckedDocument],
        held: &BTreeSet<PathBuf>,
        until: Instant,
    ) -> (Vec<CheckedDocument>, Vec<PathBuf>) {
        let until = until.min(Instant::now() + CLOSED_DEPENDENTS_TIMEOUT);
        let looking = subjects.iter().take(MOST_CHANGED).map(|subject| self.look(subject, held, until));
        let is_changed = |path: &Path| subjects.iter().any(|subject| subject.path == path);
        let (found, beyond) = DependentFiles::merge(join_all(looking).await, is_changed, MOST);
        if found.is_empty() {
            return (Vec::new(), beyond);
        }
        let texts = Arc::clone(&self.texts);
        let reading = tokio::task::spawn_blocking(move || {
            found.iter().filter_map(|path| texts.document(path)).collect()
        });
        let texts =
            timeout(DEPENDENTS_READ_TIMEOUT, reading).await.ok().and_then(Result::ok).unwrap_or_default();
        (texts, beyond)
    }

    async fn look(
        &self,
        subject: &CheckedDocument,
        held: &BTreeSet<PathBuf>,
        until: Instant,
    ) -> DependentFiles {
        let first_line = subject.text.lines().next().unwrap_or_default();
        let Some(language) = language_of(&subject.path, first_line) else { return DependentFiles::default() };
        // Whoever serves one of them serves the others.
        let serving = known_servers().iter().filter(|server| {
            server.role == ServerRole::Language && server.languages.iter().any(|one| one == language)
        });
        let tells_of_all = serving.clone().any(|server| server.quirks.publishes_all_files());
        let languages: BTreeSet<_> = serving.flat_map(|server| server.languages.clone()).collect();
        let mentions = DependentsQuery {
            path: subject.path.clone(),
            root: self.root.clone(),
            languages: languages.into_iter().collect(),
            open_files: held.clone(),
            overlay: self.texts.overlay(),
            limit: MOST,
        };
        let links = find_dependents(mentions, until).await;
        // Of those it is known without a question.
        if tells_of_all { DependentFiles { unchecked: Vec::new(), ..links } } else { links }
    }

    /// What is worth telling of one of them.
    pub(super) fn filter_known(&self, reports: Vec<DiagnosticsReport>) -> Vec<DiagnosticsReport> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for report in reports.iter().filter(|report| report.verdict.diagnostics().is_some()) {
            if known.len() < MOST_KNOWN {
                known.insert(report.path.clone());
            }
        }
        let is_told = |report: &DiagnosticsReport| {
            report.verdict.diagnostics().is_some() || known.contains(&report.path)
        };
        reports.into_iter().filter(is_told).collect()
    }
}

#[cfg(test)]
mod tests {
    use copydesk_servers::Verdict;

    use super::*;

    struct NoTexts;

    impl DocumentProvider for NoTexts {
        fn differs_from_disk(&self, _path: &Path) -> bool {
            false
        }

        fn document(&self, _path: &Path) -> Option<CheckedDocument> {
            None
        }
    }

    #[test]
    fn of_what_nothing_was_ever_known_it_is_not_told_and_what_is_known_is_told_always() {
        let linked = ClosedDependents::new(Arc::new(NoTexts), Path::new("/w"));
        let told = |name: &str, said: Verdict| {
            linked.filter_known(vec![DiagnosticsReport::new(name.into(), "s", said)]).len()
        };
        let unknown = || Verdict::Unknown { why: "typing".to_owned() };
        assert_eq!(told("/w/a", unknown()), 0);
        for number in 0..MOST_KNOWN + 1 {
            assert_eq!(told(&format!("/w/{number}"), Verdict::Proven(Vec::new())), 1, "{number}");
        }
        assert_eq!((told("/w/0", unknown()), told(&format!("/w/{MOST_KNOWN}"), unknown())), (1, 0));
    }
}
