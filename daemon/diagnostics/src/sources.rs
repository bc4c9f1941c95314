//! All sources of a session, and which of them is asked about which text.
//!
//! The editor's own servers come first: a second server for what the person's editor serves would be one too many. Where the
//! editor has nothing to say, our pool is asked. Checkers are asked beside them, where they are configured. A grammar finds
//! mistakes of form only, and is asked about what nobody else knows.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::time::Instant;

use copydesk_servers::report::{DiagnosticsReport, Proof};
use copydesk_servers::source::{
    ChangedFiles, CheckFuture, CheckedDocument, CommandWatcher, DiagnosticsSource,
};

use crate::time_limits::{EDITOR_TIMEOUT, SYNTAX_TIMEOUT};

/// Each may be missing.
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

/// In what way they are asked.
type CheckMethod = for<'a> fn(&'a dyn DiagnosticsSource, &'a [CheckedDocument], Instant) -> CheckFuture<'a>;

/// How much is to be known of a file that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WarmUpScope {
    /// What is said of it alone, which is known soonest.
    FileOnly,
    /// What is said of it and of all that it may break.
    WithDependents,
    /// The same, however long the servers need to be ready.
    WhenReady,
}

impl DiagnosticsSources {
    /// Nobody can say anything.
    pub fn is_empty(&self) -> bool {
        [&self.editor, &self.pool, &self.checkers, &self.syntax].iter().all(|source| source.is_none())
    }

    /// Everything that is known by then.
    pub async fn check(&self, subjects: &[CheckedDocument], until: Instant) -> Vec<DiagnosticsReport> {
        self.ask(|source, subjects, until| source.check(subjects, until), subjects, until).await
    }

    /// What servers of ours say of files that may be changed next. Nothing where an editor has servers: it is not made to open
    /// files that nobody changes.
    pub async fn warm_up(
        &self,
        warming: WarmUpScope,
        subjects: &[CheckedDocument],
        root: &Path,
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        if self.oversee(root, until.min(Instant::now() + EDITOR_TIMEOUT)).await {
            return Vec::new();
        }
        let Some(pool) = &self.pool else { return Vec::new() };
        match warming {
            WarmUpScope::FileOnly => pool.check_file_only(subjects, until).await,
            WarmUpScope::WithDependents => pool.warm_up(subjects, until).await,
            WarmUpScope::WhenReady => pool.check_when_ready(subjects, until).await,
        }
    }

    /// Tells whether an editor serves, whose servers do not say what they see on the disk: so somebody else has to look.
    async fn oversee(&self, root: &Path, until: Instant) -> bool {
        let Some(editor) = &self.editor else { return false };
        let is_served = editor.serves(until).await;
        if let Some(witness) = self.watcher.as_ref().filter(|_| is_served) {
            witness.watch_folder(root);
        }
        is_served
    }

    /// The same, with time to wait for whoever is not ready.
    pub async fn check_when_ready(
        &self,
        subjects: &[CheckedDocument],
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        self.ask(|source, subjects, until| source.check_when_ready(subjects, until), subjects, until).await
    }

    /// What would be said if these were the texts. Of what an editor serves our own servers are not asked: none may be there for it.
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

    /// This moment, for [`Self::changed`] below a folder.
    pub async fn checkpoint(&self, below: &Path, until: Instant) -> u64 {
        let Some(witness) = &self.watcher else { return 0 };
        // An editor that does not answer leaves time for what was changed before to be seen.
        let now = Instant::now();
        self.oversee(below, now + until.saturating_duration_since(now) / 2).await;
        witness.checkpoint(until).await
    }

    /// What of the files below a folder that are served was changed on the disk since a moment.
    pub async fn changes_since(&self, since: u64, below: &Path, until: Instant) -> ChangedFiles {
        match &self.watcher {
            Some(witness) => witness.changes_since(since, below, until).await,
            None => ChangedFiles::default(),
        }
    }

    async fn ask(
        &self,
        asking: CheckMethod,
        subjects: &[CheckedDocument],
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        let by = async |source: &Option<Arc<dyn DiagnosticsSource>>,
                        subjects: &[CheckedDocument],
                        until: Instant| match source {
            Some(source) if !subjects.is_empty() => asking(&**source, subjects, until).await,
            _ => Vec::new(),
        };
        let of = async |source: &Option<Arc<dyn DiagnosticsSource>>, subjects: &[CheckedDocument]| {
            by(source, subjects, until).await
        };
        let servers = async {
            let mut reports = of(&self.editor, subjects).await;
            let served = paths(&reports, |_| true);
            if let Some(pool) = self.pool.as_ref().filter(|_| !served.is_empty()) {
                pool.mark_redundant(&served.iter().cloned().collect::<Vec<_>>());
            }
            let own = of(&self.pool, &except(subjects, &served)).await;
            // What the editor says of another file counts more than what we think of it.
            reports.extend(own.into_iter().filter(|report| !served.contains(&report.path)));
            reports
        };
        let (mut reports, checked) = tokio::join!(servers, of(&self.checkers, subjects));
        reports.extend(checked);
        let known = paths(&reports, |report| report.verdict.proof() != Proof::Unknown);
        // It is asked when the others may have taken all the time.
        let until = until.max(Instant::now() + SYNTAX_TIMEOUT);
        reports.extend(by(&self.syntax, &except(subjects, &known), until).await);
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
