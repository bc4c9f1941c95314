//! Asking one server about texts, and about the files that they may break.

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
use crate::quirks::{DependentsPolicy, ReadinessSignal};
use crate::report::{DiagnosticsReport, Verdict};
use crate::server::LanguageServerState;
use crate::source::CheckedDocument;
use crate::time_limits::DISK_SETTLE_TIMEOUT;

/// Files that editors have open, and that a server is told of because their texts are not those on the disk.
const MOST_UNSAVED: usize = 64;

/// What is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckMode {
    /// Texts, and the files that they may break. A server is told of what was saved.
    Full,
    /// The same for nobody who has just made them: a text that is another one by now is not put back.
    WarmUp,
    /// These texts alone, as `WarmupEdit` does it.
    FileOnly,
}

impl CheckMode {
    fn is_whole(self) -> bool {
        self != Self::FileOnly
    }

    fn is_made(self) -> bool {
        self == Self::Full
    }
}

// The lock is a lease of the server: while a question is asked nobody puts a proposed text in the place of the document's. `until` ends it.
#[allow(clippy::await_holding_invalid_type)]
pub(super) async fn check_with_server(
    pool: &Arc<PoolInner>,
    slot: &Arc<ServerSlot>,
    subjects: &[(CheckedDocument, String)],
    aim: CheckMode,
    until: Instant,
) -> Vec<DiagnosticsReport> {
    slot.mark_used();
    let unknown = |why: &str| report_all_unknown(slot, subjects, why);
    slot.wait_started(until).await;
    let Some(alive) = slot.running() else {
        // They are opened when it is there.
        for (subject, language) in &current(pool, subjects, aim) {
            slot.documents().sync(subject, language);
        }
        return unknown(&slot.ready_server().err().unwrap_or_else(|| "it is starting".to_owned()));
    };
    let Ok(_turn) = timeout_at(until, slot.lock.read()).await else {
        return unknown("a proposed text is being checked");
    };
    let past = PriorDiagnostics::capture(slot, &alive);
    let is_seen = alive.root.settle_changes(pool, until.min(Instant::now() + DISK_SETTLE_TIMEOUT)).await
        && alive.root.has_missed_nothing(alive.since);
    let mark = alive.server.event_mark();
    let open = pool.texts.open_paths();
    let in_editors = slot.documents().paths_in_editors(&open);
    let is_asked = |path: &PathBuf| subjects.iter().any(|(subject, _)| subject.path == *path);
    for path in in_editors.iter().filter(|path| !is_asked(path)) {
        slot.refresh(&alive, &*pool.texts, path);
    }
    let unasked = open.into_iter().filter(|path| !is_asked(path)).collect();
    let knows_unsaved =
        hold_unsaved(pool, slot, &alive, unasked, until.min(Instant::now() + DISK_SETTLE_TIMEOUT)).await;
    let known_before = slot.documents().paths_ever_known();
    let current = current(pool, subjects, aim);
    if current.is_empty() {
        return unknown(CHANGED_MEANWHILE);
    }
    let held = hold_all(pool, slot, &alive, &current, aim);
    // It says when it is ready; until then there is nothing to wait for.
    if slot.launch.quirks.ready == ReadinessSignal::ServerStatus
        && let Err(why) = slot.ready_server()
        && !alive.server.is_reindexing_briefly()
    {
        return unknown(&why);
    }
    let paths: BTreeSet<_> = held.keys().cloned().collect();
    let generation = slot.documents().generation();
    let server = &alive.server;
    let check = |path: PathBuf, text: u64| -> BoxFuture<'_, ServerAnswer> {
        Box::pin(async move {
            let said = server.check(&path, until).await;
            ServerAnswer::File(path, text, said)
        })
    };
    let mut waiting: FuturesUnordered<BoxFuture<'_, ServerAnswer>> = FuturesUnordered::new();
    for (subject, _) in current.iter().filter(|(subject, _)| aim.is_whole() && subject.is_saved) {
        waiting.push(Box::pin(async move {
            let said = server.check_saved(&subject.path, until).await;
            // It is said of the disk, whoever has written what lies there.
            let is_same = said.as_ref().and_then(Verdict::diagnostics).is_none() || is_current(pool, subject);
            let changed = || Verdict::Unknown { why: CHANGED_MEANWHILE.to_owned() };
            ServerAnswer::OnSave(
                subject.path.clone(),
                said.map(|said| if is_same { said } else { changed() }),
            )
        }));
    }
    waiting.extend(held.into_iter().map(|(path, text)| check(path, text)));
    if aim.is_whole() {
        waiting
            .push(Box::pin(async { ServerAnswer::OtherFiles(server.check_other_files(mark, until).await) }));
        waiting.push(Box::pin(async {
            let _ = server.subscribe_state().wait_for(|state| *state == LanguageServerState::Ready).await;
            let (texts, beyond) = dependent_documents(pool, slot, &paths, until).await;
            ServerAnswer::Dependents(texts, beyond)
        }));
    }
    let quirks = &slot.launch.quirks;
    let mut answers = AnswerCollector {
        slot,
        generation,
        requested: &paths,
        // A file that stands alone is not touched by what was not seen.
        knows_disk: is_seen && knows_unsaved || quirks.dirty_dependents == DependentsPolicy::None,
        verdicts: BTreeMap::new(),
        on_save: BTreeMap::new(),
        expected_on_save: followed(slot, &current, aim),
        other_files: BTreeMap::new(),
        asked_dependents: BTreeSet::new(),
        unchecked: BTreeSet::new(),
        known_before,
        prior: past,
    };
    let is_told = quirks.pushes_closed || quirks.dirty_dependents == DependentsPolicy::Told;
    let mut is_telling = aim.is_whole() && is_told && !server.can_pull_others();
    while let Ok(Some(got)) = timeout_at(until, waiting.next()).await {
        match got {
            ServerAnswer::Dependents(found, beyond) => {
                answers.unchecked.extend(beyond);
                for subject in found {
                    let first_line = subject.text.lines().next().unwrap_or_default();
                    if let Some(language) = language_of(&subject.path, first_line) {
                        let text = hold_found(pool, slot, &alive, &subject, language);
                        answers.asked_dependents.insert(subject.path.clone());
                        // What it may break is told of, known or not.
                        answers.known_before.insert(subject.path.clone());
                        waiting.push(check(subject.path, text));
                    }
                }
            }
            got => answers.add(got),
        }
        // What it says of others without being asked comes with its answer, or shortly after.
        if is_telling && answers.is_complete() {
            is_telling = false;
            waiting.push(Box::pin(async {
                ServerAnswer::OtherFiles(server.check_other_files(mark, until).await)
            }));
        }
        // One that reads its project says so when it is asked, and there is nothing more to wait for.
        if answers.is_all_unknown() && slot.ready_server().is_err() {
            break;
        }
    }
    // A compiler says of all files what it says of one, and by now it has said it.
    if answers.on_save.values().any(|said| said.diagnostics().is_some()) {
        for (path, said) in server.other_files_on_save(mark) {
            answers.on_save.entry(path).or_insert(said);
        }
    }
    answers.finish(subjects)
}

/// Those of which something is said only after they were saved.
fn followed(slot: &ServerSlot, subjects: &[(CheckedDocument, String)], aim: CheckMode) -> BTreeSet<PathBuf> {
    let is_followed = aim.is_whole() && !slot.launch.quirks.saves_for.is_empty();
    let saved = subjects.iter().filter(|(subject, _)| is_followed && subject.is_saved);
    saved.map(|(subject, _)| subject.path.clone()).collect()
}

/// Those that a server may be told of. Somebody may have made another text of one since it was read, and told the server of that.
fn current(
    pool: &PoolInner,
    subjects: &[(CheckedDocument, String)],
    aim: CheckMode,
) -> Vec<(CheckedDocument, String)> {
    let is_told = |subject: &CheckedDocument| aim.is_made() || is_current(pool, subject);
    subjects.iter().filter(|(subject, _)| is_told(subject)).cloned().collect()
}

fn is_current(pool: &PoolInner, subject: &CheckedDocument) -> bool {
    pool.texts.document(&subject.path).is_some_and(|now| now.text == subject.text)
}

/// A server knows what lies on the disk; what editors have instead it is told, as far as it serves that. Tells whether that was all.
async fn hold_unsaved(
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
    let (texts, choose) = (Arc::clone(&pool.texts), Arc::clone(&pool.choose));
    let (name, root) = (slot.launch.name.clone(), root.clone());
    let looking = spawn_blocking(move || {
        let its = |subject: CheckedDocument| {
            let first_line = subject.text.lines().next().unwrap_or_default();
            let mut chosen = choose.servers_for(&subject.path, first_line).into_iter();
            let language = chosen.find(|chosen| chosen.name == name && chosen.root == root)?.language;
            Some((subject, language))
        };
        let unsaved = open.into_iter().filter(|path| texts.differs_from_disk(path));
        unsaved
            .filter_map(|path| texts.document(&path))
            .filter_map(its)
            .take(MOST_UNSAVED + 1)
            .collect::<Vec<_>>()
    });
    // A disk that does not answer is not waited for.
    let Ok(Ok(unsaved)) = timeout_at(until, looking).await else { return false };
    for (subject, language) in unsaved.iter().take(MOST_UNSAVED) {
        hold_found(pool, slot, alive, subject, language);
    }
    unsaved.len() <= MOST_UNSAVED
}

/// Holds a text that nobody has just made. Where another one was made, and told to the server, while this was on its way, that counts.
fn hold_found(
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

fn hold_all(
    pool: &PoolInner,
    slot: &ServerSlot,
    alive: &RunningServer,
    subjects: &[(CheckedDocument, String)],
    aim: CheckMode,
) -> BTreeMap<PathBuf, u64> {
    let mut held = BTreeMap::new();
    for (subject, language) in subjects {
        let text = match aim.is_made() {
            true => slot.sync_document(alive, subject, language),
            false => hold_found(pool, slot, alive, subject, language),
        };
        held.insert(subject.path.clone(), text);
    }
    for (subject, _) in subjects.iter().filter(|(subject, _)| aim.is_whole() && subject.is_saved) {
        // Also where something else was written since: a compiler looks only when something is saved.
        if slot.documents().mark_saved(&subject.path) || alive.server.needs_save() {
            alive.server.did_save(&subject.path);
        }
    }
    held
}

pub(super) fn report_for(slot: &ServerSlot, path: &Path, said: Verdict) -> DiagnosticsReport {
    DiagnosticsReport::new(path.to_owned(), slot.launch.name.clone(), said)
}

/// It has nothing to say of any of them.
pub(super) fn report_all_unknown(
    slot: &ServerSlot,
    subjects: &[(CheckedDocument, String)],
    why: &str,
) -> Vec<DiagnosticsReport> {
    let of = |(subject, _): &(CheckedDocument, String)| {
        report_for(slot, &subject.path, Verdict::Unknown { why: why.to_owned() })
    };
    subjects.iter().map(of).collect()
}
