//! What a session knows of what is wrong in its workspace, and what of it is new.
//!
//! Before a change what is known of its texts is asked for ([`Checks::before`]), after it what is said now
//! ([`Checks::after`]); the difference is told. What cannot be known in time is told as unknown, and waited for beside the work:
//! what comes of it is news ([`Checks::take_late`]), unless the text is another one by then.
//!
//! Invariant: nothing here keeps a call for longer than the time that was configured.
//! Invariant: each problem is told as new once, whichever call sees it first.

mod command;
mod heard;
mod late;
mod made;
mod pending;
mod reading;
mod shown;
#[cfg(test)]
mod tests;
mod turn;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::baseline::Baseline;
use crate::delta::Delta;
use crate::ledger::Ledger;
use crate::sources::Sources;
use crate::told;
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::report::Report;
use copydesk_servers::source::{Subject, Texts};
use late::Late;
use made::Made;
use pending::{Change, Pending};
use reading::{Reading, Unasked, Unready};
use turn::Turn;

pub use command::Commanding;
pub use shown::Viewer;

/// How long an answer is waited for where nobody says.
pub const WAIT: Duration = Duration::from_secs(3);

/// Files that are looked at again when one is gone, or a command has changed some.
const MOST_AGAIN: usize = 24;

/// What of the time is kept for a grammar, which says at once what it has to say.
const FOR_SYNTAX: Duration = Duration::from_millis(100);

/// Files of which it is kept how long was waited for them.
const MOST_WAITED: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    pub wait: Duration,
    /// What is less severe is not told.
    pub least: Severity,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Its real path.
    pub path: PathBuf,
    /// None where it was not there.
    pub before: Option<Arc<String>>,
    /// None where it is gone.
    pub after: Option<Arc<String>>,
    /// The text after it is on the disk.
    pub is_saved: bool,
}

impl Edited {
    fn subject(&self) -> Option<Subject> {
        let text = Arc::clone(self.after.as_ref()?);
        Some(Subject { path: self.path.clone(), text, is_saved: self.is_saved })
    }
}

/// What is said of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// For the model.
    pub output: String,
    /// For the person.
    pub metadata: Value,
}

/// The checks of one session. Clones are the same.
#[derive(Clone)]
pub struct Checks {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Checks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checks").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

struct Shared {
    sources: Sources,
    texts: Option<Arc<dyn Texts>>,
    root: PathBuf,
    options: Options,
    viewer: OnceLock<Arc<dyn Viewer>>,
    state: Mutex<State>,
    reading: Reading,
}

/// A question, and when it was asked.
#[derive(Debug, Clone, Copy)]
struct Asked {
    /// How often something had been changed by then.
    changes: u64,
}

#[derive(Default)]
struct State {
    ledger: Ledger,
    turn: Turn,
    /// As each file was when it was first heard of.
    first: Ledger,
    /// The files that somebody was asked about last, the latest first.
    met: VecDeque<PathBuf>,
    /// The texts that this session made last.
    made: Made,
    /// How long was waited before a change, which the time after it is less by.
    waited: HashMap<PathBuf, Duration>,
    late: Late,
    pending: Pending,
    unasked: Unasked,
    unready: Unready,
    /// When this session was last told of something: what was typed since is not its doing.
    moment: u64,
}

impl State {
    /// The files that were told of last, and those that were asked about.
    fn latest(&self) -> Vec<PathBuf> {
        let mut latest = self.ledger.latest(MOST_AGAIN);
        let unheard: Vec<_> = self.met.iter().filter(|path| !latest.contains(path)).cloned().collect();
        latest.extend(unheard);
        latest.truncate(MOST_AGAIN);
        latest
    }

    /// Where anything was typed since the last time, what is said of any file may be another thing.
    fn look(&mut self, moment: u64) {
        if self.moment != moment {
            self.moment = moment;
            self.ledger.typed();
        }
    }

    /// What the next reports are compared with.
    fn keep(&mut self, subjects: &[Subject], reports: &[Report]) {
        self.first.put_first(reports, &self.ledger);
        self.ledger.put(reports, text_of(subjects));
    }
}

impl Default for Checks {
    /// Nobody is asked, and nothing is told.
    fn default() -> Self {
        let options = Options { wait: WAIT, least: Severity::Error };
        Self::make(Sources::default(), None, Path::new("/"), options)
    }
}

impl Checks {
    pub fn new(sources: Sources, texts: Arc<dyn Texts>, root: &Path, options: Options) -> Self {
        Self::make(sources, Some(texts), root, options)
    }

    fn make(sources: Sources, texts: Option<Arc<dyn Texts>>, root: &Path, options: Options) -> Self {
        let (viewer, state, reading) = (OnceLock::new(), Mutex::default(), Reading::default());
        let root = root.to_owned();
        Self { shared: Arc::new(Shared { sources, texts, root, options, viewer, state, reading }) }
    }

    fn real_root(&self) -> PathBuf {
        self.shared.root.canonicalize().unwrap_or_else(|_| self.shared.root.clone())
    }

    pub fn is_off(&self) -> bool {
        self.shared.sources.is_empty()
    }

    /// Somebody is going to be asked about these.
    fn begin(&self, subjects: &[Subject]) -> Asked {
        let moment = self.moment();
        let mut state = self.lock();
        state.look(moment);
        for subject in subjects {
            state.met.retain(|path| *path != subject.path);
            state.met.push_front(subject.path.clone());
        }
        state.met.truncate(MOST_AGAIN);
        Asked { changes: state.ledger.changes() }
    }

    /// What is said of texts that are about to be changed, as far as it is not known.
    pub async fn before(&self, subjects: &[Subject]) {
        if self.is_off() {
            return;
        }
        // The rest is for what comes after.
        let begun = Instant::now();
        let until = begun + self.shared.options.wait / 3;
        let paths: Vec<_> = subjects.iter().map(|subject| &*subject.path).collect();
        self.shared.reading.done(&paths, until).await;
        let moment = self.moment();
        let unknown: Vec<_> = {
            let mut state = self.lock();
            state.look(moment);
            subjects.iter().for_each(|subject| _ = state.waited.remove(&subject.path));
            let is_unknown = |subject: &&Subject| !state.ledger.knows(&subject.path, &subject.text);
            subjects.iter().filter(is_unknown).cloned().collect()
        };
        if !unknown.is_empty() {
            let asked = self.begin(&unknown);
            let (unknown, reports) = self.check(unknown, until).await;
            self.heard(&unknown, &reports, asked);
        }
        let mut state = self.lock();
        if state.waited.len() >= MOST_WAITED {
            // Changes that were not made.
            state.waited.clear();
        }
        // Of files that are not there yet nobody says which they are.
        let paths = subjects.iter().map(|subject| subject.path.clone()).chain([PathBuf::new()]);
        state.waited.extend(paths.map(|path| (path, begun.elapsed())));
    }

    fn moment(&self) -> u64 {
        self.shared.texts.as_ref().map_or(0, |texts| texts.moment())
    }

    /// What is new after a change. Nothing where nobody can say anything of it.
    pub async fn after(&self, edited: &[Edited]) -> Option<Told> {
        if self.is_off() {
            return None;
        }
        let begun = Instant::now();
        let waited = self.waited(edited);
        let until = begun + self.shared.options.wait.saturating_sub(waited);
        let change = self.made(edited, true);
        let moment = self.moment();
        self.lock().moment = moment;
        let asked = self.subjects(edited);
        let (subjects, reports) =
            self.check(asked.clone(), until.checked_sub(FOR_SYNTAX).unwrap_or(until)).await;
        let syntax = self.syntax_before(edited, &reports, until).await;
        let delta = self.compare(edited, &subjects, &reports, syntax, &change);
        self.wait_for_late(asked, &delta, change, false);
        self.told(&delta, &|path| text_of(&subjects)(path).cloned(), waited + begun.elapsed())
    }

    /// How long was waited before this change.
    fn waited(&self, edited: &[Edited]) -> Duration {
        let mut state = self.lock();
        let paths = edited.iter().map(|edited| &*edited.path).chain([Path::new("")]);
        paths.filter_map(|path| state.waited.remove(path)).max().unwrap_or_default()
    }

    /// What would be new if these were the texts.
    pub async fn proposed(&self, edited: &[Edited]) -> Option<Told> {
        if self.is_off() {
            return None;
        }
        let begun = Instant::now();
        let subjects: Vec<_> = edited.iter().filter_map(Edited::subject).collect();
        let until = begun + self.shared.options.wait / 2;
        let others = self.others(&subjects);
        let reports =
            self.shared.sources.shadow(&subjects, until.checked_sub(FOR_SYNTAX).unwrap_or(until)).await;
        let (subjects, reports) = self.with_others(subjects, reports, &others);
        let syntax = self.syntax_before(edited, &reports, until).await;
        let mut baselines = self.lock().ledger.baselines(&reports, text_of(&subjects));
        baselines.extend(first(edited, &subjects, syntax));
        let mut delta = Delta::of(&baselines, &reports, self.shared.options.least);
        // Who cannot tell before says nothing, instead of that to every ask.
        delta.answers.retain(|answer| answer.why.is_none());
        self.told(&delta, &|path| text_of(&subjects)(path).cloned(), begun.elapsed())
    }

    /// `is_exact` where a file without a text before was not there. What is returned is kept until it is answered for.
    fn made(&self, edited: &[Edited], is_exact: bool) -> Change {
        let mut guard = self.lock();
        let state = &mut *guard;
        for file in edited {
            let Edited { path, before, after, .. } = file;
            state.made.put(path, after.as_ref());
            state.turn.made(file, is_exact && before.is_none());
            state.late.withdraw(path, &mut state.ledger);
            if after.is_none() {
                state.ledger.forget(path);
                state.first.forget(path);
                state.met.retain(|known| known != path);
            }
        }
        state.ledger.changed();
        state.pending.begin()
    }

    /// Everything that is known by then, with the texts that it is said of.
    async fn check(&self, subjects: Vec<Subject>, until: Instant) -> (Vec<Subject>, Vec<Report>) {
        let others = self.others(&subjects);
        let reports = self.shared.sources.check(&subjects, until).await;
        self.with_others(subjects, reports, &others)
    }

    /// The new texts; and where files came or went, those that were told of last: they may be about these.
    fn subjects(&self, edited: &[Edited]) -> Vec<Subject> {
        let mut subjects: Vec<_> = edited.iter().filter_map(Edited::subject).collect();
        let is_whole = |edited: &Edited| edited.before.is_none() || edited.after.is_none();
        let Some(texts) = self.shared.texts.as_ref().filter(|_| edited.iter().any(is_whole)) else {
            return subjects;
        };
        let known = self.lock().latest();
        for path in known {
            if edited.iter().all(|edited| edited.path != path) {
                subjects.extend(texts.text(&path));
            }
        }
        subjects
    }

    /// The texts of other files that may be told of, as they are before anybody is asked.
    fn others(&self, subjects: &[Subject]) -> Vec<Subject> {
        let Some(texts) = &self.shared.texts else { return Vec::new() };
        let mut known = self.lock().latest();
        known.retain(|path| subjects.iter().all(|subject| subject.path != *path));
        known.iter().filter_map(|path| texts.text(path)).collect()
    }

    /// The texts, and those of the other files that were told of: what is known of them is moved by them. What was said of a file that
    /// was changed meanwhile is left out: nobody knows of which text.
    fn with_others(
        &self,
        mut subjects: Vec<Subject>,
        mut reports: Vec<Report>,
        others: &[Subject],
    ) -> (Vec<Subject>, Vec<Report>) {
        let Some(texts) = &self.shared.texts else { return (subjects, reports) };
        reports.retain(|report| {
            if subjects.iter().any(|subject| subject.path == report.path) {
                return true;
            }
            let now = texts.text(&report.path);
            let before = others.iter().find(|other| other.path == report.path);
            let is_same = before.is_none_or(|before| now.as_ref().is_some_and(|now| now.text == before.text));
            subjects.extend(now.filter(|_| is_same));
            is_same
        });
        (subjects, reports)
    }

    /// What a grammar says of the texts before, where it had not been asked: a server had answered for it then.
    async fn syntax_before(&self, edited: &[Edited], reports: &[Report], until: Instant) -> Vec<Report> {
        let Some(syntax) = &self.shared.sources.syntax else { return Vec::new() };
        let is_missing = |path: &Path| {
            let of_path: Vec<_> = reports.iter().filter(|report| report.path == path).cloned().collect();
            let known = self.lock().ledger.baselines(&of_path, |_| None);
            of_path.len() > known.len()
        };
        let before = |edited: &Edited| {
            let text = Arc::clone(edited.before.as_ref()?);
            is_missing(&edited.path).then(|| Subject { path: edited.path.clone(), text, is_saved: false })
        };
        let before: Vec<_> = edited.iter().filter_map(before).collect();
        syntax.shadow(&before, until).await
    }

    /// The difference to what was last told, which is told from now on.
    fn compare(
        &self,
        edited: &[Edited],
        subjects: &[Subject],
        reports: &[Report],
        syntax: Vec<Report>,
        change: &Change,
    ) -> Delta {
        let mut guard = self.lock();
        guard.learn(subjects, reports, Some(change));
        let mut baselines = guard.ledger.baselines(reports, text_of(subjects));
        guard.keep(subjects, reports);
        drop(guard);
        self.show(subjects);
        baselines.extend(first(edited, subjects, syntax));
        Delta::of(&baselines, reports, self.shared.options.least)
    }

    /// `text` are the texts that were checked.
    fn told(&self, delta: &Delta, text: told::TextOf<'_>, waited: Duration) -> Option<Told> {
        if delta.answers.is_empty() {
            return None;
        }
        let root = &self.shared.root;
        let output = told::told(delta, root, text);
        Some(Told { output, metadata: told::metadata(delta, root, waited) })
    }

    /// What is guarded is replaced entry by entry: a panic leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The baselines of what the ledger does not know: files that were not there, and what a grammar said of those that were.
fn first(edited: &[Edited], subjects: &[Subject], syntax: Vec<Report>) -> Vec<Baseline> {
    let created = edited.iter().filter(|edited| edited.before.is_none());
    let mut baselines: Vec<_> = created.map(|edited| Baseline::nothing(edited.path.clone())).collect();
    let mut ledger = Ledger::default();
    let before = |path: &Path| {
        let edited = edited.iter().find(|edited| edited.path == path)?;
        edited.before.as_ref()
    };
    ledger.put(&syntax, before);
    baselines.extend(ledger.baselines(&syntax, text_of(subjects)));
    baselines
}

fn text_of<'a>(subjects: &'a [Subject]) -> impl Fn(&Path) -> Option<&'a Arc<String>> {
    move |path| subjects.iter().find(|subject| subject.path == path).map(|subject| &subject.text)
}
