//! What a session knows of what is wrong in its workspace, and what of it is new.
//!
//! Before a change what is known of its texts is asked for ([`DiagnosticsTracker::record_baseline`]), after it what is said now
//! ([`DiagnosticsTracker::check_edits`]); the difference is told. What cannot be known in time is told as unknown, and waited for beside the work:
//! what comes of it is news ([`DiagnosticsTracker::take_late_notes`]), unless the text is another one by then.
//!
//! Invariant: nothing here keeps a call for longer than the time that was configured.
//! Invariant: each problem is told as new once, whichever call sees it first.

mod command;
mod incoming_reports;
mod late_reports;
mod own_edits;
#[cfg(test)]
mod tests;
mod turn_baseline;
mod unchecked_changes;
mod viewer;
mod warm_up;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::baseline::Baseline;
use crate::delta::DiagnosticsDelta;
use crate::history::DiagnosticsHistory;
use crate::report_text;
use crate::sources::DiagnosticsSources;
use crate::time_limits::{DEFAULT_WAIT, SYNTAX_RESERVE};
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::report::DiagnosticsReport;
use copydesk_servers::source::{CheckedDocument, DocumentProvider};
use late_reports::LateReports;
use own_edits::OwnEdits;
use turn_baseline::TurnBaseline;
use unchecked_changes::{UncheckedChange, UncheckedChanges};
use warm_up::{NotReadyQueue, WarmUpQueue, WarmUpTracker};

pub use command::CommandSnapshot;
pub use viewer::DiagnosticsViewer;

/// Files that are looked at again when one is gone, or a command has changed some.
const MOST_AGAIN: usize = 24;

/// Files of which it is kept how long was waited for them.
const MOST_WAITED: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackerOptions {
    pub wait: Duration,
    /// What is less severe is not told.
    pub min_severity: Severity,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedDocument {
    /// Its real path.
    pub path: PathBuf,
    /// None where it was not there.
    pub before: Option<Arc<String>>,
    /// None where it is gone.
    pub after: Option<Arc<String>>,
    /// The text after it is on the disk.
    pub is_saved: bool,
}

impl EditedDocument {
    fn subject(&self) -> Option<CheckedDocument> {
        let text = Arc::clone(self.after.as_ref()?);
        Some(CheckedDocument { path: self.path.clone(), text, is_saved: self.is_saved })
    }
}

/// What is said of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagnosticsSummary {
    /// For the model.
    pub output: String,
    /// For the person.
    pub metadata: Value,
}

/// The checks of one session. Clones are the same.
#[derive(Clone)]
pub struct DiagnosticsTracker {
    shared: Arc<TrackerInner>,
}

impl std::fmt::Debug for DiagnosticsTracker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiagnosticsTracker").field("options", &self.shared.options).finish_non_exhaustive()
    }
}

struct TrackerInner {
    sources: DiagnosticsSources,
    texts: Option<Arc<dyn DocumentProvider>>,
    root: PathBuf,
    options: TrackerOptions,
    viewer: OnceLock<Arc<dyn DiagnosticsViewer>>,
    state: Mutex<TrackerState>,
    reading: WarmUpTracker,
}

/// A question, and when it was asked.
#[derive(Debug, Clone, Copy)]
struct CheckStart {
    /// How often something had been changed by then.
    changes: u64,
}

#[derive(Default)]
struct TrackerState {
    ledger: DiagnosticsHistory,
    turn: TurnBaseline,
    /// As each file was when it was first heard of.
    first: DiagnosticsHistory,
    /// The files that somebody was asked about last, the latest first.
    met: VecDeque<PathBuf>,
    /// The texts that this session made last.
    made: OwnEdits,
    /// How long was waited before a change, which the time after it is less by.
    waited: HashMap<PathBuf, Duration>,
    late: LateReports,
    pending: UncheckedChanges,
    unasked: WarmUpQueue,
    unready: NotReadyQueue,
    /// When this session was last told of something: what was typed since is not its doing.
    moment: u64,
}

impl TrackerState {
    /// The files that were told of last, and those that were asked about.
    fn latest(&self) -> Vec<PathBuf> {
        let mut latest = self.ledger.recent_paths(MOST_AGAIN);
        let unheard: Vec<_> = self.met.iter().filter(|path| !latest.contains(path)).cloned().collect();
        latest.extend(unheard);
        latest.truncate(MOST_AGAIN);
        latest
    }

    /// Where anything was typed since the last time, what is said of any file may be another thing.
    fn look(&mut self, moment: u64) {
        if self.moment != moment {
            self.moment = moment;
            self.ledger.note_user_edit();
        }
    }

    /// What the next reports are compared with.
    fn keep(&mut self, subjects: &[CheckedDocument], reports: &[DiagnosticsReport]) {
        self.first.record_first(reports, &self.ledger);
        self.ledger.record(reports, text_of(subjects));
    }
}

impl Default for DiagnosticsTracker {
    /// Nobody is asked, and nothing is told.
    fn default() -> Self {
        let options = TrackerOptions { wait: DEFAULT_WAIT, min_severity: Severity::Error };
        Self::make(DiagnosticsSources::default(), None, Path::new("/"), options)
    }
}

impl DiagnosticsTracker {
    pub fn new(
        sources: DiagnosticsSources,
        texts: Arc<dyn DocumentProvider>,
        root: &Path,
        options: TrackerOptions,
    ) -> Self {
        Self::make(sources, Some(texts), root, options)
    }

    fn make(
        sources: DiagnosticsSources,
        texts: Option<Arc<dyn DocumentProvider>>,
        root: &Path,
        options: TrackerOptions,
    ) -> Self {
        let (viewer, state, reading) = (OnceLock::new(), Mutex::default(), WarmUpTracker::default());
        let root = root.to_owned();
        Self { shared: Arc::new(TrackerInner { sources, texts, root, options, viewer, state, reading }) }
    }

    fn real_root(&self) -> PathBuf {
        self.shared.root.canonicalize().unwrap_or_else(|_| self.shared.root.clone())
    }

    pub fn is_disabled(&self) -> bool {
        self.shared.sources.is_empty()
    }

    /// Somebody is going to be asked about these.
    fn begin(&self, subjects: &[CheckedDocument]) -> CheckStart {
        let moment = self.moment();
        let mut state = self.lock();
        state.look(moment);
        for subject in subjects {
            state.met.retain(|path| *path != subject.path);
            state.met.push_front(subject.path.clone());
        }
        state.met.truncate(MOST_AGAIN);
        CheckStart { changes: state.ledger.change_count() }
    }

    /// What is said of texts that are about to be changed, as far as it is not known.
    pub async fn record_baseline(&self, subjects: &[CheckedDocument]) {
        if self.is_disabled() {
            return;
        }
        // The rest is for what comes after.
        let begun = Instant::now();
        let until = begun + self.shared.options.wait / 3;
        let paths: Vec<_> = subjects.iter().map(|subject| &*subject.path).collect();
        self.shared.reading.wait_until_done(&paths, until).await;
        let moment = self.moment();
        let unknown: Vec<_> = {
            let mut state = self.lock();
            state.look(moment);
            subjects.iter().for_each(|subject| _ = state.waited.remove(&subject.path));
            let is_unknown =
                |subject: &&CheckedDocument| !state.ledger.is_current(&subject.path, &subject.text);
            subjects.iter().filter(is_unknown).cloned().collect()
        };
        if !unknown.is_empty() {
            let asked = self.begin(&unknown);
            let (unknown, reports) = self.check(unknown, until).await;
            self.record_reports(&unknown, &reports, asked);
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
        self.shared.texts.as_ref().map_or(0, |texts| texts.edit_epoch())
    }

    /// What is new after a change. Nothing where nobody can say anything of it.
    pub async fn check_edits(&self, edited: &[EditedDocument]) -> Option<DiagnosticsSummary> {
        if self.is_disabled() {
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
            self.check(asked.clone(), until.checked_sub(SYNTAX_RESERVE).unwrap_or(until)).await;
        let syntax = self.syntax_before(edited, &reports, until).await;
        let delta = self.compare(edited, &subjects, &reports, syntax, &change);
        self.wait_for_late(asked, &delta, change, false);
        self.told(&delta, &|path| text_of(&subjects)(path).cloned(), waited + begun.elapsed())
    }

    /// How long was waited before this change.
    fn waited(&self, edited: &[EditedDocument]) -> Duration {
        let mut state = self.lock();
        let paths = edited.iter().map(|edited| &*edited.path).chain([Path::new("")]);
        paths.filter_map(|path| state.waited.remove(path)).max().unwrap_or_default()
    }

    /// What would be new if these were the texts.
    pub async fn check_proposed_edits(&self, edited: &[EditedDocument]) -> Option<DiagnosticsSummary> {
        if self.is_disabled() {
            return None;
        }
        let begun = Instant::now();
        let subjects: Vec<_> = edited.iter().filter_map(EditedDocument::subject).collect();
        let until = begun + self.shared.options.wait / 2;
        let others = self.others(&subjects);
        let reports = self
            .shared
            .sources
            .check_proposed(&subjects, until.checked_sub(SYNTAX_RESERVE).unwrap_or(until))
            .await;
        let (subjects, reports) = self.with_others(subjects, reports, &others);
        let syntax = self.syntax_before(edited, &reports, until).await;
        let mut baselines = self.lock().ledger.baselines(&reports, text_of(&subjects));
        baselines.extend(first(edited, &subjects, syntax));
        let mut delta = DiagnosticsDelta::compute(&baselines, &reports, self.shared.options.min_severity);
        // Who cannot tell before says nothing, instead of that to every ask.
        delta.sources.retain(|answer| answer.why.is_none());
        self.told(&delta, &|path| text_of(&subjects)(path).cloned(), begun.elapsed())
    }

    /// `is_exact` where a file without a text before was not there. What is returned is kept until it is answered for.
    fn made(&self, edited: &[EditedDocument], is_exact: bool) -> UncheckedChange {
        let mut guard = self.lock();
        let state = &mut *guard;
        for file in edited {
            let EditedDocument { path, before, after, .. } = file;
            state.made.record(path, after.as_ref());
            state.turn.record_edit(file, is_exact && before.is_none());
            state.late.withdraw(path, &mut state.ledger);
            if after.is_none() {
                state.ledger.forget(path);
                state.first.forget(path);
                state.met.retain(|known| known != path);
            }
        }
        state.ledger.note_change();
        state.pending.begin()
    }

    /// Everything that is known by then, with the texts that it is said of.
    async fn check(
        &self,
        subjects: Vec<CheckedDocument>,
        until: Instant,
    ) -> (Vec<CheckedDocument>, Vec<DiagnosticsReport>) {
        let others = self.others(&subjects);
        let reports = self.shared.sources.check(&subjects, until).await;
        self.with_others(subjects, reports, &others)
    }

    /// The new texts; and where files came or went, those that were told of last: they may be about these.
    fn subjects(&self, edited: &[EditedDocument]) -> Vec<CheckedDocument> {
        let mut subjects: Vec<_> = edited.iter().filter_map(EditedDocument::subject).collect();
        let is_whole = |edited: &EditedDocument| edited.before.is_none() || edited.after.is_none();
        let Some(texts) = self.shared.texts.as_ref().filter(|_| edited.iter().any(is_whole)) else {
            return subjects;
        };
        let known = self.lock().latest();
        for path in known {
            if edited.iter().all(|edited| edited.path != path) {
                subjects.extend(texts.document(&path));
            }
        }
        subjects
    }

    /// The texts of other files that may be told of, as they are before anybody is asked.
    fn others(&self, subjects: &[CheckedDocument]) -> Vec<CheckedDocument> {
        let Some(texts) = &self.shared.texts else { return Vec::new() };
        let mut known = self.lock().latest();
        known.retain(|path| subjects.iter().all(|subject| subject.path != *path));
        known.iter().filter_map(|path| texts.document(path)).collect()
    }

    /// The texts, and those of the other files that were told of: what is known of them is moved by them. What was said of a file that
    /// was changed meanwhile is left out: nobody knows of which text.
    fn with_others(
        &self,
        mut subjects: Vec<CheckedDocument>,
        mut reports: Vec<DiagnosticsReport>,
        others: &[CheckedDocument],
    ) -> (Vec<CheckedDocument>, Vec<DiagnosticsReport>) {
        let Some(texts) = &self.shared.texts else { return (subjects, reports) };
        reports.retain(|report| {
            if subjects.iter().any(|subject| subject.path == report.path) {
                return true;
            }
            let now = texts.document(&report.path);
            let before = others.iter().find(|other| other.path == report.path);
            let is_same = before.is_none_or(|before| now.as_ref().is_some_and(|now| now.text == before.text));
            subjects.extend(now.filter(|_| is_same));
            is_same
        });
        (subjects, reports)
    }

    /// What a grammar says of the texts before, where it had not been asked: a server had answered for it then.
    async fn syntax_before(
        &self,
        edited: &[EditedDocument],
        reports: &[DiagnosticsReport],
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        let Some(syntax) = &self.shared.sources.syntax else { return Vec::new() };
        let is_missing = |path: &Path| {
            let of_path: Vec<_> = reports.iter().filter(|report| report.path == path).cloned().collect();
            let known = self.lock().ledger.baselines(&of_path, |_| None);
            of_path.len() > known.len()
        };
        let before = |edited: &EditedDocument| {
            let text = Arc::clone(edited.before.as_ref()?);
            is_missing(&edited.path).then(|| CheckedDocument {
                path: edited.path.clone(),
                text,
                is_saved: false,
            })
        };
        let before: Vec<_> = edited.iter().filter_map(before).collect();
        syntax.check_proposed(&before, until).await
    }

    /// The difference to what was last told, which is told from now on.
    fn compare(
        &self,
        edited: &[EditedDocument],
        subjects: &[CheckedDocument],
        reports: &[DiagnosticsReport],
        syntax: Vec<DiagnosticsReport>,
        change: &UncheckedChange,
    ) -> DiagnosticsDelta {
        let mut guard = self.lock();
        guard.learn_previous(subjects, reports, Some(change));
        let mut baselines = guard.ledger.baselines(reports, text_of(subjects));
        guard.keep(subjects, reports);
        drop(guard);
        self.notify_viewer(subjects);
        baselines.extend(first(edited, subjects, syntax));
        DiagnosticsDelta::compute(&baselines, reports, self.shared.options.min_severity)
    }

    /// `text` are the texts that were checked.
    fn told(
        &self,
        delta: &DiagnosticsDelta,
        text: report_text::TextLookup<'_>,
        waited: Duration,
    ) -> Option<DiagnosticsSummary> {
        if delta.sources.is_empty() {
            return None;
        }
        let root = &self.shared.root;
        let output = report_text::render_delta(delta, root, text);
        Some(DiagnosticsSummary { output, metadata: report_text::build_metadata(delta, root, waited) })
    }

    /// What is guarded is replaced entry by entry: a panic leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, TrackerState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The baselines of what the ledger does not know: files that were not there, and what a grammar said of those that were.
fn first(
    edited: &[EditedDocument],
    subjects: &[CheckedDocument],
    syntax: Vec<DiagnosticsReport>,
) -> Vec<Baseline> {
    let created = edited.iter().filter(|edited| edited.before.is_none());
    let mut baselines: Vec<_> = created.map(|edited| Baseline::empty(edited.path.clone())).collect();
    let mut ledger = DiagnosticsHistory::default();
    let before = |path: &Path| {
        let edited = edited.iter().find(|edited| edited.path == path)?;
        edited.before.as_ref()
    };
    ledger.record(&syntax, before);
    baselines.extend(ledger.baselines(&syntax, text_of(subjects)));
    baselines
}

fn text_of<'a>(subjects: &'a [CheckedDocument]) -> impl Fn(&Path) -> Option<&'a Arc<String>> {
    move |path| subjects.iter().find(|subject| subject.path == path).map(|subject| &subject.text)
}
