//! What is said of files that were read, on its way: whoever changes something next is to compare with it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use super::{Checks, MOST_AGAIN, Shared, late};
use crate::sources::{Sources, Warming};
use copydesk_servers::source::Subject;

/// The calls of one step read within it. No model answers sooner.
const BREATH: Duration = Duration::from_millis(5);

/// Files that are asked about at once; of more only the latest.
const MOST_AT_ONCE: usize = 100;

impl Checks {
    fn is_current(&self, subject: &Subject) -> bool {
        let now = self.shared.texts.as_ref().and_then(|texts| texts.text(&subject.path));
        now.is_some_and(|now| now.text == subject.text)
    }

    /// A file was read, and may be changed next: whoever can say something of it begins to. What is read in one breath is asked about at
    /// once.
    pub fn read(&self, subject: Subject) {
        if self.is_off() {
            return;
        }
        self.begin(std::slice::from_ref(&subject));
        let underway = self.shared.reading.begin(&subject.path);
        if !self.lock().unasked.add(subject, underway) {
            return;
        }
        // Whoever asks goes with the session.
        let (shared, sources) = (Arc::downgrade(&self.shared), self.shared.sources.clone());
        let (root, wait) = (self.real_root(), self.shared.options.wait);
        let reader = Reader { shared, sources, root };
        tokio::spawn(async move {
            let until = Instant::now() + wait;
            sleep(BREATH).await;
            let Some(shared) = reader.shared.upgrade() else { return };
            let (subjects, alone, whole) = Checks { shared }.lock().unasked.take();
            // What it was like is wanted at the next change, and what it may break takes longer.
            let first = reader.ask(Warming::Alone, &subjects, until).await;
            drop(alone);
            if first == Answer::Nobody {
                return;
            }
            let all = reader.ask(Warming::Whole, &subjects, until).await;
            drop(whole);
            if all == Answer::Open {
                reader.later(subjects).await;
            }
        });
    }
}

/// What came of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// There is nobody to say anything of these, or nothing to ask about.
    Nobody,
    Known,
    /// Somebody does not know yet.
    Open,
}

/// Whoever asks about files that were read.
struct Reader {
    shared: Weak<Shared>,
    sources: Sources,
    root: PathBuf,
}

impl Reader {
    async fn ask(&self, warming: Warming, subjects: &[Subject], until: Instant) -> Answer {
        let Some(shared) = self.shared.upgrade() else { return Answer::Nobody };
        let checks = Checks { shared };
        // Whoever made another text of one meanwhile asks about that.
        let subjects: Vec<_> =
            subjects.iter().filter(|subject| checks.is_current(subject)).cloned().collect();
        if subjects.is_empty() {
            return Answer::Nobody;
        }
        // Of single files nothing is said of others.
        let others = if warming == Warming::Alone { Vec::new() } else { checks.others(&subjects) };
        let asked = checks.begin(&subjects);
        drop(checks);
        let reports = self.sources.warm(warming, &subjects, &self.root, until).await;
        if reports.is_empty() {
            return Answer::Nobody;
        }
        let is_known = reports.iter().all(|report| report.said.diagnostics().is_some());
        if let Some(shared) = self.shared.upgrade() {
            let checks = Checks { shared };
            let (subjects, reports) = checks.with_others(subjects, reports, &others);
            checks.heard(&subjects, &reports, asked);
        }
        if is_known { Answer::Known } else { Answer::Open }
    }

    /// Waits for servers that are not ready; with all that was read meanwhile, so that they are not asked by everyone at once then.
    async fn later(&self, subjects: Vec<Subject>) {
        let checks = || Some(Checks { shared: self.shared.upgrade()? });
        if !checks().is_some_and(|checks| checks.lock().unready.add(subjects)) {
            return;
        }
        while let Some(subjects) = checks().and_then(|checks| checks.lock().unready.next()) {
            self.ask(Warming::Later, &subjects, Instant::now() + late::PATIENCE).await;
        }
    }
}

/// Files that were read just now, the latest first.
#[derive(Debug, Default)]
pub(super) struct Unasked {
    files: VecDeque<(Subject, Alone, Whole)>,
    /// Somebody takes them all in a moment.
    is_awaited: bool,
}

impl Unasked {
    /// Tells whether whoever adds is to take them.
    fn add(&mut self, subject: Subject, (alone, whole): (Alone, Whole)) -> bool {
        self.files.retain(|(known, ..)| known.path != subject.path);
        self.files.push_front((subject, alone, whole));
        self.files.truncate(MOST_AT_ONCE);
        !std::mem::replace(&mut self.is_awaited, true)
    }

    fn take(&mut self) -> (Vec<Subject>, Vec<Alone>, Vec<Whole>) {
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
pub(super) struct Unready {
    subjects: VecDeque<Subject>,
    /// Somebody waits, and takes them all next.
    is_waiting: bool,
}

impl Unready {
    /// Tells whether nobody waits yet, and whoever adds is to.
    fn add(&mut self, subjects: Vec<Subject>) -> bool {
        for subject in subjects {
            self.subjects.retain(|known| known.path != subject.path);
            self.subjects.push_front(subject);
        }
        self.subjects.truncate(MOST_AGAIN);
        !std::mem::replace(&mut self.is_waiting, true)
    }

    /// Nothing where nobody need wait any longer.
    fn next(&mut self) -> Option<Vec<Subject>> {
        self.is_waiting = !self.subjects.is_empty();
        self.is_waiting.then(|| self.subjects.drain(..).collect())
    }
}

/// What is on its way. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Reading(watch::Sender<Underway>);

#[derive(Debug, Default)]
struct Underway {
    /// What is said of single files: any change may be about them.
    alone: usize,
    /// What is said of these and of all that they may break.
    whole: Vec<PathBuf>,
}

impl Default for Reading {
    fn default() -> Self {
        Self(watch::Sender::new(Underway::default()))
    }
}

impl Reading {
    /// Waits for what has begun, and not for longer: of every file what is said of it alone, and of these all.
    pub(super) async fn done(&self, of: &[&Path], until: Instant) {
        let mut underway = self.0.subscribe();
        let is_done = |underway: &Underway| {
            underway.alone == 0 && !underway.whole.iter().any(|path| of.contains(&path.as_path()))
        };
        let _ = timeout_at(until, underway.wait_for(is_done)).await;
    }

    /// One more of which nothing is there.
    pub(super) fn begin(&self, path: &Path) -> (Alone, Whole) {
        self.0.send_modify(|underway| {
            underway.alone += 1;
            underway.whole.push(path.to_owned());
        });
        (Alone(self.clone()), Whole(self.clone(), path.to_owned()))
    }
}

/// On its way until it is dropped.
#[derive(Debug)]
pub(super) struct Alone(Reading);

impl Drop for Alone {
    fn drop(&mut self) {
        self.0.0.send_modify(|underway| underway.alone = underway.alone.saturating_sub(1));
    }
}

/// On its way until it is dropped.
#[derive(Debug)]
pub(super) struct Whole(Reading, PathBuf);

impl Drop for Whole {
    fn drop(&mut self) {
        self.0.0.send_modify(|underway| {
            if let Some(at) = underway.whole.iter().position(|path| *path == self.1) {
                underway.whole.swap_remove(at);
            }
        });
    }
}
