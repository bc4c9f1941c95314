//! Asking one server about texts, and about the files that they may break.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

use super::Shared;
use super::answers::{Answers, CHANGED, Got};
use super::linked::linked;
use super::past::Past;
use super::slot::{Alive, Slot};
use crate::known::language_of;
use crate::quirks::{Dependents, ReadyBy};
use crate::report::{Report, Said};
use crate::server::State;
use crate::source::Subject;

/// How long it is waited for what the disk has to tell.
const SETTLING: Duration = Duration::from_millis(500);

/// Files that editors have open, and that a server is told of because their texts are not those on the disk.
const MOST_UNSAVED: usize = 64;

/// What is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// Texts, and the files that they may break. A server is told of what was saved.
    Whole,
    /// The same for nobody who has just made them: a text that is another one by now is not put back.
    Warm,
    /// These texts alone, as `Warm` does it.
    Alone,
}

impl Aim {
    fn is_whole(self) -> bool {
        self != Self::Alone
    }

    fn is_made(self) -> bool {
        self == Self::Whole
    }
}

pub(super) async fn ask(
    pool: &Arc<Shared>,
    slot: &Arc<Slot>,
    subjects: &[(Subject, String)],
    aim: Aim,
    until: Instant,
) -> Vec<Report> {
    slot.touch();
    let unknown = |why: &str| all_unknown(slot, subjects, why);
    slot.begun(until).await;
    let Some(alive) = slot.alive() else {
        // They are opened when it is there.
        for (subject, language) in &current(pool, subjects, aim) {
            slot.documents().hold(subject, language);
        }
        return unknown(&slot.ready().err().unwrap_or_else(|| "it is starting".to_owned()));
    };
    let Ok(_turn) = timeout_at(until, slot.turn.read()).await else {
        return unknown("a proposed text is being checked");
    };
    let past = Past::of(slot, &alive);
    let is_seen = alive.root.settle(pool, until.min(Instant::now() + SETTLING)).await
        && alive.root.has_seen_all(alive.since);
    let mark = alive.server.mark();
    let open = pool.texts.open();
    let in_editors = slot.documents().in_editors(&open);
    let is_asked = |path: &PathBuf| subjects.iter().any(|(subject, _)| subject.path == *path);
    for path in in_editors.iter().filter(|path| !is_asked(path)) {
        slot.refresh(&alive, &*pool.texts, path);
    }
    let unasked = open.into_iter().filter(|path| !is_asked(path)).collect();
    let knows_unsaved = hold_unsaved(pool, slot, &alive, unasked, until.min(Instant::now() + SETTLING)).await;
    let known_before = slot.documents().ever_known();
    let current = current(pool, subjects, aim);
    if current.is_empty() {
        return unknown(CHANGED);
    }
    let held = hold_all(pool, slot, &alive, &current, aim);
    // It says when it is ready; until then there is nothing to wait for.
    if slot.launch.quirks.ready == ReadyBy::ServerStatus
        && let Err(why) = slot.ready()
        && !alive.server.is_back_soon()
    {
        return unknown(&why);
    }
    let paths: BTreeSet<_> = held.keys().cloned().collect();
    let generation = slot.documents().generation();
    let server = &alive.server;
    let check = |path: PathBuf, text: u64| -> BoxFuture<'_, Got> {
        Box::pin(async move {
            let said = server.check(&path, until).await;
            Got::Of(path, text, said)
        })
    };
    let mut waiting: FuturesUnordered<BoxFuture<'_, Got>> = FuturesUnordered::new();
    for (subject, _) in current.iter().filter(|(subject, _)| aim.is_whole() && subject.is_saved) {
        waiting.push(Box::pin(async move {
            let said = server.check_saved(&subject.path, until).await;
            // It is said of the disk, whoever has written what lies there.
            let is_same = said.as_ref().and_then(Said::diagnostics).is_none() || is_current(pool, subject);
            let changed = || Said::Unknown { why: CHANGED.to_owned() };
            Got::Saved(subject.path.clone(), said.map(|said| if is_same { said } else { changed() }))
        }));
    }
    waiting.extend(held.into_iter().map(|(path, text)| check(path, text)));
    if aim.is_whole() {
        waiting.push(Box::pin(async { Got::Others(server.others(mark, until).await) }));
        waiting.push(Box::pin(async {
            let _ = server.states().wait_for(|state| *state == State::Ready).await;
            let (texts, beyond) = linked(pool, slot, &paths, until).await;
            Got::Linked(texts, beyond)
        }));
    }
    let quirks = &slot.launch.quirks;
    let mut answers = Answers {
        slot,
        generation,
        subjects: &paths,
        // A file that stands alone is not touched by what was not seen.
        is_seen: is_seen && knows_unsaved || quirks.dirty_dependents == Dependents::None,
        said: BTreeMap::new(),
        saved: BTreeMap::new(),
        followed: followed(slot, &current, aim),
        others: BTreeMap::new(),
        asked: BTreeSet::new(),
        beyond: BTreeSet::new(),
        known_before,
        past,
    };
    let is_told = quirks.pushes_closed || quirks.dirty_dependents == Dependents::Told;
    let mut is_telling = aim.is_whole() && is_told && !server.is_asked_instead();
    while let Ok(Some(got)) = timeout_at(until, waiting.next()).await {
        match got {
            Got::Linked(found, beyond) => {
                answers.beyond.extend(beyond);
                for subject in found {
                    let first_line = subject.text.lines().next().unwrap_or_default();
                    if let Some(language) = language_of(&subject.path, first_line) {
                        let text = hold_found(pool, slot, &alive, &subject, language);
                        answers.asked.insert(subject.path.clone());
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
            waiting.push(Box::pin(async { Got::Others(server.others(mark, until).await) }));
        }
        // One that reads its project says so when it is asked, and there is nothing more to wait for.
        if answers.is_not_known() && slot.ready().is_err() {
            break;
        }
    }
    // A compiler says of all files what it says of one, and by now it has said it.
    if answers.saved.values().any(|said| said.diagnostics().is_some()) {
        for (path, said) in server.others_saved(mark) {
            answers.saved.entry(path).or_insert(said);
        }
    }
    answers.finish(subjects)
}

/// Those of which something is said only after they were saved.
fn followed(slot: &Slot, subjects: &[(Subject, String)], aim: Aim) -> BTreeSet<PathBuf> {
    let is_followed = aim.is_whole() && !slot.launch.quirks.saves_for.is_empty();
    let saved = subjects.iter().filter(|(subject, _)| is_followed && subject.is_saved);
    saved.map(|(subject, _)| subject.path.clone()).collect()
}

/// Those that a server may be told of. Somebody may have made another text of one since it was read, and told the server of that.
fn current(pool: &Shared, subjects: &[(Subject, String)], aim: Aim) -> Vec<(Subject, String)> {
    let is_told = |subject: &Subject| aim.is_made() || is_current(pool, subject);
    subjects.iter().filter(|(subject, _)| is_told(subject)).cloned().collect()
}

fn is_current(pool: &Shared, subject: &Subject) -> bool {
    pool.texts.text(&subject.path).is_some_and(|now| now.text == subject.text)
}

/// A server knows what lies on the disk; what editors have instead it is told, as far as it serves that. Tells whether that was all.
async fn hold_unsaved(
    pool: &Shared,
    slot: &Slot,
    alive: &Alive,
    mut open: Vec<PathBuf>,
    until: Instant,
) -> bool {
    let root = &slot.launch.root;
    open.retain(|path| path.starts_with(root) && slot.documents().text(path).is_none());
    if open.is_empty() {
        return true;
    }
    let (texts, choose) = (Arc::clone(&pool.texts), Arc::clone(&pool.choose));
    let (name, root) = (slot.launch.name.clone(), root.clone());
    let looking = spawn_blocking(move || {
        let its = |subject: Subject| {
            let first_line = subject.text.lines().next().unwrap_or_default();
            let mut chosen = choose.servers_for(&subject.path, first_line).into_iter();
            let language = chosen.find(|chosen| chosen.name == name && chosen.root == root)?.language;
            Some((subject, language))
        };
        let unsaved = open.into_iter().filter(|path| texts.is_other(path));
        unsaved
            .filter_map(|path| texts.text(&path))
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
fn hold_found(pool: &Shared, slot: &Slot, alive: &Alive, subject: &Subject, language: &str) -> u64 {
    let text = slot.hold(alive, subject, language);
    if !is_current(pool, subject) {
        slot.refresh(alive, &*pool.texts, &subject.path);
    }
    text
}

fn hold_all(
    pool: &Shared,
    slot: &Slot,
    alive: &Alive,
    subjects: &[(Subject, String)],
    aim: Aim,
) -> BTreeMap<PathBuf, u64> {
    let mut held = BTreeMap::new();
    for (subject, language) in subjects {
        let text = match aim.is_made() {
            true => slot.hold(alive, subject, language),
            false => hold_found(pool, slot, alive, subject, language),
        };
        held.insert(subject.path.clone(), text);
    }
    for (subject, _) in subjects.iter().filter(|(subject, _)| aim.is_whole() && subject.is_saved) {
        // Also where something else was written since: a compiler looks only when something is saved.
        if slot.documents().is_news_that_saved(&subject.path) || alive.server.wants_save() {
            alive.server.saved(&subject.path);
        }
    }
    held
}

pub(super) fn report(slot: &Slot, path: &Path, said: Said) -> Report {
    Report::new(path.to_owned(), slot.launch.name.clone(), said)
}

/// It has nothing to say of any of them.
pub(super) fn all_unknown(slot: &Slot, subjects: &[(Subject, String)], why: &str) -> Vec<Report> {
    let of =
        |(subject, _): &(Subject, String)| report(slot, &subject.path, Said::Unknown { why: why.to_owned() });
    subjects.iter().map(of).collect()
}
