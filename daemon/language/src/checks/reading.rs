//! What is said of files that were read, on its way: whoever changes something next is to compare with it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::{Checks, late};
use crate::report::Report;
use crate::source::Subject;
use crate::sources::Warming;

impl Checks {
    /// A file was read, and may be changed next: whoever can say something of it begins to.
    pub fn read(&self, subject: Subject) {
        if self.is_off() {
            return;
        }
        let (alone, whole) = self.shared.reading.begin(&subject.path);
        let subjects = vec![subject];
        let (others, asked) = (self.others(&subjects), self.begin(&subjects));
        // Whoever asks goes with the session.
        let (shared, sources) = (Arc::downgrade(&self.shared), self.shared.sources.clone());
        let (root, until) = (self.real_root(), Instant::now() + self.shared.options.wait);
        tokio::spawn(async move {
            let heard = |reports: Vec<Report>| {
                let Some(shared) = shared.upgrade() else { return };
                let checks = Self { shared };
                let (subjects, reports) = checks.with_others(subjects.clone(), reports, &others);
                checks.heard(&subjects, &reports, asked);
            };
            // What it was like is wanted at the next change, and what it may break takes longer.
            heard(sources.warm(Warming::Alone, &subjects, &root, until).await);
            drop(alone);
            let reports = sources.warm(Warming::Whole, &subjects, &root, until).await;
            let is_known = reports.iter().all(|report| report.said.diagnostics().is_some());
            heard(reports);
            drop(whole);
            if !is_known {
                let until = Instant::now() + late::PATIENCE;
                heard(sources.warm(Warming::Later, &subjects, &root, until).await);
            }
        });
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
