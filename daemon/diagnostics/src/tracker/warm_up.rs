//! Checks files that the model reads, in the background: the next change needs their baselines.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use super::{DiagnosticsTracker, MAX_RECHECKED_FILES, TrackerInner};
use crate::sources::{DiagnosticsSources, WarmUpScope};
use crate::time_limits::{LATE_TIMEOUT, WARM_UP_DEBOUNCE};
use copydesk_servers::source::CheckedDocument;

/// The cap on files to check at once. The latest ones stay.
const MAX_FILES_AT_ONCE: usize = 100;

impl DiagnosticsTracker {
    fn is_current(&self, subject: &CheckedDocument) -> bool {
        let now = self.shared.texts.as_ref().and_then(|texts| texts.document(&subject.path));
        now.is_some_and(|now| now.text == subject.text)
    }

    /// Starts to check a file that was read, because it may be changed next. Files that one step reads are checked
    /// together.
    pub fn warm_up(&self, subject: CheckedDocument) {
        if self.is_disabled() {
            return;
        }
        self.begin(std::slice::from_ref(&subject));
        let active = self.shared.warm_ups.start(&subject.path);
        if !self.lock().warm_up_queue.add(subject, active) {
            return;
        }
        // The task ends with the session.
        let (shared, sources) = (Arc::downgrade(&self.shared), self.shared.sources.clone());
        let (root, wait) = (self.real_root(), self.shared.options.wait);
        let task = WarmUpTask { shared, sources, root };
        tokio::spawn(async move {
            let until = Instant::now() + wait;
            sleep(WARM_UP_DEBOUNCE).await;
            let Some(shared) = task.shared.upgrade() else { return };
            let (subjects, file_guards, full_guards) =
                DiagnosticsTracker { shared }.lock().warm_up_queue.take();
            // The next change needs the file's own baseline first; its dependents take longer.
            let first = task.ask(WarmUpScope::FileOnly, &subjects, until).await;
            drop(file_guards);
            if first == WarmUpOutcome::NoSource {
                return;
            }
            let all = task.ask(WarmUpScope::WithDependents, &subjects, until).await;
            drop(full_guards);
            if all == WarmUpOutcome::Pending {
                task.retry_when_ready(subjects).await;
            }
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WarmUpOutcome {
    /// No source serves these files, or no text is current.
    NoSource,
    Known,
    /// A source is not ready.
    Pending,
}

struct WarmUpTask {
    shared: Weak<TrackerInner>,
    sources: DiagnosticsSources,
    root: PathBuf,
}

impl WarmUpTask {
    async fn ask(&self, scope: WarmUpScope, subjects: &[CheckedDocument], until: Instant) -> WarmUpOutcome {
        let Some(shared) = self.shared.upgrade() else { return WarmUpOutcome::NoSource };
        let tracker = DiagnosticsTracker { shared };
        // The author of a newer text checks that.
        let subjects: Vec<_> =
            subjects.iter().filter(|subject| tracker.is_current(subject)).cloned().collect();
        if subjects.is_empty() {
            return WarmUpOutcome::NoSource;
        }
        // A check of the file alone reports on no other files.
        let others =
            if scope == WarmUpScope::FileOnly { Vec::new() } else { tracker.other_documents(&subjects) };
        let start = tracker.begin(&subjects);
        drop(tracker);
        let reports = self.sources.warm_up(scope, &subjects, &self.root, until).await;
        if reports.is_empty() {
            return WarmUpOutcome::NoSource;
        }
        let is_known = reports.iter().all(|report| report.verdict.diagnostics().is_some());
        if let Some(shared) = self.shared.upgrade() {
            let tracker = DiagnosticsTracker { shared };
            let (subjects, reports) = tracker.with_others(subjects, reports, &others);
            tracker.record_reports(&subjects, &reports, start);
        }
        if is_known { WarmUpOutcome::Known } else { WarmUpOutcome::Pending }
    }

    /// Waits for servers that are not ready. One task waits for all files that are read meanwhile, so that they are
    /// checked together.
    async fn retry_when_ready(&self, subjects: Vec<CheckedDocument>) {
        let tracker = || Some(DiagnosticsTracker { shared: self.shared.upgrade()? });
        if !tracker().is_some_and(|tracker| tracker.lock().not_ready_queue.add(subjects)) {
            return;
        }
        while let Some(subjects) = tracker().and_then(|tracker| tracker.lock().not_ready_queue.next()) {
            self.ask(WarmUpScope::WhenReady, &subjects, Instant::now() + LATE_TIMEOUT).await;
        }
    }
}

/// Files that were just read, latest first.
#[derive(Debug, Default)]
pub(super) struct WarmUpQueue {
    files: VecDeque<(CheckedDocument, FileWarmUpGuard, FullWarmUpGuard)>,
    /// A task is about to take them all.
    is_awaited: bool,
}

impl WarmUpQueue {
    /// Returns whether the caller must start the task that takes them.
    fn add(
        &mut self,
        subject: CheckedDocument,
        (file_guard, full_guard): (FileWarmUpGuard, FullWarmUpGuard),
    ) -> bool {
        self.files.retain(|(known, ..)| known.path != subject.path);
        self.files.push_front((subject, file_guard, full_guard));
        self.files.truncate(MAX_FILES_AT_ONCE);
        !std::mem::replace(&mut self.is_awaited, true)
    }

    fn take(&mut self) -> (Vec<CheckedDocument>, Vec<FileWarmUpGuard>, Vec<FullWarmUpGuard>) {
        let (mut subjects, mut file_guards, mut full_guards) = (Vec::new(), Vec::new(), Vec::new());
        for (subject, file_guard, full_guard) in self.files.drain(..) {
            subjects.push(subject);
            file_guards.push(file_guard);
            full_guards.push(full_guard);
        }
        self.is_awaited = false;
        (subjects, file_guards, full_guards)
    }
}

/// Files that were read while servers were not ready.
#[derive(Debug, Default)]
pub(super) struct NotReadyQueue {
    subjects: VecDeque<CheckedDocument>,
    /// A task waits, and takes them all next.
    is_waiting: bool,
}

impl NotReadyQueue {
    /// Returns whether the caller must wait, because no task does yet.
    fn add(&mut self, subjects: Vec<CheckedDocument>) -> bool {
        for subject in subjects {
            self.subjects.retain(|known| known.path != subject.path);
            self.subjects.push_front(subject);
        }
        self.subjects.truncate(MAX_RECHECKED_FILES);
        !std::mem::replace(&mut self.is_waiting, true)
    }

    /// The files to check next. `None` ends the wait.
    fn next(&mut self) -> Option<Vec<CheckedDocument>> {
        self.is_waiting = !self.subjects.is_empty();
        self.is_waiting.then(|| self.subjects.drain(..).collect())
    }
}

/// The warm-ups in progress. Clones share their state.
#[derive(Debug, Clone)]
pub(super) struct WarmUpTracker(watch::Sender<ActiveWarmUps>);

#[derive(Debug, Default)]
struct ActiveWarmUps {
    /// Files whose own check is not done: any change may be about them.
    file_only: usize,
    /// Files whose check with their dependents is not done.
    full: Vec<PathBuf>,
}

impl Default for WarmUpTracker {
    fn default() -> Self {
        Self(watch::Sender::new(ActiveWarmUps::default()))
    }
}

impl WarmUpTracker {
    /// Waits for the warm-ups in progress: the own check of every file, and the full check of `paths`.
    pub(super) async fn wait_until_done(&self, paths: &[&Path], until: Instant) {
        let mut active = self.0.subscribe();
        let is_done = |active: &ActiveWarmUps| {
            active.file_only == 0 && !active.full.iter().any(|path| paths.contains(&path.as_path()))
        };
        let _ = timeout_at(until, active.wait_for(is_done)).await;
    }

    pub(super) fn start(&self, path: &Path) -> (FileWarmUpGuard, FullWarmUpGuard) {
        self.0.send_modify(|active| {
            active.file_only += 1;
            active.full.push(path.to_owned());
        });
        (FileWarmUpGuard(self.clone()), FullWarmUpGuard(self.clone(), path.to_owned()))
    }
}

/// The own check of a file, in progress until this is dropped.
#[derive(Debug)]
pub(super) struct FileWarmUpGuard(WarmUpTracker);

impl Drop for FileWarmUpGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|active| active.file_only = active.file_only.saturating_sub(1));
    }
}

/// The check of a file with its dependents, in progress until this is dropped.
#[derive(Debug)]
pub(super) struct FullWarmUpGuard(WarmUpTracker, PathBuf);

impl Drop for FullWarmUpGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|active| {
            if let Some(at) = active.full.iter().position(|path| *path == self.1) {
                active.full.swap_remove(at);
            }
        });
    }
}
