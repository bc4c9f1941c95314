//! What a command did: its changes are seen on the disk.
//!
//! Where servers of ours work, or an editor's do, the project is watched over, and it is known what was changed; else the files that were
//! told of last are looked at. Only what was changed while the command ran is taken for its doing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout_at};

use super::unchecked_changes::UncheckedChange;
use super::{DiagnosticsSummary, DiagnosticsTracker, EditedDocument, MOST_AGAIN, text_of};
use crate::delta::DiagnosticsDelta;
use crate::report_text;
use crate::time_limits::{CHECKPOINT_TIMEOUT, RELOAD_POLL_INTERVAL, RELOAD_TIMEOUT};
use copydesk_servers::source::{ChangedFiles, CheckedDocument, DocumentProvider};

/// Of files that a command changed and of which an editor has another text, which a person may have typed: it is not read over.
const KEPT: &str = "The editor still has another text of it, and that is what is read, edited and checked.";

/// A command that is going to run. Nothing of it is known by default.
#[derive(Debug, Default)]
pub struct CommandSnapshot {
    moment: u64,
    /// How long was waited before it.
    waited: Duration,
    /// The files that were told of last, as they were.
    known: Vec<(PathBuf, Option<Arc<String>>)>,
    /// What it may be changing.
    change: Option<UncheckedChange>,
}

impl DiagnosticsTracker {
    /// How things are before a command.
    pub async fn begin_command(&self) -> CommandSnapshot {
        let Some(texts) = self.shared.texts.as_ref().filter(|_| !self.is_disabled()) else {
            return CommandSnapshot::default();
        };
        let begun = Instant::now();
        self.shared.reading.wait_until_done(&[], begun + self.shared.options.wait / 3).await;
        let waited = begun.elapsed();
        let change = Some(self.lock().pending.begin());
        let moment =
            self.shared.sources.checkpoint(&self.real_root(), Instant::now() + CHECKPOINT_TIMEOUT).await;
        let latest = self.lock().latest();
        let text = |path: &Path| texts.document(path).map(|subject| subject.text);
        let known = latest.into_iter().map(|path| (text(&path), path)).map(|(text, path)| (path, text));
        CommandSnapshot { moment, waited, known: known.collect(), change }
    }

    /// Has editors read again what was changed behind their backs, and waits until they have.
    async fn read_again(&self, changed: &BTreeSet<PathBuf>, until: Instant) {
        let Some(texts) = &self.shared.texts else { return };
        let changed = changed.iter().cloned().collect();
        let mut behind = those(texts, changed, |texts, path| texts.reload(path), until).await;
        while !behind.is_empty() && Instant::now() < until {
            sleep(RELOAD_POLL_INTERVAL).await;
            behind = those(texts, behind, |texts, path| texts.differs_from_disk(path), until).await;
        }
    }

    /// What is new after it.
    pub async fn finish_command(&self, command: CommandSnapshot) -> Option<DiagnosticsSummary> {
        let begun = Instant::now();
        let until = begun + self.shared.options.wait.saturating_sub(command.waited);
        let texts = self.shared.texts.as_ref()?;
        let root = self.real_root();
        let ChangedFiles { paths: seen, is_truncated: is_cut } =
            self.shared.sources.changes_since(command.moment, &root, until).await;
        let mut changed: BTreeSet<PathBuf> = seen.iter().cloned().collect();
        let is_other = |(path, text): &(PathBuf, Option<Arc<String>>)| {
            path.starts_with(&root) && texts.document(path).map(|now| now.text) != *text
        };
        changed.extend(command.known.into_iter().filter(is_other).map(|(path, _)| path));
        self.read_again(&changed, until.min(Instant::now() + RELOAD_TIMEOUT)).await;
        let (mut edited, mut more) = (Vec::new(), 0_usize);
        for path in changed {
            if edited.len() >= MOST_AGAIN {
                more += 1;
                continue;
            }
            let now = texts.document(&path);
            // It is there, and not for the model, or not to be checked: that it is gone would be a lie.
            if now.is_none() && path.symlink_metadata().is_ok() {
                more += 1;
                continue;
            }
            if !self.lock().made.is_own_text(&path, now.as_ref().map(|now| &now.text)) {
                let is_saved = now.as_ref().is_none_or(|now| now.is_saved);
                edited.push(EditedDocument { path, before: None, after: now.map(|now| now.text), is_saved });
            }
        }
        if edited.is_empty() {
            return self.kept(&seen, None, until).await;
        }
        // Nobody knows which of them were not there.
        let change = self.made(&edited, false);
        drop(command.change);
        let mut asked = self.subjects(&edited);
        // What somebody else did to other files is not its doing.
        let is_changed = |subject: &CheckedDocument| edited.iter().any(|edited| edited.path == subject.path);
        asked.retain(|subject| {
            is_changed(subject) || self.lock().ledger.has_report_on(&subject.path, Some(&subject.text))
        });
        let (subjects, mut reports) = self.check(asked.clone(), until).await;
        // Servers may have been told of what it wrote before they were asked: what they think of the past may be after it.
        for report in
            reports.iter_mut().filter(|report| edited.iter().any(|edited| edited.path == report.path))
        {
            report.previous = None;
        }
        // Nor is it sure that all who were asked know of all that it changed.
        reports.iter_mut().filter(|_| is_cut).for_each(|report| report.verdict.downgrade_to_likely());
        // What was there before a command is known from the reports on it, if at all.
        let delta = self.compare(&[], &subjects, &reports, Vec::new(), &change);
        let mut told = self.told(&delta, &|path| text_of(&subjects)(path).cloned(), begun.elapsed());
        if let Some(told) = told.as_mut().filter(|_| more > 0) {
            let files = if more == 1 { "file was" } else { "files were" };
            told.output.push_str(&format!("{more} more changed {files} not looked at.\n"));
        }
        self.wait_for_late(asked, &delta, change, is_cut);
        self.kept(&seen, told, until).await
    }

    /// With a word on files that were changed on the disk and of which an editor has another text.
    async fn kept(
        &self,
        seen: &[PathBuf],
        told: Option<DiagnosticsSummary>,
        until: Instant,
    ) -> Option<DiagnosticsSummary> {
        let texts = self.shared.texts.as_ref()?;
        let until = until.max(Instant::now() + RELOAD_POLL_INTERVAL);
        let behind = those(texts, seen.to_vec(), |texts, path| texts.differs_from_disk(path), until).await;
        if behind.is_empty() {
            return told;
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
        let mut told = told.unwrap_or_else(nothing);
        let named = self.join_paths(&behind.iter().collect());
        told.output.push_str(&format!("Changed or deleted on the disk only: {named}. {KEPT}\n"));
        Some(told)
    }
}

/// The paths of which this is so. The disk is not waited for longer.
async fn those(
    texts: &Arc<dyn DocumentProvider>,
    paths: Vec<PathBuf>,
    is_so: fn(&dyn DocumentProvider, &Path) -> bool,
    until: Instant,
) -> Vec<PathBuf> {
    let texts = Arc::clone(texts);
    let looking = spawn_blocking(move || paths.into_iter().filter(|path| is_so(&*texts, path)).collect());
    timeout_at(until, looking).await.ok().and_then(Result::ok).unwrap_or_default()
}
