//! Files that a change may break, but that an editor's servers report nothing for while they are closed.
//!
//! Each check of a changed file includes them, before the change and after it: the first check is the baseline. A dependent that was
//! never known is not reported as unknown, except one beyond the limit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use copydesk_servers::known_servers::{ServerRole, configured_languages, known_servers, language_of};
use copydesk_servers::{
    CheckedDocument, DependentFiles, DependentsQuery, DiagnosticsReport, DocumentProvider, MergedDependents,
    find_dependents,
};
use futures_util::future::join_all;
use tokio::time::{Instant, timeout};

use crate::time_limits::CLOSED_DEPENDENTS_TIMEOUT;
use copydesk_servers::time_limits::DEPENDENTS_READ_TIMEOUT;

/// An editor opens at most this many.
const MAX_DEPENDENTS: usize = 16;
/// The cap on changed files of one check whose dependents are searched.
const MAX_CHANGED: usize = 4;
/// The cap on files that were created or deleted at once, and whose users are searched.
const MAX_AFFECTING: usize = 200;
/// The cap on `known`.
const MAX_KNOWN: usize = 1000;

pub(super) struct ClosedDependents {
    texts: Arc<dyn DocumentProvider>,
    root: PathBuf,
    /// Files with an earlier verdict that was not unknown.
    known: Mutex<BTreeSet<PathBuf>>,
}

impl ClosedDependents {
    pub(super) fn new(texts: Arc<dyn DocumentProvider>, root: &Path) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        Self { texts, root, known: Mutex::default() }
    }

    /// The dependents' texts, open files first, and the paths beyond the limit. Neither contains a changed file.
    pub(super) async fn find_dependents(
        &self,
        subjects: &[CheckedDocument],
        open_paths: &BTreeSet<PathBuf>,
        until: Instant,
    ) -> (Vec<CheckedDocument>, Vec<PathBuf>) {
        let until = until.min(Instant::now() + CLOSED_DEPENDENTS_TIMEOUT);
        let searches = subjects.iter().take(MAX_CHANGED).map(|subject| {
            let first_line = subject.text.lines().next().unwrap_or_default();
            let language = language_of(&subject.path, first_line);
            self.search(vec![subject.path.clone()], language, open_paths, until)
        });
        let is_changed = |path: &Path| subjects.iter().any(|subject| subject.path == path);
        let MergedDependents { paths, beyond, .. } =
            DependentFiles::merge(join_all(searches).await, is_changed, MAX_DEPENDENTS);
        if paths.is_empty() {
            return (Vec::new(), beyond);
        }
        let texts = Arc::clone(&self.texts);
        let reading = tokio::task::spawn_blocking(move || {
            paths.iter().filter_map(|path| texts.document(path)).collect()
        });
        let texts =
            timeout(DEPENDENTS_READ_TIMEOUT, reading).await.ok().and_then(Result::ok).unwrap_or_default();
        (texts, beyond)
    }

    /// The users of files that were created or deleted, and the open files of servers that one of these configures.
    pub(super) async fn find_affected(
        &self,
        changed: &[PathBuf],
        open_paths: &BTreeSet<PathBuf>,
        until: Instant,
    ) -> MergedDependents {
        let until = until.min(Instant::now() + CLOSED_DEPENDENTS_TIMEOUT);
        // One search for all files of a language: a moved folder has many.
        let mut groups: BTreeMap<_, Vec<PathBuf>> = BTreeMap::new();
        for path in changed.iter().take(MAX_AFFECTING) {
            groups.entry(language_of(path, "")).or_default().push(path.clone());
        }
        let searches =
            groups.into_iter().map(|(language, paths)| self.search(paths, language, open_paths, until));
        let is_changed = |path: &Path| changed.iter().any(|changed| changed == path);
        let mut merged = DependentFiles::merge(join_all(searches).await, is_changed, MAX_DEPENDENTS);
        let languages: BTreeSet<_> = changed.iter().flat_map(|path| configured_languages(path)).collect();
        let is_configured = |path: &&PathBuf| language_of(path, "").is_some_and(|id| languages.contains(id));
        merged.paths.extend(open_paths.iter().filter(is_configured).cloned());
        merged.is_cut |= changed.len() > MAX_AFFECTING || !languages.is_empty();
        merged
    }

    async fn search(
        &self,
        paths: Vec<PathBuf>,
        language: Option<&str>,
        open_paths: &BTreeSet<PathBuf>,
        until: Instant,
    ) -> DependentFiles {
        let Some(language) = language else { return DependentFiles::default() };
        // A server that serves one of its languages serves the others too.
        let serving = known_servers().iter().filter(|server| {
            server.role == ServerRole::Language && server.languages.iter().any(|one| one == language)
        });
        let publishes_all = serving.clone().any(|server| server.quirks.publishes_all_files());
        let languages: BTreeSet<_> = serving.flat_map(|server| server.languages.clone()).collect();
        let query = DependentsQuery {
            paths,
            root: self.root.clone(),
            languages: languages.into_iter().collect(),
            open_files: open_paths.clone(),
            view: self.texts.search_view(),
            limit: MAX_DEPENDENTS,
        };
        let dependents = find_dependents(query, until).await;
        // Such a server publishes for all files, so none beyond the limit is unchecked.
        if publishes_all { DependentFiles { unchecked: Vec::new(), ..dependents } } else { dependents }
    }

    /// Drops unknown verdicts on files that were never known.
    pub(super) fn filter_known(&self, reports: Vec<DiagnosticsReport>) -> Vec<DiagnosticsReport> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for report in reports.iter().filter(|report| report.verdict.diagnostics().is_some()) {
            if known.len() < MAX_KNOWN {
                known.insert(report.path.clone());
            }
        }
        let is_reported = |report: &DiagnosticsReport| {
            report.verdict.diagnostics().is_some() || known.contains(&report.path)
        };
        reports.into_iter().filter(is_reported).collect()
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
    fn unknown_is_reported_only_for_files_that_were_known_once() {
        let dependents = ClosedDependents::new(Arc::new(NoTexts), Path::new("/w"));
        let reported = |name: &str, verdict: Verdict| {
            dependents.filter_known(vec![DiagnosticsReport::new(name.into(), "s", verdict)]).len()
        };
        let unknown = || Verdict::Unknown { why: "typing".to_owned() };
        assert_eq!(reported("/w/a", unknown()), 0);
        for number in 0..MAX_KNOWN + 1 {
            assert_eq!(reported(&format!("/w/{number}"), Verdict::Proven(Vec::new())), 1, "{number}");
        }
        assert_eq!((reported("/w/0", unknown()), reported(&format!("/w/{MAX_KNOWN}"), unknown())), (1, 0));
    }

    /// The new files come first in the list, and the broken users are those of the old ones.
    #[tokio::test]
    async fn all_users_of_a_moved_folder_are_found_or_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("new")).unwrap();
        for number in 0..6 {
            std::fs::write(root.join(format!("new/m{number}.py")), "x = 1\n").unwrap();
        }
        for number in 0..20 {
            let text = format!("from old.m{} import x\n", number % 6);
            std::fs::write(root.join(format!("user{number}.py")), text).unwrap();
        }
        let names =
            ["new", "old"].into_iter().flat_map(|folder| (0..6).map(move |n| format!("{folder}/m{n}.py")));
        let changed: Vec<_> = names.map(|name| root.join(name)).collect();
        let dependents = ClosedDependents::new(Arc::new(NoTexts), &root);
        let until = Instant::now() + std::time::Duration::from_secs(60);
        let found = dependents.find_affected(&changed, &BTreeSet::new(), until).await;
        let all: BTreeSet<_> = found.paths.iter().chain(&found.beyond).collect();
        let users = (0..20).map(|number| root.join(format!("user{number}.py")));
        assert!(users.into_iter().all(|user| all.contains(&user)) || found.is_cut, "{found:?}");
        assert!(found.paths.len() <= MAX_DEPENDENTS, "{found:?}");
        assert_eq!(all.len(), 20, "{found:?}");
    }
}
