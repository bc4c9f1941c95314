//! All diagnostics sources of a session, and which source checks which text.
//!
//! The editor's own servers come first: the daemon starts no second server for what the user's editor serves. If the
//! editor reports nothing on a file, the pool checks it. Configured checkers run beside both. The syntax source sees
//! syntax errors only, so it checks just the files that no other source knows.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::time::Instant;

use copydesk_servers::report::{DiagnosticsReport, Proof};
use copydesk_servers::source::{
    AffectedFiles, ChangedFiles, CheckFuture, CheckedDocument, CommandWatcher, DiagnosticsSource,
};

use crate::time_limits::{EDITOR_TIMEOUT, SYNTAX_TIMEOUT};

/// Each source is optional.
#[derive(Clone, Default)]
pub struct DiagnosticsSources {
    pub editor: Option<Arc<dyn DiagnosticsSource>>,
    pub pool: Option<Arc<dyn DiagnosticsSource>>,
    pub checkers: Option<Arc<dyn DiagnosticsSource>>,
    pub syntax: Option<Arc<dyn DiagnosticsSource>>,
    pub watcher: Option<Arc<dyn CommandWatcher>>,
}

impl std::fmt::Debug for DiagnosticsSources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiagnosticsSources").finish_non_exhaustive()
    }
}

/// Which method of a source to call.
type CheckMethod = for<'a> fn(&'a dyn DiagnosticsSource, &'a [CheckedDocument], Instant) -> CheckFuture<'a>;

/// How much to check of a file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUpScope {
    /// The file alone, which is fastest.
    FileOnly,
    /// The file and its dependents.
    WithDependents,
    /// The same, waiting until the servers are ready.
    WhenReady,
}

impl DiagnosticsSources {
    pub fn is_empty(&self) -> bool {
        [&self.editor, &self.pool, &self.checkers, &self.syntax].iter().all(|source| source.is_none())
    }

    /// All reports that are known at the deadline.
    pub async fn check(&self, subjects: &[CheckedDocument], until: Instant) -> Vec<DiagnosticsReport> {
        self.ask(|source, subjects, until| source.check(subjects, until), subjects, until).await
    }

    /// The pool's reports on files that may be edited next. Empty if the editor has servers: it should not open files
    /// that the session only reads.
    pub async fn warm_up(
        &self,
        warming: WarmUpScope,
        subjects: &[CheckedDocument],
        root: &Path,
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        if self.watch_if_editor_serves(root, until.min(Instant::now() + EDITOR_TIMEOUT)).await {
            return Vec::new();
        }
        let Some(pool) = &self.pool else { return Vec::new() };
        let reports = match warming {
            WarmUpScope::FileOnly => pool.check_file_only(subjects, until).await,
            WarmUpScope::WithDependents => pool.warm_up(subjects, until).await,
            WarmUpScope::WhenReady => pool.check_when_ready(subjects, until).await,
        };
        reports.iter().for_each(DiagnosticsReport::log_if_unknown);
        reports
    }

    /// Returns whether the editor has servers. They do not report what they see on the disk, so our watcher then
    /// watches the folder.
    async fn watch_if_editor_serves(&self, root: &Path, until: Instant) -> bool {
        let Some(editor) = &self.editor else { return false };
        let is_served = editor.serves(until).await;
        if let Some(watcher) = self.watcher.as_ref().filter(|_| is_served) {
            watcher.watch_folder(root);
        }
        is_served
    }

    /// The files that these changes affect, although the check of the changed files does not reveal them. The pool is
    /// not asked about what an editor serves.
    pub async fn affected_files(&self, changed: &[PathBuf], until: Instant) -> AffectedFiles {
        let mut affected = AffectedFiles::default();
        for source in [&self.editor, &self.pool].into_iter().flatten() {
            let AffectedFiles { paths, unchecked } = source.affected_files(changed, until).await;
            affected
                .paths
                .extend(paths.into_iter().filter(|path| !affected.paths.contains(path)).collect::<Vec<_>>());
            affected.unchecked.extend(unchecked);
        }
        affected
    }

    /// Waits until the running sources can check these texts.
    pub async fn wait_until_ready(&self, subjects: &[CheckedDocument], until: Instant) {
        for source in [&self.editor, &self.pool, &self.checkers].into_iter().flatten() {
            source.wait_until_ready(subjects, until).await;
        }
    }

    /// Like [`Self::check`], but waits for sources that are not ready.
    pub async fn check_when_ready(
        &self,
        subjects: &[CheckedDocument],
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        self.ask(|source, subjects, until| source.check_when_ready(subjects, until), subjects, until).await
    }

    /// The reports on texts that are only proposed. The pool checks nothing that an editor serves: it may have no
    /// server for it.
    pub async fn check_proposed(
        &self,
        subjects: &[CheckedDocument],
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        let mut sources = self.clone();
        if let Some(editor) = &self.editor
            && self.pool.is_some()
            && editor.serves(until).await
        {
            sources.pool = None;
        }
        sources.ask(|source, subjects, until| source.check_proposed(subjects, until), subjects, until).await
    }

    /// A checkpoint for [`Self::changes_since`] below a folder.
    pub async fn checkpoint(&self, below: &Path, until: Instant) -> u64 {
        let Some(watcher) = &self.watcher else { return 0 };
        // Half of the time is for an editor that does not answer; the rest is for the watcher to see earlier changes.
        let now = Instant::now();
        self.watch_if_editor_serves(below, now + until.saturating_duration_since(now) / 2).await;
        watcher.checkpoint(below, until).await
    }

    /// The served files below a folder that changed on the disk since a checkpoint.
    pub async fn changes_since(&self, since: u64, below: &Path, until: Instant) -> ChangedFiles {
        match &self.watcher {
            Some(watcher) => watcher.changes_since(since, below, until).await,
            None => ChangedFiles::default(),
        }
    }

    async fn ask(
        &self,
        method: CheckMethod,
        subjects: &[CheckedDocument],
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        let ask_until = async |source: &Option<Arc<dyn DiagnosticsSource>>,
                               subjects: &[CheckedDocument],
                               until: Instant| match source {
            Some(source) if !subjects.is_empty() => method(&**source, subjects, until).await,
            _ => Vec::new(),
        };
        let ask = async |source: &Option<Arc<dyn DiagnosticsSource>>, subjects: &[CheckedDocument]| {
            ask_until(source, subjects, until).await
        };
        let servers = async {
            let mut reports = ask(&self.editor, subjects).await;
            let served = paths(&reports, |_| true);
            if let Some(pool) = self.pool.as_ref().filter(|_| !served.is_empty()) {
                pool.mark_redundant(&served.iter().cloned().collect::<Vec<_>>());
            }
            let own = ask(&self.pool, &except(subjects, &served)).await;
            // The editor's report on another file takes precedence over the pool's.
            reports.extend(own.into_iter().filter(|report| !served.contains(&report.path)));
            reports
        };
        let (mut reports, checked) = tokio::join!(servers, ask(&self.checkers, subjects));
        reports.extend(checked);
        let known = paths(&reports, |report| report.verdict.proof() != Proof::Unknown);
        // The other sources may have used up all the time.
        let until = until.max(Instant::now() + SYNTAX_TIMEOUT);
        reports.extend(ask_until(&self.syntax, &except(subjects, &known), until).await);
        reports.iter().for_each(DiagnosticsReport::log_if_unknown);
        reports
    }
}

fn paths(reports: &[DiagnosticsReport], which: impl Fn(&DiagnosticsReport) -> bool) -> HashSet<PathBuf> {
    reports.iter().filter(|report| which(report)).map(|report| report.path.clone()).collect()
}

fn except(subjects: &[CheckedDocument], paths: &HashSet<PathBuf>) -> Vec<CheckedDocument> {
    subjects.iter().filter(|subject| !paths.contains(&subject.path)).cloned().collect()
}

#[cfg(test)]
mod tests;
