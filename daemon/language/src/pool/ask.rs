//! Asking one server about texts, and about the files that they may break.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, timeout_at};

use super::Shared;
use super::slot::{Alive, Slot};
use crate::dependents::{Mentions, dependents};
use crate::known::language_of;
use crate::quirks::Dependents;
use crate::report::{Report, Said};
use crate::source::Subject;

/// How long it is waited for what the disk has to tell.
const SETTLING: Duration = Duration::from_millis(500);
/// How long files that mention a file are looked for.
const LOOKING: Duration = Duration::from_millis(40);
/// Files for which others are looked for, of those that one call changed.
const MOST_CHANGED: usize = 4;

const LATE: &str = "it did not answer in time";

/// What is to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// What a change did. A server is told of what was saved.
    Changed,
    /// How it is before a change.
    Before,
}

/// One answer.
enum Got {
    /// With what stands for its text.
    Of(PathBuf, u64, Said),
    /// Of the same text, what follows a save alone.
    Saved(PathBuf, Said),
    Others(Vec<(PathBuf, Said)>),
    Nothing,
}

pub(super) async fn ask(
    pool: &Shared,
    slot: &Arc<Slot>,
    subjects: &[(Subject, String)],
    aim: Aim,
    until: Instant,
) -> Vec<Report> {
    slot.touch();
    let unknown = |why: String| {
        let of = |subject: &Subject| report(slot, &subject.path, Said::Unknown { why: why.clone() });
        subjects.iter().map(|(subject, _)| of(subject)).collect::<Vec<_>>()
    };
    let Some(alive) = slot.alive() else {
        // They are opened when it is there.
        for (subject, language) in subjects {
            slot.documents().hold(subject, language);
        }
        return unknown(slot.ready().err().unwrap_or_else(|| format!("{} is starting", slot.launch.name)));
    };
    let Ok(_turn) = timeout_at(until, slot.turn.read()).await else {
        return unknown("a proposed text is being checked".to_owned());
    };
    alive.root.settle(pool, until.min(Instant::now() + SETTLING)).await;
    let mark = alive.server.mark();
    let mut held = hold_all(slot, &alive, subjects, aim);
    let paths: BTreeSet<_> = held.keys().cloned().collect();
    // One that reads its project says so when it is asked, at once; it is not given more to read.
    if slot.ready().is_ok() {
        for subject in others(pool, slot, &paths, until).await {
            let first_line = subject.text.lines().next().unwrap_or_default();
            if let Some(language) = language_of(&subject.path, first_line) {
                held.insert(subject.path.clone(), slot.hold(&alive, &subject, language));
            }
        }
    }
    let generation = slot.documents().generation();
    let mut waiting: FuturesUnordered<BoxFuture<'_, Got>> = FuturesUnordered::new();
    for (path, text) in held {
        let alive = &alive;
        if aim == Aim::Changed && subjects.iter().any(|(subject, _)| subject.path == path && subject.is_saved)
        {
            let path = path.clone();
            waiting.push(Box::pin(async move {
                match alive.server.check_saved(&path, until).await {
                    Some(said) => Got::Saved(path, said),
                    None => Got::Nothing,
                }
            }));
        }
        waiting.push(Box::pin(async move {
            let said = alive.server.check(&path, until).await;
            Got::Of(path, text, said)
        }));
    }
    waiting.push(Box::pin(async { Got::Others(alive.server.others(mark, until).await) }));
    let mut answers =
        Answers { slot, generation, subjects: paths, said: BTreeMap::new(), saved: BTreeMap::new() };
    while let Ok(Some(got)) = timeout_at(until, waiting.next()).await {
        answers.add(got);
    }
    answers.finish(subjects)
}

fn hold_all(slot: &Slot, alive: &Alive, subjects: &[(Subject, String)], aim: Aim) -> BTreeMap<PathBuf, u64> {
    let mut held = BTreeMap::new();
    for (subject, language) in subjects {
        held.insert(subject.path.clone(), slot.hold(alive, subject, language));
    }
    for (subject, _) in subjects.iter().filter(|(subject, _)| aim == Aim::Changed && subject.is_saved) {
        if slot.documents().is_news_that_saved(&subject.path) {
            alive.server.saved(&subject.path);
        }
    }
    held
}

/// The texts of files that these may break and that the server would not look at by itself.
async fn others(pool: &Shared, slot: &Slot, paths: &BTreeSet<PathBuf>, until: Instant) -> Vec<Subject> {
    let quirks = &slot.launch.quirks;
    if quirks.dirty_dependents == Dependents::None || quirks.pushes_closed {
        return Vec::new();
    }
    let until = until.min(Instant::now() + LOOKING);
    let held: BTreeSet<_> = slot.documents().paths().into_iter().collect();
    let overlay = pool.texts.overlay();
    let most = pool.limits.dependents;
    let mut looking: FuturesUnordered<_> = paths
        .iter()
        .take(MOST_CHANGED)
        .map(|path| {
            let mentions = Mentions {
                path: path.clone(),
                root: slot.launch.root.clone(),
                languages: slot.languages.clone(),
                held: held.clone(),
                overlay: overlay.clone(),
                most,
            };
            dependents(mentions, until)
        })
        .collect();
    let mut found = Vec::new();
    while let Some(more) = looking.next().await {
        let more: Vec<_> =
            more.into_iter().filter(|path| !paths.contains(path) && !found.contains(path)).collect();
        found.extend(more);
    }
    found.truncate(most);
    let texts = Arc::clone(&pool.texts);
    let reading =
        tokio::task::spawn_blocking(move || found.iter().filter_map(|path| texts.text(path)).collect());
    // A disk that does not answer is not waited for.
    timeout_at(until + LOOKING, reading).await.ok().and_then(Result::ok).unwrap_or_default()
}

/// What was said by now.
struct Answers<'a> {
    slot: &'a Slot,
    /// What the server knew when it was asked.
    generation: u64,
    subjects: BTreeSet<PathBuf>,
    said: BTreeMap<PathBuf, Said>,
    saved: BTreeMap<PathBuf, Said>,
}

impl Answers<'_> {
    fn add(&mut self, got: Got) {
        match got {
            Got::Of(path, text, said) => {
                self.slot.documents().remember(&path, (text, self.generation), &said);
                self.said.insert(path, said);
            }
            Got::Saved(path, said) => drop(self.saved.insert(path, said)),
            Got::Others(others) => {
                for (path, said) in others {
                    let mut documents = self.slot.documents();
                    if let Some(text) = documents.text(&path) {
                        documents.remember(&path, (text, self.generation), &said);
                    }
                    // What was asked for goes before what came by the way.
                    self.said.entry(path).or_insert(said);
                }
            }
            Got::Nothing => {}
        }
    }

    /// Of other files only what is known is told.
    fn finish(mut self, subjects: &[(Subject, String)]) -> Vec<Report> {
        let mut reports = Vec::new();
        for (subject, _) in subjects {
            let said = self.said.remove(&subject.path);
            let said = said.unwrap_or_else(|| Said::Unknown { why: LATE.to_owned() });
            reports.push(report(self.slot, &subject.path, said));
        }
        let source = self.slot.launch.quirks.saves_for.join(", ");
        for (path, said) in self.saved {
            reports.push(Report { path, source: source.clone(), said });
        }
        let others = self
            .said
            .into_iter()
            .filter(|(path, said)| said.diagnostics().is_some() && !self.subjects.contains(path));
        reports.extend(others.map(|(path, said)| report(self.slot, &path, said)));
        reports
    }
}

pub(super) fn report(slot: &Slot, path: &Path, said: Said) -> Report {
    Report { path: path.to_owned(), source: slot.launch.name.clone(), said }
}
