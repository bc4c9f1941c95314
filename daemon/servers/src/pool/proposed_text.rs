//! What a proposed text would be told, without its becoming the document.
//!
//! A server is not started for a question that may be answered with no. The server that is there is lent the proposed text and given the true one back: a second server would have to read the whole
//! project, and take its memory again, for each question. While it is lent nobody else has the server, so that nobody is
//! given what it says of a text that does not exist; and it is kept until it has answered for the true text again, so that
//! nothing it still had to say of the other can be taken for news.

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

/// A server with what it is asked about, and the language that it is told.
type SlotRequest = (Arc<ServerSlot>, Vec<(CheckedDocument, String)>);

impl PoolSource {
    /// What would be wrong with these proposed texts, and with other files because of them. The documents stay as they are.
    pub async fn check_proposed(
        &self,
        subjects: &[CheckedDocument],
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        let shared = &self.pool.shared;
        let groups = self.running(subjects);
        let asking = groups.iter().map(|(slot, subjects)| lend(shared, slot, subjects, until));
        join_all(asking).await.into_iter().flatten().collect()
    }

    /// The servers of these that are there already.
    fn running(&self, subjects: &[CheckedDocument]) -> Vec<SlotRequest> {
        let shared = &self.pool.shared;
        let mut groups: BTreeMap<SlotKey, SlotRequest> = BTreeMap::new();
        for subject in subjects {
            let first_line = subject.text.lines().next().unwrap_or_default();
            for chosen in shared.choose.servers_for(&subject.path, first_line) {
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

// The lock is a lease of the server: while it holds a proposed text nobody else may ask it. `until` ends it.
#[allow(clippy::await_holding_invalid_type)]
async fn lend(
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
    let Some(turn) = slot.lock_exclusive(Duration::MAX, until).await else {
        return report_all_unknown(slot, subjects, "it is busy with other texts");
    };
    alive.root.settle_changes(pool, until).await;
    let mark = alive.server.event_mark();
    let lent = ProposedTextGuard::begin(pool, slot, &alive, subjects, turn);
    // So that what is known is told when the time is over.
    let inner = until.checked_sub(COLLECT_RESERVE).unwrap_or(until);
    let checking = join_all(subjects.iter().map(|(subject, _)| alive.server.check(&subject.path, inner)));
    let asking = async {
        let (said, linked) = tokio::join!(checking, check_linked(pool, slot, &alive, subjects, inner));
        // What it says of others without being asked comes with its answer, or shortly after.
        (said, linked, alive.server.check_other_files(mark, inner).await)
    };
    let Ok((said, linked, others)) = timeout_at(until, asking).await else {
        return report_all_unknown(slot, subjects, "it did not answer in time");
    };
    drop(lent);
    let mut reports: Vec<_> =
        subjects.iter().zip(said).map(|((subject, _), said)| report_for(slot, &subject.path, said)).collect();
    let known = |(path, said): &(PathBuf, Verdict)| {
        said.diagnostics().is_some() && !subjects.iter().any(|(subject, _)| subject.path == *path)
    };
    // What was asked for goes before what came by the way.
    let others: BTreeMap<_, _> = others.into_iter().chain(linked).filter(known).collect();
    reports.extend(others.into_iter().map(|(path, said)| report_for(slot, &path, said)));
    reports
}

/// Of files that these may break.
async fn check_linked(
    pool: &Arc<PoolInner>,
    slot: &Arc<ServerSlot>,
    alive: &RunningServer,
    subjects: &[(CheckedDocument, String)],
    until: Instant,
) -> Vec<(PathBuf, Verdict)> {
    let paths = subjects.iter().map(|(subject, _)| subject.path.clone()).collect();
    let mut checking = Vec::new();
    for subject in dependent_documents(pool, slot, &paths, until).await.0 {
        let first_line = subject.text.lines().next().unwrap_or_default();
        if let Some(language) = language_of(&subject.path, first_line) {
            slot.sync_document(alive, &subject, language);
            checking.push(async move {
                let said = alive.server.check(&subject.path, until).await;
                (subject.path, said)
            });
        }
    }
    join_all(checking).await
}

/// What is given back.
struct OriginalText {
    path: PathBuf,
    text: Option<CheckedDocument>,
    language: String,
    was_held: bool,
    /// What the server held before, where that lies on the disk.
    before: Option<Arc<String>>,
}

/// Gives the true texts back however the asking ends.
pub(super) struct ProposedTextGuard {
    slot: Arc<ServerSlot>,
    alive: Arc<RunningServer>,
    true_texts: Vec<OriginalText>,
    turn: Option<OwnedRwLockWriteGuard<()>>,
    pool: Arc<PoolInner>,
    /// It may be dropped where there is none.
    runtime: Handle,
}

impl ProposedTextGuard {
    /// From now on the server holds these.
    pub(super) fn begin(
        pool: &Arc<PoolInner>,
        slot: &Arc<ServerSlot>,
        alive: &Arc<RunningServer>,
        subjects: &[(CheckedDocument, String)],
        turn: OwnedRwLockWriteGuard<()>,
    ) -> Self {
        let lend = |(subject, language): &(CheckedDocument, String)| OriginalText {
            path: subject.path.clone(),
            text: pool.texts.document(&subject.path),
            language: language.clone(),
            was_held: slot.documents().text_hash(&subject.path).is_some(),
            // Not by the slot: what is remembered of the document stays.
            before: alive.server.sync_proposed(subject, language),
        };
        let true_texts = subjects.iter().map(lend).collect();
        let (slot, alive, pool) = (Arc::clone(slot), Arc::clone(alive), Arc::clone(pool));
        Self { slot, alive, true_texts, turn: Some(turn), pool, runtime: Handle::current() }
    }
}

impl Drop for ProposedTextGuard {
    fn drop(&mut self) {
        let mut back = Vec::new();
        for OriginalText { path, text, language, was_held, before } in &self.true_texts {
            match text {
                Some(text) if *was_held => {
                    let before = before.as_deref().map(String::as_str);
                    self.slot.restore_document(&self.alive, text, language, before);
                    back.push(path.clone());
                }
                _ => self.alive.server.close(path),
            }
        }
        let (alive, turn) = (Arc::clone(&self.alive), self.turn.take());
        let until = Instant::now() + RESTORE_TIMEOUT;
        let coming_back = self.pool.closed.clone().run_until_cancelled_owned(async move {
            for path in back {
                alive.server.check(&path, until).await;
            }
            drop(turn);
        });
        self.pool.tasks.spawn_on(coming_back, &self.runtime);
    }
}
