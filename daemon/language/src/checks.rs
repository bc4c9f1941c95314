//! What a session knows of what is wrong in its workspace, and what of it is new.
//!
//! Before a change what is known of its texts is asked for ([`Checks::before`]), after it what is said now
//! ([`Checks::after`]); the difference is told. What cannot be known in time is told as unknown, and waited for beside the work:
//! what comes of it is news ([`Checks::take_late`]), unless the text is another one by then.
//!
//! Invariant: nothing here keeps a call for longer than the time that was configured.
//! Invariant: each problem is told as new once, whichever call sees it first.

mod late;
mod made;
mod shown;
#[cfg(test)]
mod tests;
mod turn;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::baseline::Baseline;
use crate::delta::Delta;
use crate::diagnostic::Severity;
use crate::ledger::Ledger;
use crate::report::Report;
use crate::source::{Subject, Texts};
use crate::sources::Sources;
use crate::told;
use made::Made;

pub use shown::Viewer;

/// How long an answer is waited for where nobody says.
pub const WAIT: Duration = Duration::from_secs(3);

/// Files that are looked at again when one is gone, or a command has changed some.
const MOST_AGAIN: usize = 24;

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
}

#[derive(Default)]
struct State {
    ledger: Ledger,
    /// As it was when the turn began, and what was first heard since of files that nobody had changed.
    turn: Ledger,
    /// As each file was when it was first heard of.
    first: Ledger,
    /// The texts that this session made last.
    made: Made,
    late: Vec<String>,
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
        let (viewer, state) = (OnceLock::new(), Mutex::default());
        Self { shared: Arc::new(Shared { sources, texts, root: root.to_owned(), options, viewer, state }) }
    }

    pub fn is_off(&self) -> bool {
        self.shared.sources.is_empty()
    }

    /// A file was read, and may be changed next: whoever can say something of it begins to.
    pub fn read(&self, subject: Subject) {
        if self.is_off() {
            return;
        }
        let checks = self.clone();
        tokio::spawn(async move {
            let (until, subjects) = (Instant::now() + checks.shared.options.wait, vec![subject]);
            let reports = checks.shared.sources.warm(&subjects, until).await;
            checks.heard(subjects, &reports);
        });
    }

    /// What is said of texts that are about to be changed, as far as it is not known.
    pub async fn before(&self, subjects: &[Subject]) {
        let unknown = |subject: &&Subject| !self.lock().ledger.knows(&subject.path, &subject.text);
        let subjects: Vec<_> = subjects.iter().filter(unknown).cloned().collect();
        if self.is_off() || subjects.is_empty() {
            return;
        }
        // The other half is for what comes after.
        let until = Instant::now() + self.shared.options.wait / 2;
        let reports = self.shared.sources.check(&subjects, until).await;
        self.heard(subjects, &reports);
    }

    /// What was said without a change: what later changes are compared with. What it says of files that this session has changed, and
    /// of which it was not known then, is news.
    fn heard(&self, subjects: Vec<Subject>, reports: &[Report]) {
        let begun = Instant::now();
        let subjects = self.with_others(subjects, reports);
        let (own, others): (Vec<_>, Vec<_>) =
            reports.iter().cloned().partition(|report| self.lock().made.contains_key(&report.path));
        {
            let mut guard = self.lock();
            let state = &mut *guard;
            state.ledger.put(&others, text_of(&subjects));
            state.turn.put_missing(&state.ledger);
        }
        let is_news = |report: &&Report| {
            let text = text_of(&subjects)(&report.path);
            text.is_none_or(|text| !self.lock().ledger.knows(&report.path, text))
        };
        let news: Vec<_> = own.iter().filter(is_news).cloned().collect();
        self.came(&subjects, &news, begun);
    }

    /// What is new after a change. Nothing where nobody can say anything of it.
    pub async fn after(&self, edited: &[Edited]) -> Option<Told> {
        if self.is_off() {
            return None;
        }
        let begun = Instant::now();
        self.made(edited);
        let subjects = self.subjects(edited);
        let reports = self.shared.sources.check(&subjects, begun + self.shared.options.wait).await;
        let syntax = self.syntax_before(edited, &reports).await;
        let delta = self.compare(edited, &subjects, &reports, syntax);
        self.wait_for_late(subjects, &delta);
        self.told(&delta, begun)
    }

    /// What would be new if these were the texts.
    pub async fn proposed(&self, edited: &[Edited]) -> Option<Told> {
        if self.is_off() {
            return None;
        }
        let begun = Instant::now();
        let subjects: Vec<_> = edited.iter().filter_map(Edited::subject).collect();
        let reports = self.shared.sources.shadow(&subjects, begun + self.shared.options.wait / 2).await;
        let syntax = self.syntax_before(edited, &reports).await;
        let mut baselines = self.lock().ledger.baselines(&reports, text_of(&subjects));
        baselines.extend(first(edited, &subjects, syntax));
        let mut delta = Delta::of(&baselines, &reports, self.shared.options.least);
        // Who cannot tell before says nothing, instead of that to every ask.
        delta.answers.retain(|answer| answer.why.is_none());
        self.told(&delta, begun)
    }

    /// What is new after something else than an edit of this session changed files: a command.
    pub async fn commanded(&self) -> Option<Told> {
        let begun = Instant::now();
        let until = begun + self.shared.options.wait;
        let changed = self.shared.sources.changed(until).await;
        let texts = self.shared.texts.as_ref().filter(|_| !changed.is_empty())?;
        let mut edited = Vec::new();
        for path in changed.into_iter().take(MOST_AGAIN) {
            let now = texts.text(&path);
            if !self.lock().made.is(&path, now.as_ref().map(|now| &now.text)) {
                let is_saved = now.as_ref().is_none_or(|now| now.is_saved);
                edited.push(Edited { path, before: None, after: now.map(|now| now.text), is_saved });
            }
        }
        if edited.is_empty() {
            return None;
        }
        self.made(&edited);
        let subjects = self.subjects(&edited);
        let reports = self.shared.sources.check(&subjects, until).await;
        // What was there before a command is known from the reports on it, if at all.
        let delta = self.compare(&[], &subjects, &reports, Vec::new());
        self.wait_for_late(subjects, &delta);
        self.told(&delta, begun)
    }

    fn made(&self, edited: &[Edited]) {
        let mut state = self.lock();
        for Edited { path, after, .. } in edited {
            state.made.put(path, after.as_ref());
            if after.is_none() {
                state.ledger.forget(path);
            }
        }
    }

    /// The new texts; and where files came or went, those that were told of last: they may be about these.
    fn subjects(&self, edited: &[Edited]) -> Vec<Subject> {
        let mut subjects: Vec<_> = edited.iter().filter_map(Edited::subject).collect();
        let is_whole = |edited: &Edited| edited.before.is_none() || edited.after.is_none();
        let Some(texts) = self.shared.texts.as_ref().filter(|_| edited.iter().any(is_whole)) else {
            return subjects;
        };
        let known = self.lock().ledger.latest(MOST_AGAIN);
        for path in known {
            if edited.iter().all(|edited| edited.path != path) {
                subjects.extend(texts.text(&path));
            }
        }
        subjects
    }

    /// The texts, and those of the other files that were told of: what is known of them is moved by them.
    fn with_others(&self, mut subjects: Vec<Subject>, reports: &[Report]) -> Vec<Subject> {
        for report in reports {
            let is_there = subjects.iter().any(|subject| subject.path == report.path);
            if let Some(texts) = self.shared.texts.as_ref().filter(|_| !is_there) {
                subjects.extend(texts.text(&report.path));
            }
        }
        subjects
    }

    /// What a grammar says of the texts before, where it had not been asked: a server had answered for it then.
    async fn syntax_before(&self, edited: &[Edited], reports: &[Report]) -> Vec<Report> {
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
        syntax.shadow(&before, Instant::now() + self.shared.options.wait / 2).await
    }

    /// The difference to what was last told, which is told from now on.
    fn compare(
        &self,
        edited: &[Edited],
        subjects: &[Subject],
        reports: &[Report],
        syntax: Vec<Report>,
    ) -> Delta {
        let subjects = &self.with_others(subjects.to_vec(), reports);
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut baselines = state.ledger.baselines(reports, text_of(subjects));
        baselines.extend(first(edited, subjects, syntax));
        state.first.put_missing(&state.ledger);
        state.ledger.put(reports, text_of(subjects));
        drop(guard);
        self.show(subjects);
        Delta::of(&baselines, reports, self.shared.options.least)
    }

    fn told(&self, delta: &Delta, begun: Instant) -> Option<Told> {
        if delta.answers.is_empty() {
            return None;
        }
        let Shared { root, texts, .. } = &*self.shared;
        let text =
            |path: &Path| texts.as_ref().and_then(|texts| texts.text(path)).map(|subject| subject.text);
        let output = told::told(delta, root, &text);
        Some(Told { output, metadata: told::metadata(delta, root, begun.elapsed()) })
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
