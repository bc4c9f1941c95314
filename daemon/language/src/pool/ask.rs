//! Asking one server about texts, and about the files that they may break.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, timeout_at};

use super::Shared;
use super::linked::linked;
use super::past::Past;
use super::slot::{Alive, Slot};
use crate::diagnostic::Diagnostic;
use crate::known::language_of;
use crate::quirks::{Dependents, ReadyBy};
use crate::report::{Report, Said};
use crate::server::State;
use crate::source::Subject;

/// How long it is waited for what the disk has to tell.
const SETTLING: Duration = Duration::from_millis(500);

/// Other files of which it is told that nothing is known.
const MOST_UNKNOWN: usize = 10;

const LATE: &str = "it did not answer in time";

const CHANGED: &str = "it was changed meanwhile";

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

/// One answer.
enum Got {
    /// With what stands for its text.
    Of(PathBuf, u64, Said),
    /// Of the same text, what follows a save alone.
    Saved(PathBuf, Option<Said>),
    Others(Vec<(PathBuf, Said)>),
    /// Texts that it is to be asked about, too.
    Linked(Vec<Subject>),
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
    let in_editors = slot.documents().in_editors(&pool.texts.open());
    for path in in_editors {
        if !subjects.iter().any(|(subject, _)| subject.path == path) {
            slot.refresh(&alive, &*pool.texts, &path);
        }
    }
    let known_before = slot.documents().ever_known();
    let current = current(pool, subjects, aim);
    if current.is_empty() {
        return unknown(CHANGED);
    }
    let held = hold_all(slot, &alive, &current, aim);
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
            Got::Saved(subject.path.clone(), said)
        }));
    }
    waiting.extend(held.into_iter().map(|(path, text)| check(path, text)));
    if aim.is_whole() {
        waiting.push(Box::pin(async { Got::Others(server.others(mark, until).await) }));
        waiting.push(Box::pin(async {
            let _ = server.states().wait_for(|state| *state == State::Ready).await;
            Got::Linked(linked(pool, slot, &paths, until).await)
        }));
    }
    let quirks = &slot.launch.quirks;
    let mut answers = Answers {
        slot,
        generation,
        subjects: &paths,
        // A file that stands alone is not touched by what was not seen.
        is_seen: is_seen || quirks.dirty_dependents == Dependents::None,
        said: BTreeMap::new(),
        saved: BTreeMap::new(),
        others: BTreeMap::new(),
        asked: BTreeSet::new(),
        known_before,
        past,
    };
    let is_told = quirks.pushes_closed || quirks.dirty_dependents == Dependents::Told;
    let mut is_telling = aim.is_whole() && is_told && !server.is_asked_instead();
    while let Ok(Some(got)) = timeout_at(until, waiting.next()).await {
        match got {
            Got::Linked(found) => {
                for subject in found {
                    let first_line = subject.text.lines().next().unwrap_or_default();
                    if let Some(language) = language_of(&subject.path, first_line) {
                        let text = slot.hold(&alive, &subject, language);
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

/// Those that a server may be told of. Somebody may have made another text of one since it was read, and told the server of that.
fn current(pool: &Shared, subjects: &[(Subject, String)], aim: Aim) -> Vec<(Subject, String)> {
    let is_current = |subject: &Subject| {
        aim.is_made() || pool.texts.text(&subject.path).is_some_and(|now| now.text == subject.text)
    };
    subjects.iter().filter(|(subject, _)| is_current(subject)).cloned().collect()
}

fn hold_all(slot: &Slot, alive: &Alive, subjects: &[(Subject, String)], aim: Aim) -> BTreeMap<PathBuf, u64> {
    let mut held = BTreeMap::new();
    for (subject, language) in subjects {
        held.insert(subject.path.clone(), slot.hold(alive, subject, language));
    }
    for (subject, _) in subjects.iter().filter(|(subject, _)| aim.is_whole() && subject.is_saved) {
        // Also where something else was written since: a compiler looks only when something is saved.
        if slot.documents().is_news_that_saved(&subject.path) || alive.server.wants_save() {
            alive.server.saved(&subject.path);
        }
    }
    held
}

/// What was said by now.
struct Answers<'a> {
    slot: &'a Slot,
    /// What the server knew when it was asked.
    generation: u64,
    subjects: &'a BTreeSet<PathBuf>,
    /// Everything that was changed on the disk is known to the server.
    is_seen: bool,
    said: BTreeMap<PathBuf, Said>,
    saved: BTreeMap<PathBuf, Said>,
    /// What came by the way.
    others: BTreeMap<PathBuf, Said>,
    /// Other files that it was asked about.
    asked: BTreeSet<PathBuf>,
    /// Other files of which it is told also that they are not known.
    known_before: BTreeSet<PathBuf>,
    /// Before it was told of anything.
    past: Past,
}

impl Answers<'_> {
    fn add(&mut self, got: Got) {
        match got {
            Got::Of(path, text, said) => {
                let said = self.weighed(said);
                let mut documents = self.slot.documents();
                documents.remember(&path, (text, self.generation), &said);
                // Somebody else held another text meanwhile, and is told what is said of that.
                let is_same = documents.text(&path) == Some(text);
                let changed = || Said::Unknown { why: CHANGED.to_owned() };
                let said = if is_same { said } else { changed() };
                self.said.insert(path, said);
            }
            Got::Saved(path, said) => self.saved.extend(said.map(|said| (path, said))),
            Got::Others(others) => {
                for (path, said) in others {
                    let said = self.weighed(said);
                    // What was asked for goes before what came by the way.
                    let is_asked = self.said.get(&path).is_some_and(|asked| asked.diagnostics().is_some());
                    if is_asked || self.subjects.contains(&path) {
                        continue;
                    }
                    let mut documents = self.slot.documents();
                    if let Some(text) = documents.text(&path) {
                        documents.remember(&path, (text, self.generation), &said);
                    }
                    self.asked.extend(said.diagnostics().is_none().then(|| path.clone()));
                    self.others.insert(path, said);
                }
            }
            Got::Linked(_) => {}
        }
    }

    /// Nothing is proven where the server may not know what else was changed.
    fn weighed(&self, said: Said) -> Said {
        match said {
            Said::Proven(all) if !self.is_seen => Said::Likely(all),
            said => said,
        }
    }

    fn is_complete(&self) -> bool {
        self.subjects.iter().all(|path| self.said.contains_key(path))
    }

    /// Every text that was asked about has an answer, and none is known.
    fn is_not_known(&self) -> bool {
        let is_unknown = |path| self.said.get(path).is_some_and(|said| said.diagnostics().is_none());
        self.subjects.iter().all(is_unknown)
    }

    /// Of other files it is told what is known; and of those that a change may break, and those that were known before, also that
    /// they are not known.
    fn finish(mut self, subjects: &[(Subject, String)]) -> Vec<Report> {
        let is_known = !self.is_not_known();
        let mut reports = Vec::new();
        for (subject, _) in subjects {
            let said = self.said.remove(&subject.path);
            let said = said.unwrap_or_else(|| Said::Unknown { why: LATE.to_owned() });
            reports.push(self.with_past(report(self.slot, &subject.path, said), Past::own));
        }
        let source = self.slot.launch.quirks.saves_for.join(", ");
        for (path, said) in mem::take(&mut self.saved) {
            let report = Report::new(path, source.clone(), self.weighed(said));
            reports.push(self.with_past(report, Past::saved));
        }
        let mut others = BTreeMap::new();
        for (path, said) in mem::take(&mut self.others).into_iter().chain(mem::take(&mut self.said)) {
            if !self.subjects.contains(&path) && (said.diagnostics().is_some() || !others.contains_key(&path))
            {
                others.insert(path, said);
            }
        }
        for path in mem::take(&mut self.asked) {
            others.entry(path).or_insert_with(|| Said::Unknown { why: LATE.to_owned() });
        }
        let mut unknown = 0;
        others.retain(|path, said| {
            let is_unknown = said.diagnostics().is_none();
            unknown += usize::from(is_unknown && self.known_before.contains(path));
            !is_unknown || (is_known && self.known_before.contains(path) && unknown <= MOST_UNKNOWN)
        });
        let others = others.into_iter().map(|(path, said)| report(self.slot, &path, said));
        reports.extend(others.map(|report| self.with_past(report, Past::own)));
        reports
    }

    fn with_past(
        &self,
        report: Report,
        of: impl Fn(&Past, &Path, Option<u64>) -> Option<Vec<Diagnostic>>,
    ) -> Report {
        let is_other = self.subjects.contains(&report.path) && self.past.is_closed(&report.path);
        let text = self.slot.documents().text(&report.path);
        let past = of(&self.past, &report.path, text).filter(|_| !is_other);
        Report { past, ..report }
    }
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
