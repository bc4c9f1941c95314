//! Tracks the diagnostics of a session's workspace, and reports which of them are new.
//!
//! Before a change, the caller has the current texts checked ([`DiagnosticsTracker::record_baseline`]); after it, the
//! new ones ([`DiagnosticsTracker::check_edits`]). The caller gets the difference. What sources do not report in time
//! is unknown, and a background task waits for it. Its result becomes a late note
//! ([`DiagnosticsTracker::take_late_notes`]). If anything changes before the note is taken, the task checks again.
//!
//! Invariant: nothing here delays a call beyond the configured time.
//! Invariant: each diagnostic is reported as new once, whichever call sees it first.

mod affected_documents;
mod command;
mod file_check;
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

use copydesk_metadata::DiagnosticsMetadata;
use tokio::time::Instant;

use crate::baseline::Baseline;
use crate::delta::DiagnosticsDelta;
use crate::history::DiagnosticsHistory;
use crate::report_text;
use crate::sources::DiagnosticsSources;
use crate::time_limits::{DEFAULT_WAIT, SYNTAX_RESERVE, WIDE_CHANGE_FACTOR};
use affected_documents::add_unchecked;
use copydesk_servers::diagnostic::Severity;
use copydesk_servers::known_servers::configured_languages;
use copydesk_servers::report::DiagnosticsReport;
use copydesk_servers::source::{CheckedDocument, DocumentProvider};
use late_reports::LateReports;
use own_edits::OwnEdits;
use turn_baseline::TurnBaseline;
use unchecked_changes::{UncheckedChange, UncheckedChanges};
use warm_up::{NotReadyQueue, WarmUpQueue, WarmUpTracker};

pub use command::CommandSnapshot;
pub use viewer::DiagnosticsViewer;

/// The cap on recent files to check again after someone deletes a file or a command changes some.
const MAX_RECHECKED_FILES: usize = 24;

/// The cap on files with a recorded wait.
const MAX_WAITED_FILES: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackerOptions {
    pub wait: Duration,
    /// Less severe diagnostics are not reported.
    pub min_severity: Severity,
}

impl TrackerOptions {
    fn wide_wait(&self) -> Duration {
        self.wait.saturating_mul(WIDE_CHANGE_FACTOR)
    }
}

/// One file before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedDocument {
    /// Canonical.
    pub path: PathBuf,
    /// `None` if the file did not exist.
    pub before: Option<Arc<String>>,
    /// `None` if the file is deleted.
    pub after: Option<Arc<String>>,
    /// `after` is on the disk.
    pub is_saved: bool,
}

impl EditedDocument {
    /// Whether it changes what many files mean: it is gone, or a server is configured by it.
    fn is_wide_change(&self) -> bool {
        self.after.is_none() || !configured_languages(&self.path).is_empty()
    }

    fn checked_document(&self) -> Option<CheckedDocument> {
        let text = Arc::clone(self.after.as_ref()?);
        Some(CheckedDocument { path: self.path.clone(), text, is_saved: self.is_saved })
    }
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagnosticsSummary {
    /// For the model.
    pub output: String,
    /// For the user's view.
    pub metadata: DiagnosticsMetadata,
}

/// The diagnostics of one session. Clones share their state.
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
    warm_ups: WarmUpTracker,
}

/// When a check began.
#[derive(Debug, Clone, Copy)]
struct CheckStart {
    /// The history's number of changes at that time.
    changes: u64,
}

#[derive(Default)]
struct TrackerState {
    history: DiagnosticsHistory,
    turn: TurnBaseline,
    /// The state of each file before its first reported change: the baseline of the whole session.
    session_baseline: DiagnosticsHistory,
    /// The files that were checked last, latest first.
    recently_checked: VecDeque<PathBuf>,
    own_edits: OwnEdits,
    /// How long `record_baseline` waited for each file. `check_edits` waits that much less.
    waited: HashMap<PathBuf, Duration>,
    late: LateReports,
    pending: UncheckedChanges,
    warm_up_queue: WarmUpQueue,
    not_ready_queue: NotReadyQueue,
    /// The editors' edit epoch at the last check: later edits are the user's, not the session's.
    edit_epoch: u64,
}

impl TrackerState {
    /// The files that were reported on or checked last.
    fn recent_paths(&self) -> Vec<PathBuf> {
        let mut recent = self.history.recent_paths(MAX_RECHECKED_FILES);
        let unreported: Vec<_> =
            self.recently_checked.iter().filter(|path| !recent.contains(path)).cloned().collect();
        recent.extend(unreported);
        recent.truncate(MAX_RECHECKED_FILES);
        recent
    }

    /// If the user has edited anything since the last check, the diagnostics of any file may differ.
    fn note_epoch(&mut self, epoch: u64) {
        if self.edit_epoch != epoch {
            self.edit_epoch = epoch;
            self.history.note_user_edit();
            self.late.withdraw(&mut self.history);
        }
    }

    /// The session changed something: late reports may not hold any more.
    fn note_change(&mut self) {
        self.history.note_change();
        self.late.withdraw(&mut self.history);
    }

    /// Makes these reports the baseline of the next ones.
    fn record(&mut self, subjects: &[CheckedDocument], reports: &[DiagnosticsReport]) {
        self.session_baseline.record_first(reports, &self.history);
        self.history.record(reports, text_of(subjects));
    }
}

impl Default for DiagnosticsTracker {
    /// A tracker without sources, which reports nothing.
    fn default() -> Self {
        let options = TrackerOptions { wait: DEFAULT_WAIT, min_severity: Severity::Error };
        Self::build(DiagnosticsSources::default(), None, Path::new("/"), options)
    }
}

impl DiagnosticsTracker {
    pub fn new(
        sources: DiagnosticsSources,
        texts: Arc<dyn DocumentProvider>,
        root: &Path,
        options: TrackerOptions,
    ) -> Self {
        Self::build(sources, Some(texts), root, options)
    }

    fn build(
        sources: DiagnosticsSources,
        texts: Option<Arc<dyn DocumentProvider>>,
        root: &Path,
        options: TrackerOptions,
    ) -> Self {
        let (viewer, state, warm_ups) = (OnceLock::new(), Mutex::default(), WarmUpTracker::default());
        let root = root.to_owned();
        Self { shared: Arc::new(TrackerInner { sources, texts, root, options, viewer, state, warm_ups }) }
    }

    fn real_root(&self) -> PathBuf {
        self.shared.root.canonicalize().unwrap_or_else(|_| self.shared.root.clone())
    }

    pub fn is_disabled(&self) -> bool {
        self.shared.sources.is_empty()
    }

    /// Registers that these texts are about to be checked.
    fn begin(&self, subjects: &[CheckedDocument]) -> CheckStart {
        let epoch = self.edit_epoch();
        let mut state = self.lock();
        state.note_epoch(epoch);
        for subject in subjects {
            state.recently_checked.retain(|path| *path != subject.path);
            state.recently_checked.push_front(subject.path.clone());
        }
        state.recently_checked.truncate(MAX_RECHECKED_FILES);
        CheckStart { changes: state.history.change_count() }
    }

    /// Checks texts that are about to be changed, unless the history is current.
    pub async fn record_baseline(&self, subjects: &[CheckedDocument]) {
        if self.is_disabled() {
            return;
        }
        // The rest of the time is for the check after the change.
        let started = Instant::now();
        let until = started + self.shared.options.wait / 3;
        let paths: Vec<_> = subjects.iter().map(|subject| &*subject.path).collect();
        self.shared.warm_ups.wait_until_done(&paths, until).await;
        let epoch = self.edit_epoch();
        let unknown: Vec<_> = {
            let mut state = self.lock();
            state.note_epoch(epoch);
            subjects.iter().for_each(|subject| _ = state.waited.remove(&subject.path));
            let is_unknown =
                |subject: &&CheckedDocument| !state.history.is_current(&subject.path, &subject.text);
            subjects.iter().filter(is_unknown).cloned().collect()
        };
        if !unknown.is_empty() {
            let start = self.begin(&unknown);
            let (unknown, reports) = self.check(unknown, until).await;
            self.record_reports(&unknown, &reports, start);
        }
        let mut state = self.lock();
        if state.waited.len() >= MAX_WAITED_FILES {
            // These are from changes that were never made.
            state.waited.clear();
        }
        // The caller does not name files that it will create, so the empty path stands for them.
        let paths = subjects.iter().map(|subject| subject.path.clone()).chain([PathBuf::new()]);
        state.waited.extend(paths.map(|path| (path, started.elapsed())));
    }

    fn edit_epoch(&self) -> u64 {
        self.shared.texts.as_ref().map_or(0, |texts| texts.edit_epoch())
    }

    /// What is new after a change. `None` if no source reports on it.
    pub async fn check_edits(&self, edited: &[EditedDocument]) -> Option<DiagnosticsSummary> {
        if self.is_disabled() {
            return None;
        }
        let started = Instant::now();
        let waited = self.waited(edited);
        let is_wide = edited.iter().any(EditedDocument::is_wide_change);
        let options = &self.shared.options;
        let wait = if is_wide { options.wide_wait() } else { options.wait };
        let until = started + wait.saturating_sub(waited);
        let change = self.record_change(edited, true);
        let epoch = self.edit_epoch();
        self.lock().edit_epoch = epoch;
        let (documents, unchecked) = self.documents_to_check(edited, until).await;
        let (subjects, mut reports) =
            self.check(documents.clone(), until.checked_sub(SYNTAX_RESERVE).unwrap_or(until)).await;
        add_unchecked(&mut reports, unchecked);
        let syntax = self.syntax_before(edited, &reports, until).await;
        let delta = self.compare(edited, &subjects, &reports, syntax, &change);
        self.wait_for_late(documents, &delta, change, false);
        self.summarize(&delta, &|path| text_of(&subjects)(path).cloned(), waited + started.elapsed())
    }

    /// How long `record_baseline` waited for this change.
    fn waited(&self, edited: &[EditedDocument]) -> Duration {
        let mut state = self.lock();
        let paths = edited.iter().map(|edited| &*edited.path).chain([Path::new("")]);
        paths.filter_map(|path| state.waited.remove(path)).max().unwrap_or_default()
    }

    /// What would be new with these texts.
    pub async fn check_proposed_edits(&self, edited: &[EditedDocument]) -> Option<DiagnosticsSummary> {
        if self.is_disabled() {
            return None;
        }
        let started = Instant::now();
        let subjects: Vec<_> = edited.iter().filter_map(EditedDocument::checked_document).collect();
        let until = started + self.shared.options.wait / 2;
        let others = self.other_documents(&subjects);
        let reports = self
            .shared
            .sources
            .check_proposed(&subjects, until.checked_sub(SYNTAX_RESERVE).unwrap_or(until))
            .await;
        let (subjects, reports) = self.with_others(subjects, reports, &others);
        let syntax = self.syntax_before(edited, &reports, until).await;
        let mut baselines = self.lock().history.baselines(&reports, text_of(&subjects));
        baselines.extend(missing_baselines(edited, &subjects, syntax));
        let mut delta = DiagnosticsDelta::compute(&baselines, &reports, self.shared.options.min_severity);
        // A source that cannot check proposed texts is left out, so that it does not say so at every ask.
        delta.sources.retain(|answer| answer.why.is_none());
        self.summarize(&delta, &|path| text_of(&subjects)(path).cloned(), started.elapsed())
    }

    /// With `is_exact`, a file without a text before did not exist. The returned guard keeps the change unchecked until
    /// it is dropped.
    fn record_change(&self, edited: &[EditedDocument], is_exact: bool) -> UncheckedChange {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.note_change();
        for file in edited {
            let EditedDocument { path, before, after, .. } = file;
            state.own_edits.record(path, after.as_ref());
            state.turn.record_edit(file, is_exact && before.is_none());
            if after.is_none() {
                state.history.forget(path);
                state.session_baseline.forget(path);
                state.recently_checked.retain(|known| known != path);
            }
        }
        state.pending.begin()
    }

    /// All reports that are known at the deadline, with the texts that they are about.
    async fn check(
        &self,
        subjects: Vec<CheckedDocument>,
        until: Instant,
    ) -> (Vec<CheckedDocument>, Vec<DiagnosticsReport>) {
        let others = self.other_documents(&subjects);
        let reports = self.shared.sources.check(&subjects, until).await;
        self.with_others(subjects, reports, &others)
    }

    /// The texts of other files that sources may report on, as they are before the check.
    fn other_documents(&self, subjects: &[CheckedDocument]) -> Vec<CheckedDocument> {
        let Some(texts) = &self.shared.texts else { return Vec::new() };
        let mut known = self.lock().recent_paths();
        known.retain(|path| subjects.iter().all(|subject| subject.path != *path));
        known.iter().filter_map(|path| texts.document(path)).collect()
    }

    /// Adds the texts of the other reported files, so that their baselines can be moved. Drops reports on files that
    /// changed during the check: it is unclear which text they are about.
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

    /// The syntax errors of the texts before, where the syntax source had not checked them because a server had.
    async fn syntax_before(
        &self,
        edited: &[EditedDocument],
        reports: &[DiagnosticsReport],
        until: Instant,
    ) -> Vec<DiagnosticsReport> {
        let Some(syntax) = &self.shared.sources.syntax else { return Vec::new() };
        let is_missing = |path: &Path| {
            let of_path: Vec<_> = reports.iter().filter(|report| report.path == path).cloned().collect();
            let known = self.lock().history.baselines(&of_path, |_| None);
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

    /// The difference to the last reports. Records the new ones.
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
        let mut baselines = guard.history.baselines(reports, text_of(subjects));
        guard.record(subjects, reports);
        drop(guard);
        self.notify_viewer(subjects);
        baselines.extend(missing_baselines(edited, subjects, syntax));
        DiagnosticsDelta::compute(&baselines, reports, self.shared.options.min_severity)
    }

    /// `text` looks up the checked texts.
    fn summarize(
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

    /// The state changes entry by entry, so a panic leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, TrackerState> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The baselines that the history lacks: of files that did not exist, and of the syntax source.
fn missing_baselines(
    edited: &[EditedDocument],
    subjects: &[CheckedDocument],
    syntax: Vec<DiagnosticsReport>,
) -> Vec<Baseline> {
    let created = edited.iter().filter(|edited| edited.before.is_none());
    let mut baselines: Vec<_> = created.map(|edited| Baseline::empty(edited.path.clone())).collect();
    let mut history = DiagnosticsHistory::default();
    let before = |path: &Path| {
        let edited = edited.iter().find(|edited| edited.path == path)?;
        edited.before.as_ref()
    };
    history.record(&syntax, before);
    baselines.extend(history.baselines(&syntax, text_of(subjects)));
    baselines
}

fn text_of<'a>(subjects: &'a [CheckedDocument]) -> impl Fn(&Path) -> Option<&'a Arc<String>> {
    move |path| subjects.iter().find(|subject| subject.path == path).map(|subject| &subject.text)
}
