//! Checks a proposed text without making it the document.
//!
//! No server is started for an edit that the user may reject. A running server gets the proposed text and then the true
//! one back: a second server would have to read the whole project, and need its memory again, for each check. Meanwhile
//! the server is locked, so that no other check gets diagnostics of a text that does not exist. The lock is kept until
//! the server has answered for the true text again, so that nothing about the proposed text can pass for news.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::Handle;
use tokio::sync::OwnedRwLockWriteGuard;
use tokio::time::{Instant, timeout_at};

use super::PoolInner;
use super::check::{report_all_unknown, report_for};
use super::dependents::dependent_documents;
use super::slot::{RunningServer, ServerSlot, SlotKey};
use super::source::PoolSource;
use crate::known_servers::language_of;
use crate::report::{DiagnosticsReport, Verdict};
use crate::source::CheckedDocument;
use crate::time_limits::{COLLECT_RESERVE, RESTORE_TIMEOUT};

/// A server, and the documents that it checks with their language ids.
type SlotRequest = (Arc<ServerSlot>, Vec<(CheckedDocument, String)>);

impl PoolSource {
    /// Checks proposed texts, and other files because of them. The documents stay as they are.
    pub async fn check_proposed(
        &self,
        subjects: &[CheckedDocument],
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        let shared = &self.pool.shared;
        let groups = self.running_servers(subjects);
        let checks = groups.iter().map(|(slot, subjects)| check_with_slot(shared, slot, subjects, until));
        join_all(checks).await.into_iter().flatten().collect()
    }

    /// The running servers of these files.
    fn running_servers(&self, subjects: &[CheckedDocument]) -> Vec<SlotRequest> {
        let shared = &self.pool.shared;
        let mut groups: BTreeMap<SlotKey, SlotRequest> = BTreeMap::new();
        for subject in subjects {
            let first_line = subject.text.lines().next().unwrap_or_default();
            for chosen in shared.chooser.servers_for(&subject.path, first_line) {
                let is_served = |word: &String| *word == chosen.name || *word == chosen.language;
                let key = (chosen.name.clone(), chosen.root.clone());
                let slot = shared.slots().get(&key).cloned();
                if let Some(slot) = slot.filter(|_| !self.excluded.iter().any(is_served)) {
                    let group = groups.entry(key).or_insert_with(|| (slot, Vec::new()));
                    group.1.push((subject.clone(), chosen.language));
                }
            }
        }
        groups.into_values().collect()
    }
}

// The lock leases the server: while it has a proposed text, no other check may use it. `until` ends the lease.
#[allow(clippy::await_holding_invalid_type)]
async fn check_with_slot(
    pool: &Arc<PoolInner>,
    slot: &Arc<ServerSlot>,
    subjects: &[(CheckedDocument, String)],
    until: Instant,
) -> Vec<DiagnosticsReport> {
    slot.mark_used();
    let alive = match slot.ready_server() {
        Ok(alive) => alive,
        Err(why) => return report_all_unknown(slot, subjects, &why),
    };
    let Some(lock) = slot.lock_exclusive(Duration::MAX, until).await else {
        return report_all_unknown(slot, subjects, "it is busy with other texts");
    };
    alive.root.settle_changes(pool, until).await;
    let mark = alive.server.event_mark();
    let paths = subjects.iter().map(|(subject, _)| subject.path.clone()).collect();
    let guard = ProposedTextGuard::begin(pool, slot, &alive, subjects, lock);
    // Known answers must be collected before the deadline.
    let inner = until.checked_sub(COLLECT_RESERVE).unwrap_or(until);
    let checking = join_all(subjects.iter().map(|(subject, _)| alive.server.check(&subject.path, inner)));
    let asking = async {
        let (verdicts, dependents) =
            tokio::join!(checking, check_dependents(pool, slot, &alive, subjects, inner));
        // Diagnostics of other files come with the answer, or shortly after.
        (verdicts, dependents, alive.server.check_other_files(mark, &paths, inner).await)
    };
    let Ok((verdicts, dependents, others)) = timeout_at(until, asking).await else {
        return report_all_unknown(slot, subjects, "it did not answer in time");
    };
    drop(guard);
    let mut reports: Vec<_> = subjects
        .iter()
        .zip(verdicts)
        .map(|((subject, _), verdict)| report_for(slot, &subject.path, verdict))
        .collect();
    let known = |(path, verdict): &(PathBuf, Verdict)| {
        verdict.diagnostics().is_some() && !subjects.iter().any(|(subject, _)| subject.path == *path)
    };
    // Requested answers take precedence over unrequested ones.
    let others: BTreeMap<_, _> = others.into_iter().chain(dependents).filter(known).collect();
    reports.extend(others.into_iter().map(|(path, verdict)| report_for(slot, &path, verdict)));
    reports
}

/// Checks the dependents of these files.
async fn check_dependents(
    pool: &Arc<PoolInner>,
    slot: &Arc<ServerSlot>,
    alive: &RunningServer,
    subjects: &[(CheckedDocument, String)],
    until: Instant,
) -> Vec<(PathBuf, Verdict)> {
    let paths = subjects.iter().map(|(subject, _)| subject.path.clone()).collect();
    let mut checking = Vec::new();
    for subject in dependent_documents(pool, slot, &paths, until).await.documents {
        let first_line = subject.text.lines().next().unwrap_or_default();
        if let Some(language) = language_of(&subject.path, first_line) {
            slot.sync_document(alive, &subject, language);
            checking.push(async move {
                let verdict = alive.server.check(&subject.path, until).await;
                (subject.path, verdict)
            });
        }
    }
    join_all(checking).await
}

/// The true text to restore.
struct OriginalText {
    path: PathBuf,
    text: Option<CheckedDocument>,
    language: String,
    was_open: bool,
    /// The server's text before, if it is on the disk.
    before: Option<Arc<String>>,
}

/// Restores the true texts, however the check ends.
pub(super) struct ProposedTextGuard {
    slot: Arc<ServerSlot>,
    alive: Arc<RunningServer>,
    originals: Vec<OriginalText>,
    lock: Option<OwnedRwLockWriteGuard<()>>,
    pool: Arc<PoolInner>,
    /// The guard may be dropped outside a runtime.
    runtime: Handle,
}

impl ProposedTextGuard {
    /// Sends the proposed texts to the server.
    pub(super) fn begin(
        pool: &Arc<PoolInner>,
        slot: &Arc<ServerSlot>,
        alive: &Arc<RunningServer>,
        subjects: &[(CheckedDocument, String)],
        lock: OwnedRwLockWriteGuard<()>,
    ) -> Self {
        let propose = |(subject, language): &(CheckedDocument, String)| OriginalText {
            path: subject.path.clone(),
            text: pool.texts.document(&subject.path),
            language: language.clone(),
            was_open: slot.documents().text_hash(&subject.path).is_some(),
            // Not through the slot, so that the document's cached state stays.
            before: alive.server.sync_proposed(subject, language),
        };
        let originals = subjects.iter().map(propose).collect();
        let (slot, alive, pool) = (Arc::clone(slot), Arc::clone(alive), Arc::clone(pool));
        Self { slot, alive, originals, lock: Some(lock), pool, runtime: Handle::current() }
    }
}

impl Drop for ProposedTextGuard {
    fn drop(&mut self) {
        let mut restored = Vec::new();
        for OriginalText { path, text, language, was_open, before } in &self.originals {
            match text {
                Some(text) if *was_open => {
                    let before = before.as_deref().map(String::as_str);
                    self.slot.restore_document(&self.alive, text, language, before);
                    restored.push(path.clone());
                }
                _ => self.alive.server.close(path),
            }
        }
        let (alive, lock) = (Arc::clone(&self.alive), self.lock.take());
        let until = Instant::now() + RESTORE_TIMEOUT;
        let recheck = self.pool.closed.clone().run_until_cancelled_owned(async move {
            for path in restored {
                alive.server.check(&path, until).await;
            }
            drop(lock);
        });
        self.pool.tasks.spawn_on(recheck, &self.runtime);
    }
}
