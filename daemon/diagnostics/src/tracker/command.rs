//! The diagnostics after a command, whose changes show on the disk.
//!
//! If our servers or an editor's work in the project, a watcher knows what changed. Otherwise the tracker compares the
//! recently reported files. Only changes made while the command ran count as its own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout_at};

use super::affected_documents::add_unchecked;
use super::unchecked_changes::UncheckedChange;
use super::{DiagnosticsSummary, DiagnosticsTracker, EditedDocument, MAX_RECHECKED_FILES, text_of};
use crate::delta::DiagnosticsDelta;
use crate::report_text;
use crate::time_limits::{CHECKPOINT_TIMEOUT, RELOAD_POLL_INTERVAL, RELOAD_TIMEOUT};
use copydesk_servers::report::DiagnosticsReport;
use copydesk_servers::source::{ChangedFiles, DocumentProvider};

/// For files that a command changed while an editor has another text, perhaps typed by the user. The editor keeps that
/// text.
const KEPT: &str = "The editor still has another text of it, and that is what is read, edited and checked.";

/// The state before a command runs. The default knows nothing.
#[derive(Debug, Default)]
pub struct CommandSnapshot {
    checkpoint: u64,
    /// How long `begin_command` waited.
    waited: Duration,
    /// The recently reported files, as they were.
    known: Vec<(PathBuf, Option<Arc<String>>)>,
    /// Open while the command may change something.
    change: Option<UncheckedChange>,
}

impl DiagnosticsTracker {
    /// Takes the state before a command.
    pub async fn begin_command(&self) -> CommandSnapshot {
        let Some(texts) = self.shared.texts.as_ref().filter(|_| !self.is_disabled()) else {
            return CommandSnapshot::default();
        };
        let started = Instant::now();
        self.shared.warm_ups.wait_until_done(&[], started + self.shared.options.wait / 3).await;
        let waited = started.elapsed();
        let change = Some(self.lock().pending.begin());
        let checkpoint =
            self.shared.sources.checkpoint(&self.real_root(), Instant::now() + CHECKPOINT_TIMEOUT).await;
        let recent = self.lock().recent_paths();
        let text = |path: &Path| texts.document(path).map(|subject| subject.text);
        let known = recent.into_iter().map(|path| (text(&path), path)).map(|(text, path)| (path, text));
        CommandSnapshot { checkpoint, waited, known: known.collect(), change }
    }

    /// Makes editors reload the changed files, and waits until they have.
    async fn reload_in_editors(&self, changed: &BTreeSet<PathBuf>, until: Instant) {
        let Some(texts) = &self.shared.texts else { return };
        let changed = changed.iter().cloned().collect();
        let mut outdated = filter_paths(texts, changed, |texts, path| texts.reload(path), until).await;
        while !outdated.is_empty() && Instant::now() < until {
            sleep(RELOAD_POLL_INTERVAL).await;
            outdated =
                filter_paths(texts, outdated, |texts, path| texts.differs_from_disk(path), until).await;
        }
    }

    /// What is new after a command.
    pub async fn finish_command(&self, command: CommandSnapshot) -> Option<DiagnosticsSummary> {
        let started = Instant::now();
        let until = started + self.shared.options.wait.saturating_sub(command.waited);
        let texts = self.shared.texts.as_ref()?;
        let root = self.real_root();
        let ChangedFiles { paths: seen, is_incomplete } =
            self.shared.sources.changes_since(command.checkpoint, &root, until).await;
        let mut changed: BTreeSet<PathBuf> = seen.iter().cloned().collect();
        let is_other = |(path, text): &(PathBuf, Option<Arc<String>>)| {
            path.starts_with(&root) && texts.document(path).map(|now| now.text) != *text
        };
        changed.extend(command.known.into_iter().filter(is_other).map(|(path, _)| path));
        self.reload_in_editors(&changed, until.min(Instant::now() + RELOAD_TIMEOUT)).await;
        let (mut edited, mut unchecked_count) = (Vec::new(), 0_usize);
        for path in changed {
            if edited.len() >= MAX_RECHECKED_FILES {
                unchecked_count += 1;
                continue;
            }
            let now = texts.document(&path);
            // The file exists, but is not for the model or cannot be checked. It must not count as deleted.
            if now.is_none() && path.symlink_metadata().is_ok() {
                unchecked_count += 1;
                continue;
            }
            if !self.lock().own_edits.is_own_text(&path, now.as_ref().map(|now| &now.text)) {
                let is_saved = now.as_ref().is_none_or(|now| now.is_saved);
                edited.push(EditedDocument { path, before: None, after: now.map(|now| now.text), is_saved });
            }
        }
        if edited.is_empty() && !is_incomplete {
            return self.add_editor_note(&seen, None, until).await;
        }
        // It is not known which of them did not exist.
        let change = self.record_change(&edited, false);
        drop(command.change);
        let (mut documents, unchecked) = self.documents_to_check(&edited, until).await;
        let until = started + self.shared.options.wide_wait().saturating_sub(command.waited);
        // Changes that others made to other files are not the command's.
        documents.retain(|subject| {
            let text = Some(&subject.text);
            let state = self.lock();
            !state.history.is_other_text(&subject.path, text)
                || edited.iter().any(|edited| edited.path == subject.path)
        });
        let (subjects, mut reports) = self.check(documents.clone(), until).await;
        add_unchecked(&mut reports, unchecked);
        // Servers may have heard of the command's changes before this check, so their previous diagnostics may include
        // them.
        for report in
            reports.iter_mut().filter(|report| edited.iter().any(|edited| edited.path == report.path))
        {
            report.previous = None;
        }
        // The list of changes is incomplete, so a source may not know all of them.
        if is_incomplete {
            reports.iter_mut().for_each(|report| report.verdict.downgrade_to_likely());
            reports.push(DiagnosticsReport::unseen_changes(&root));
        }
        // The baseline of a command comes from earlier reports only.
        let delta = self.compare(&[], &subjects, &reports, Vec::new(), &change);
        let mut summary =
            self.summarize(&delta, &|path| text_of(&subjects)(path).cloned(), started.elapsed());
        if let Some(summary) = summary.as_mut().filter(|_| unchecked_count > 0) {
            let files = if unchecked_count == 1 { "file was" } else { "files were" };
            summary.output.push_str(&format!("{unchecked_count} more changed {files} not looked at.\n"));
        }
        self.wait_for_late(documents, &delta, change, is_incomplete);
        self.add_editor_note(&seen, summary, until).await
    }

    /// Adds a note on files that changed on the disk while an editor has another text.
    async fn add_editor_note(
        &self,
        seen: &[PathBuf],
        summary: Option<DiagnosticsSummary>,
        until: Instant,
    ) -> Option<DiagnosticsSummary> {
        let texts = self.shared.texts.as_ref()?;
        let until = until.max(Instant::now() + RELOAD_POLL_INTERVAL);
        let outdated =
            filter_paths(texts, seen.to_vec(), |texts, path| texts.differs_from_disk(path), until).await;
        if outdated.is_empty() {
            return summary;
        }
        let root = &self.shared.root;
        let nothing = || {
            let metadata = report_text::build_metadata(
                &DiagnosticsDelta::compute(&[], &[], self.shared.options.min_severity),
                root,
                Duration::ZERO,
            );
            DiagnosticsSummary { output: String::new(), metadata }
        };
        let mut summary = summary.unwrap_or_else(nothing);
        let names = self.join_paths(&outdated.iter().collect());
        summary.output.push_str(&format!("Changed or deleted on the disk only: {names}. {KEPT}\n"));
        Some(summary)
    }
}

/// The paths that satisfy `predicate`. A disk that does not answer in time yields none.
async fn filter_paths(
    texts: &Arc<dyn DocumentProvider>,
    paths: Vec<PathBuf>,
    predicate: fn(&dyn DocumentProvider, &Path) -> bool,
    until: Instant,
) -> Vec<PathBuf> {
    let texts = Arc::clone(texts);
    let filtering =
        spawn_blocking(move || paths.into_iter().filter(|path| predicate(&*texts, path)).collect());
    timeout_at(until, filtering).await.ok().and_then(Result::ok).unwrap_or_default()
}
