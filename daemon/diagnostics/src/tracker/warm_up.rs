//! What is said of files that were read, on its way: whoever changes something next is to compare with it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use super::{DiagnosticsTracker, MOST_AGAIN, TrackerInner};
use crate::sources::{DiagnosticsSources, WarmUpScope};
use crate::time_limits::{LATE_TIMEOUT, WARM_UP_DEBOUNCE};
use copydesk_servers::source::CheckedDocument;

/// Files that are asked about at once; of more only the latest.
const MOST_AT_ONCE: usize = 100;

impl DiagnosticsTracker {
    fn is_current(&self, subject: &CheckedDocument) -> bool {
        let now = self.shared.texts.as_ref().and_then(|texts| texts.document(&subject.path));
        now.is_some_and(|now| now.text == subject.text)
    }

    /// A file was read, and may be changed next: whoever can say something of it begins to. What is read in one breath is asked about at
    /// once.
    pub fn warm_up(&self, subject: CheckedDocument) {
        if self.is_disabled() {
            return;
        }
        self.begin(std::slice::from_ref(&subject));
        let underway = self.shared.reading.start(&subject.path);
        if !self.lock().unasked.add(subject, underway) {
            return;
        }
        // Whoever asks goes with the session.
        let (shared, sources) = (Arc::downgrade(&self.shared), self.shared.sources.clone());
        let (root, wait) = (self.real_root(), self.shared.options.wait);
        let reader = WarmUpTask { shared, sources, root };
        tokio::spawn(async move {
            let until = Instant::now() + wait;
            sleep(WARM_UP_DEBOUNCE).await;
            let Some(shared) = reader.shared.upgrade() else { return };
            let (subjects, alone, whole) = DiagnosticsTracker { shared }.lock().unasked.take();
            // What it was like is wanted at the next change, and what it may break takes longer.
            let first = reader.ask(WarmUpScope::FileOnly, &subjects, until).await;
            drop(alone);
            if first == WarmUpOutcome::NoSource {
                return;
            }
            let all = reader.ask(WarmUpScope::WithDependents, &subjects, until).await;
            drop(whole);
            if all == WarmUpOutcome::Pending {
                reader.later(subjects).await;
            }
        });
    }
}

/// What came of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WarmUpOutcome {
    /// There is nobody to say anything of these, or nothing to ask about.
    NoSource,
    Known,
    /// Somebody does not know yet.
    Pending,
}

/// Whoever asks about files that were read.
struct WarmUpTask {
    shared: Weak<TrackerInner>,
    sources: DiagnosticsSources,
    root: PathBuf,
}

impl WarmUpTask {
    async fn ask(&self, warming: WarmUpScope, subjects: &[CheckedDocument], until: Instant) -> WarmUpOutcome {
        let Some(shared) = self.shared.upgrade() else { return WarmUpOutcome::NoSource };
        let checks = DiagnosticsTracker { shared };
        // Whoever made another text of one meanwhile asks about that.
        let subjects: Vec<_> =
            subjects.iter().filter(|subject| checks.is_current(subject)).cloned().collect();
        if subjects.is_empty() {
            return WarmUpOutcome::NoSource;
        }
        // Of single files nothing is said of others.
        let others = if warming == WarmUpScope::FileOnly { Vec::new() } else { checks.others(&subjects) };
        let asked = checks.begin(&subjects);
        drop(checks);
        let reports = self.sources.warm_up(warming, &subjects, &self.root, until).await;
        if reports.is_empty() {
            return WarmUpOutcome::NoSource;
        }
        let is_known = reports.iter().all(|report| report.verdict.diagnostics().is_some());
        if let Some(shared) = self.shared.upgrade() {
            let checks = DiagnosticsTracker { shared };
            let (subjects, reports) = checks.with_others(subjects, reports, &others);
            checks.record_reports(&subjects, &reports, asked);
        }
        if is_known { WarmUpOutcome::Known } else { WarmUpOutcome::Pending }
    }

    /// Waits for servers that are not ready; with all that was read meanwhile, so that they are not asked by everyone at once then.
    async fn later(&self, subjects: Vec<CheckedDocument>) {
        let checks = || Some(DiagnosticsTracker { shared: self.shared.upgrade()? });
        if !checks().is_some_and(|checks| checks.lock().unready.add(subjects)) {
            return;
        }
        while let Some(subjects) = checks().and_then(|checks| checks.lock().unready.next()) {
            self.ask(WarmUpScope::WhenReady, &subjects, Instant::now() + LATE_TIMEOUT).await;
        }
    }
}

/// Files that were read just now, the latest first.
#[derive(Debug, Default)]
pub(super) struct WarmUpQueue {
    files: VecDeque<(CheckedDocument, FileWarmUpGuard, FullWarmUpGuard)>,
    /// Somebody takes them all in a moment.
    is_awaited: bool,
}

impl WarmUpQueue {
    /// Tells whether whoever adds is to take them.
    fn add(&mut self, subject: CheckedDocument, (alone, whole): (FileWarmUpGuard, FullWarmUpGuard)) -> bool {
        self.files.retain(|(known, ..)| known.path != subject.path);
        self.files.push_front((subject, alone, whole));
        self.files.truncate(MOST_AT_ONCE);
        !std::mem::replace(&mut self.is_awaited, true)
    }

    fn take(&mut self) -> (Vec<CheckedDocument>, Vec<FileWarmUpGuard>, Vec<FullWarmUpGuard>) {
        let (mut subjects, mut alone, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for (subject, its, all) in self.files.drain(..) {
            subjects.push(subject);
            alone.push(its);
            whole.push(all);
        }
        self.is_awaited = false;
        (subjects, alone, whole)
    }
}

/// Files that were read while servers were not ready.
#[derive(Debug, Default)]
pub(super) struct NotReadyQueue {
    subjects: VecDeque<CheckedDocument>,
    /// Somebody waits, and takes them all next.
    is_waiting: bool,
}

impl NotReadyQueue {
    /// Tells whether nobody waits yet, and whoever adds is to.
    fn add(&mut self, subjects: Vec<CheckedDocument>) -> bool {
        for subject in subjects {
            self.subjects.retain(|known| known.path != subject.path);
            self.subjects.push_front(subject);
        }
        self.subjects.truncate(MOST_AGAIN);
        !std::mem::replace(&mut self.is_waiting, true)
    }

    /// Nothing where nobody need wait any longer.
    fn next(&mut self) -> Option<Vec<CheckedDocument>> {
        self.is_waiting = !self.subjects.is_empty();
        self.is_waiting.then(|| self.subjects.drain(..).collect())
    }
}

/// What is on its way. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct WarmUpTracker(watch::Sender<ActiveWarmUps>);

#[derive(Debug, Default)]
struct ActiveWarmUps {
    /// What is said of single files: any change may be about them.
    alone: usize,
    /// What is said of these and of all that they may break.
    whole: Vec<PathBuf>,
}

impl Default for WarmUpTracker {
    fn default() -> Self {
        Self(watch::Sender::new(ActiveWarmUps::default()))
    }
}

impl WarmUpTracker {
    /// Waits for what has begun, and not for longer: of every file what is said of it alone, and of these all.
    pub(super) async fn wait_until_done(&self, of: &[&Path], until: Instant) {
        let mut underway = self.0.subscribe();
        let is_done = |underway: &ActiveWarmUps| {
            underway.alone == 0 && !underway.whole.iter().any(|path| of.contains(&path.as_path()))
        };
        let _ = timeout_at(until, underway.wait_for(is_done)).await;
    }

    /// One more of which nothing is there.
    pub(super) fn start(&self, path: &Path) -> (FileWarmUpGuard, FullWarmUpGuard) {
        self.0.send_modify(|underway| {
            underway.alone += 1;
            underway.whole.push(path.to_owned());
        });
        (FileWarmUpGuard(self.clone()), FullWarmUpGuard(self.clone(), path.to_owned()))
    }
}

/// On its way until it is dropped.
#[derive(Debug)]
pub(super) struct FileWarmUpGuard(WarmUpTracker);

impl Drop for FileWarmUpGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|underway| underway.alone = underway.alone.saturating_sub(1));
    }
}

/// On its way until it is dropped.
#[derive(Debug)]
pub(super) struct FullWarmUpGuard(WarmUpTracker, PathBuf);

impl Drop for FullWarmUpGuard {
    fn drop(&mut self) {
        self.0.0.send_modify(|underway| {
            if let Some(at) = underway.whole.iter().position(|path| *path == self.1) {
                underway.whole.swap_remove(at);
            }
        });
    }
}
