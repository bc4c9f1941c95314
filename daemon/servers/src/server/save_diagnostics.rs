//! Waits for the diagnostics that follow only a save.

use std::path::Path;

use tokio::time::{Instant, sleep_until, timeout_at};

use super::LanguageServer;
use super::check_document::{CheckStep, unknown_verdict, wait_for_tick};
use super::documents::ServerDocument;
use super::record::{ReadinessGate, ServerRecord};
use super::save_runs::SaveRunStatus;
use crate::diagnostic::Diagnostic;
use crate::quirks::Quirks;
use crate::report::Verdict;
use crate::time_limits::{BURST_TIME, SAVE_PUBLISH_TIME};

const TIMED_OUT: &str = "what follows the save had not come in time";

enum SaveCheckStep {
    Done(Verdict),
    /// The run has just ended; its last publishes may still come.
    RunEnded,
    /// Send a deferred didSave.
    SendDeferredSave,
    Wait(Option<Instant>),
}

impl LanguageServer {
    pub(super) async fn wait_for_save_verdict(&self, path: &Path, until: Instant) -> Option<Verdict> {
        if self.inner.launch.quirks.save_sources.is_empty() {
            return None;
        }
        let (mut ticks, mut has_waited) = (self.inner.ticks.subscribe(), false);
        loop {
            ticks.borrow_and_update();
            match self.next_save_step(path, has_waited) {
                SaveCheckStep::Done(verdict) => return Some(verdict),
                _ if Instant::now() >= until => return Some(unknown_verdict(TIMED_OUT)),
                SaveCheckStep::RunEnded => {
                    has_waited = self.wait_for_last_publish(path, until).await;
                    if !has_waited {
                        return Some(unknown_verdict(TIMED_OUT));
                    }
                }
                // `next_save_step` has sent it.
                SaveCheckStep::SendDeferredSave => {}
                SaveCheckStep::Wait(at) => {
                    wait_for_tick(&mut ticks, at, until).await;
                    has_waited = false;
                }
            }
        }
    }

    fn next_save_step(&self, path: &Path, has_waited: bool) -> SaveCheckStep {
        let (mut record, now) = (self.inner.lock(), Instant::now());
        let mut step = record.judge_save(path, has_waited, now);
        if matches!(step, SaveCheckStep::SendDeferredSave) {
            if let Some((path, version)) = record.save_runs.deferred_save.take() {
                self.notify_saved(&mut record, &path, version, now);
            }
            step = record.judge_save(path, has_waited, now);
        }
        if let SaveCheckStep::Done(concluded) = &step {
            let (server, file, verdict) = (self.name(), path.display(), concluded.proof());
            let count = concluded.diagnostics().map_or(0, <[Diagnostic]>::len);
            let why = if let Verdict::Unknown { why } = concluded {
                why.as_str()
            } else {
                "a run after the save has ended"
            };
            tracing::debug!(server, %file, ?verdict, why, count, "judged what follows a save");
        }
        step
    }

    /// Waits for the last publishes of a run. They may come after the report of its end, because another thread sends
    /// them once everything else is done. A response to a request sent now comes later than they do. Returns whether
    /// there was enough time.
    async fn wait_for_last_publish(&self, path: &Path, until: Instant) -> bool {
        let asked = Instant::now();
        let step = {
            let record = self.inner.lock();
            let can_pull = !record.pull_options_for(path, &self.inner.launch.quirks).is_empty();
            can_pull.then(|| self.send_pull(&record, path, asked))
        };
        let extra = match step {
            Some(CheckStep::Pull(pending)) => {
                for response in pending.responses {
                    let _ = timeout_at(until, response).await;
                }
                BURST_TIME.max(asked.elapsed())
            }
            _ => SAVE_PUBLISH_TIME,
        };
        let enough = Instant::now() + extra;
        sleep_until(until.min(enough)).await;
        enough <= until
    }
}

impl ServerRecord {
    /// Pure, like the rest of the judge. `has_waited`: the caller has waited for the last publishes of the run.
    fn judge_save(&self, path: &Path, has_waited: bool, now: Instant) -> SaveCheckStep {
        match self.gate(now) {
            ReadinessGate::Open(_) => {}
            ReadinessGate::Wait(at) => return SaveCheckStep::Wait(at),
            ReadinessGate::Reading(_) => return SaveCheckStep::Wait(None),
            ReadinessGate::Shut(why) => return SaveCheckStep::Done(Verdict::Unknown { why }),
        }
        if self.save_runs.deferred_save.is_some() {
            return match self.save_runs.run_due_until(now) {
                Some(due) => SaveCheckStep::Wait(Some(due)),
                None => SaveCheckStep::SendDeferredSave,
            };
        }
        let saved =
            self.documents.get(path).and_then(|document| document.last_save.filter(|_| document.is_clean()));
        let Some((_, saved)) = saved else {
            return SaveCheckStep::Done(unknown_verdict(
                "it is said of what was saved, and the text is another",
            ));
        };
        // A compiler reads all files: a run from before another file was written is about another project.
        let last_write = self.last_write().map_or(saved, |last| last.max(saved));
        match self.save_runs.status_after(last_write, now) {
            SaveRunStatus::Done if !has_waited && self.save_runs.has_just_ended(now) => {
                SaveCheckStep::RunEnded
            }
            SaveRunStatus::Done => SaveCheckStep::Done(match self.run_problem() {
                Some(problem) => Verdict::Unknown { why: format!("it could not run: {problem}") },
                None => Verdict::Proven(self.save_diagnostics_for(path)),
            }),
            SaveRunStatus::Late => SaveCheckStep::Done(unknown_verdict("nothing has followed the save yet")),
            SaveRunStatus::Wait(at) => SaveCheckStep::Wait(at),
        }
    }

    pub(super) fn save_diagnostics_for(&self, path: &Path) -> Vec<Diagnostic> {
        self.clamp_diagnostics(
            path,
            self.published.get(path).map(|published| published.save_diagnostics.as_slice()),
        )
    }

    /// Why the last run failed.
    fn run_problem(&self) -> Option<String> {
        self.save_runs.problem().map(str::to_owned).or_else(|| self.status_warnings.of_run())
    }

    /// When anything that a compiler reads was last written, as far as the daemon knows.
    fn last_write(&self) -> Option<Instant> {
        self.last_save.max(self.others_changed).max(self.text_saved)
    }

    /// Whether the run after the last write has begun and ended.
    pub(super) fn is_save_checked(&self, quirks: &Quirks) -> bool {
        let now = Instant::now();
        let Some(begun) = self.save_runs.last_begun() else { return false };
        let last_write = self.last_write().unwrap_or(begun);
        !quirks.save_sources.is_empty()
            && self.run_problem().is_none()
            && matches!(self.gate(now), ReadinessGate::Open(_))
            && self.save_runs.status_after(last_write, now) == SaveRunStatus::Done
    }

    /// The diagnostics of the last save, if the file is unchanged since.
    pub(super) fn save_verdict(&self, path: &Path) -> Option<Verdict> {
        let is_clean = self.documents.get(path).is_none_or(ServerDocument::is_clean);
        is_clean.then(|| Verdict::Proven(self.save_diagnostics_for(path)))
    }
}
