//! Checks texts and their dependents with one server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

use super::PoolInner;
use super::answers::{AnswerCollector, CHANGED_MEANWHILE, ServerAnswer};
use super::dependents::dependent_documents;
use super::prior_diagnostics::PriorDiagnostics;
use super::slot::{RunningServer, ServerSlot};
use crate::known_servers::language_of;
use crate::quirks::DependentsPolicy;
use crate::report::{DiagnosticsReport, Verdict};
use crate::server::LanguageServerState;
use crate::source::CheckedDocument;
use crate::time_limits::DISK_SETTLE_TIMEOUT;

/// The cap on unsaved files of editors to send to a server.
const MAX_UNSAVED_FILES: usize = 64;

/// How much to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckMode {
    /// The texts and their dependents, for a caller that just wrote them. The server hears of saves.
    Full,
    /// The same for other callers: a text that has changed since is not sent.
    WarmUp,
    /// These texts alone, otherwise like `WarmUp`.
    FileOnly,
}

impl CheckMode {
    fn includes_dependents(self) -> bool {
        self != Self::FileOnly
    }

    fn is_own_text(self) -> bool {
        self == Self::Full
    }
}

// The lock leases the server: during a check no proposed text may replace a document. `until` ends the lease.
#[allow(clippy::await_holding_invalid_type)]
pub(super) async fn check_with_server(
    pool: &Arc<PoolInner>,
    slot: &Arc<ServerSlot>,
    subjects: &[(CheckedDocument, String)],
    mode: CheckMode,
    until: Instant,
) -> Vec<DiagnosticsReport> {
    slot.mark_used();
    let unknown = |why: &str| report_all_unknown(slot, subjects, why);
    slot.wait_started(until).await;
    let Some(alive) = slot.running() else {
        // They are opened when the server runs.
        for (subject, language) in &current_texts(pool, subjects, mode) {
            slot.documents().sync(subject, language);
        }
        return unknown(&slot.ready_server().err().unwrap_or_else(|| "it is starting".to_owned()));
    };
    let Ok(_lock) = timeout_at(until, slot.lock.read()).await else {
        return unknown("a proposed text is being checked");
    };
    let prior = PriorDiagnostics::capture(slot, &alive);
    let has_seen_changes = settle_disk(pool, &alive, until).await;
    let mark = alive.server.event_mark();
    let is_requested = |path: &Path| subjects.iter().any(|(subject, _)| subject.path == *path);
    let knows_unsaved = sync_editors(pool, slot, &alive, is_requested, until).await;
    let known_before = slot.documents().paths_ever_known();
    let current = current_texts(pool, subjects, mode);
    if current.is_empty() {
        return unknown(CHANGED_MEANWHILE);
    }
    let hashes = sync_all(pool, slot, &alive, &current, mode);
    let paths: BTreeSet<_> = hashes.keys().cloned().collect();
    let generation = slot.documents().generation();
    let server = &alive.server;
    let check = |path: PathBuf, text: u64| -> BoxFuture<'_, ServerAnswer> {
        Box::pin(async move {
            let verdict = server.check(&path, until).await;
            ServerAnswer::File(path, text, verdict)
        })
    };
    let mut waiting: FuturesUnordered<BoxFuture<'_, ServerAnswer>> = FuturesUnordered::new();
    for (subject, _) in current.iter().filter(|(subject, _)| mode.includes_dependents() && subject.is_saved) {
        waiting.push(Box::pin(async move {
            let verdict = server.check_saved(&subject.path, until).await;
            // It is about the file on the disk, which may have changed since.
            let is_same =
                verdict.as_ref().and_then(Verdict::diagnostics).is_none() || is_current(pool, subject);
            let changed = || Verdict::Unknown { why: CHANGED_MEANWHILE.to_owned() };
            ServerAnswer::OnSave(
                subject.path.clone(),
                verdict.map(|verdict| if is_same { verdict } else { changed() }),
            )
        }));
    }
    waiting.extend(hashes.into_iter().map(|(path, text)| check(path, text)));
    if mode.includes_dependents() {
        waiting.push(Box::pin(async {
            ServerAnswer::OtherFiles(server.check_other_files(mark, &paths, until).await)
        }));
        waiting.push(Box::pin(async {
            let _ = server.subscribe_state().wait_for(|state| *state == LanguageServerState::Ready).await;
            ServerAnswer::Dependents(dependent_documents(pool, slot, &paths, until).await)
        }));
    }
    let quirks = &slot.launch.quirks;
    let mut answers = AnswerCollector {
        slot,
        generation,
        requested: &paths,
        // A file without dependents is not affected by changes that were missed.
        knows_disk: has_seen_changes && knows_unsaved || quirks.dirty_dependents == DependentsPolicy::None,
        verdicts: BTreeMap::new(),
        on_save: BTreeMap::new(),
        expected_on_save: saves_with_report(slot, &current, mode),
        other_files: BTreeMap::new(),
        asked_dependents: BTreeSet::new(),
        unchecked: BTreeSet::new(),
        is_search_cut: false,
        is_compiled: false,
        known_before,
        prior,
    };
    let reports_others = quirks.publishes_closed || quirks.dirty_dependents == DependentsPolicy::Pushed;
    let mut expects_others = mode.includes_dependents() && reports_others && !server.can_pull_others();
    while let Ok(Some(answer)) = timeout_at(until, waiting.next()).await {
        match answer {
            ServerAnswer::Dependents(found) => {
                answers.unchecked.extend(found.beyond);
                answers.is_search_cut |= found.is_cut;
                for subject in found.documents {
                    let first_line = subject.text.lines().next().unwrap_or_default();
                    if let Some(language) = language_of(&subject.path, first_line) {
                        let text = sync_unless_newer(pool, slot, &alive, &subject, language);
                        answers.asked_dependents.insert(subject.path.clone());
                        // Dependents are reported, known or not.
                        answers.known_before.insert(subject.path.clone());
                        waiting.push(check(subject.path, text));
                    }
                }
            }
            answer => answers.add(answer),
        }
        // Diagnostics of other files come with the answer, or shortly after.
        if expects_others && answers.is_complete() {
            expects_others = false;
            waiting.push(Box::pin(async {
                ServerAnswer::OtherFiles(server.check_other_files(mark, &paths, until).await)
            }));
        }
        // A server that is gone or still reads its project has no more answers.
        if answers.is_all_unknown() && slot.ready_server().is_err() {
            break;
        }
    }
    // A compiler run covers all files, and by now it has reported them.
    if answers.on_save.values().any(|verdict| verdict.diagnostics().is_some()) {
        for (path, verdict) in server.other_files_on_save(mark) {
            answers.on_save.entry(path).or_insert(verdict);
        }
        answers.is_compiled = server.is_compiled_without_errors();
    }
    answers.finish(subjects)
}

/// Saved files whose save is followed by diagnostics.
fn saves_with_report(
    slot: &ServerSlot,
    subjects: &[(CheckedDocument, String)],
    mode: CheckMode,
) -> BTreeSet<PathBuf> {
    let has_report = mode.includes_dependents() && !slot.launch.quirks.save_sources.is_empty();
    let saved = subjects.iter().filter(|(subject, _)| has_report && subject.is_saved);
    saved.map(|(subject, _)| subject.path.clone()).collect()
}

/// The texts to send. A text may be outdated: another program may have changed the file since, and the server
/// may know that already.
fn current_texts(
    pool: &PoolInner,
    subjects: &[(CheckedDocument, String)],
    mode: CheckMode,
) -> Vec<(CheckedDocument, String)> {
    let is_sent = |subject: &CheckedDocument| mode.is_own_text() || is_current(pool, subject);
    subjects.iter().filter(|(subject, _)| is_sent(subject)).cloned().collect()
}

fn is_current(pool: &PoolInner, subject: &CheckedDocument) -> bool {
    pool.texts.document(&subject.path).is_some_and(|now| now.text == subject.text)
}

/// Tells the server what has changed on the disk. Returns whether that is everything.
pub(super) async fn settle_disk(pool: &Arc<PoolInner>, alive: &RunningServer, until: Instant) -> bool {
    alive.root.settle_changes(pool, until.min(Instant::now() + DISK_SETTLE_TIMEOUT)).await
        && alive.root.has_missed_nothing(alive.since)
}

/// Sends the server the texts of editors, apart from those of `skipped`. Returns whether it has all that are not saved.
pub(super) async fn sync_editors(
    pool: &PoolInner,
    slot: &ServerSlot,
    alive: &RunningServer,
    skipped: impl Fn(&Path) -> bool,
    until: Instant,
) -> bool {
    let open = pool.texts.open_paths();
    let in_editors = slot.documents().paths_in_editors(&open);
    for path in in_editors.iter().filter(|path| !skipped(path)) {
        slot.refresh(alive, &*pool.texts, path);
    }
    let others = open.into_iter().filter(|path| !skipped(path)).collect();
    sync_unsaved(pool, slot, alive, others, until.min(Instant::now() + DISK_SETTLE_TIMEOUT)).await
}

/// A server knows the files on the disk. This sends it the unsaved texts of editors that it serves. Returns whether
/// that was all.
async fn sync_unsaved(
    pool: &PoolInner,
    slot: &ServerSlot,
    alive: &RunningServer,
    mut open: Vec<PathBuf>,
    until: Instant,
) -> bool {
    let root = &slot.launch.root;
    open.retain(|path| path.starts_with(root) && slot.documents().text_hash(path).is_none());
    if open.is_empty() {
        return true;
    }
    let (texts, chooser) = (Arc::clone(&pool.texts), Arc::clone(&pool.chooser));
    let (name, root) = (slot.launch.name.clone(), root.clone());
    let searching = spawn_blocking(move || {
        let with_language = |subject: CheckedDocument| {
            let first_line = subject.text.lines().next().unwrap_or_default();
            let mut chosen = chooser.servers_for(&subject.path, first_line).into_iter();
            let language = chosen.find(|chosen| chosen.name == name && chosen.root == root)?.language;
            Some((subject, language))
        };
        let unsaved = open.into_iter().filter(|path| texts.differs_from_disk(path));
        unsaved
            .filter_map(|path| texts.document(&path))
            .filter_map(with_language)
            .take(MAX_UNSAVED_FILES + 1)
            .collect::<Vec<_>>()
    });
    // Do not wait for a disk that does not answer.
    let Ok(Ok(unsaved)) = timeout_at(until, searching).await else { return false };
    for (subject, language) in unsaved.iter().take(MAX_UNSAVED_FILES) {
        sync_unless_newer(pool, slot, alive, subject, language);
    }
    unsaved.len() <= MAX_UNSAVED_FILES
}

/// Sends a text that the caller did not just write. If the file changed meanwhile, the current text is sent, too.
fn sync_unless_newer(
    pool: &PoolInner,
    slot: &ServerSlot,
    alive: &RunningServer,
    subject: &CheckedDocument,
    language: &str,
) -> u64 {
    let text = slot.sync_document(alive, subject, language);
    if !is_current(pool, subject) {
        slot.refresh(alive, &*pool.texts, &subject.path);
    }
    text
}

fn sync_all(
    pool: &PoolInner,
    slot: &ServerSlot,
    alive: &RunningServer,
    subjects: &[(CheckedDocument, String)],
    mode: CheckMode,
) -> BTreeMap<PathBuf, u64> {
    let mut hashes = BTreeMap::new();
    for (subject, language) in subjects {
        let text = match mode.is_own_text() {
            true => slot.sync_document(alive, subject, language),
            false => sync_unless_newer(pool, slot, alive, subject, language),
        };
        hashes.insert(subject.path.clone(), text);
    }
    for (subject, _) in subjects.iter().filter(|(subject, _)| mode.includes_dependents() && subject.is_saved)
    {
        // Also if another file was written since: a compiler runs only after a save.
        if slot.documents().mark_saved(&subject.path) || alive.server.needs_save() {
            alive.server.did_save(&subject.path);
        }
    }
    hashes
}

pub(super) fn report_for(slot: &ServerSlot, path: &Path, verdict: Verdict) -> DiagnosticsReport {
    DiagnosticsReport::new(path.to_owned(), slot.launch.name.clone(), verdict)
}

/// Reports all of them as unknown.
pub(super) fn report_all_unknown(
    slot: &ServerSlot,
    subjects: &[(CheckedDocument, String)],
    why: &str,
) -> Vec<DiagnosticsReport> {
    let report = |(subject, _): &(CheckedDocument, String)| {
        report_for(slot, &subject.path, Verdict::Unknown { why: why.to_owned() })
    };
    subjects.iter().map(report).collect()
}
