//! Waiting for what follows a save alone.

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

const NOT_COME: &str = "what follows the save had not come in time";

/// How far what follows a save is.
enum SaveCheckStep {
    Done(Verdict),
    /// The run has just ended.
    RunEnded,
    /// The server has to be told of a save that was put off.
    TellDeferredSave,
    Wait(Option<Instant>),
}

impl LanguageServer {
    pub(super) async fn wait_for_save_verdict(&self, path: &Path, until: Instant) -> Option<Verdict> {
        if self.inner.launch.quirks.saves_for.is_empty() {
            return None;
        }
        let (mut ticks, mut is_heard) = (self.inner.ticks.subscribe(), false);
        loop {
            ticks.borrow_and_update();
            match self.follow(path, is_heard) {
                SaveCheckStep::Done(said) => return Some(said),
                _ if Instant::now() >= until => return Some(unknown_verdict(NOT_COME)),
                SaveCheckStep::RunEnded => {
                    is_heard = self.hear_out(path, until).await;
                    if !is_heard {
                        return Some(unknown_verdict(NOT_COME));
                    }
                }
                // `follow` has told it.
                SaveCheckStep::TellDeferredSave => {}
                SaveCheckStep::Wait(at) => {
                    wait_for_tick(&mut ticks, at, until).await;
                    is_heard = false;
                }
            }
        }
    }

    fn follow(&self, path: &Path, is_heard: bool) -> SaveCheckStep {
        let (mut known, now) = (self.inner.lock(), Instant::now());
        let mut step = known.judge_save(path, is_heard, now);
        if matches!(step, SaveCheckStep::TellDeferredSave) {
            if let Some((path, version)) = known.save_runs.deferred_save.take() {
                self.tell_saved(&mut known, &path, version, now);
            }
            step = known.judge_save(path, is_heard, now);
        }
        if let SaveCheckStep::Done(said) = &step {
            let (server, file, verdict) = (self.name(), path.display(), said.proof());
            let count = said.diagnostics().map_or(0, <[Diagnostic]>::len);
            let why = if let Verdict::Unknown { why } = said {
                why.as_str()
            } else {
                "a run after the save has ended"
            };
            tracing::debug!(server, %file, ?verdict, why, count, "judged what follows a save");
        }
        step
    }

    /// Waits for what a run found last, which may come after the word that it has ended: by another thread, and sent when all else
    /// is done. Whatever is asked now is answered later than that. Tells whether there was time for it.
    async fn hear_out(&self, path: &Path, until: Instant) -> bool {
        let asked = Instant::now();
        let step = {
            let known = self.inner.lock();
            known
                .pull_options_for(path, &self.inner.launch.quirks)
                .map(|options| self.send_pull(&known, path, options, asked))
        };
        let more = match step {
            Some(CheckStep::Pull(pulling)) => {
                for answer in pulling.responses {
                    let _ = timeout_at(until, answer).await;
                }
                BURST_TIME.max(asked.elapsed())
            }
            _ => SAVE_PUBLISH_TIME,
        };
        let heard = Instant::now() + more;
        sleep_until(until.min(heard)).await;
        heard <= until
    }
}

impl ServerRecord {
    /// Pure, as the rest of the judge is. `is_heard`: what the last run sent at its end has been waited for.
    fn judge_save(&self, path: &Path, is_heard: bool, now: Instant) -> SaveCheckStep {
        match self.gate(now) {
            ReadinessGate::Open(_) => {}
            ReadinessGate::Wait(at) => return SaveCheckStep::Wait(at),
            ReadinessGate::Shut(why) => return SaveCheckStep::Done(Verdict::Unknown { why }),
        }
        if self.save_runs.deferred_save.is_some() {
            return match self.save_runs.run_due_until(now) {
                Some(due) => SaveCheckStep::Wait(Some(due)),
                None => SaveCheckStep::TellDeferredSave,
            };
        }
        let saved = self.documents.get(path).and_then(|held| held.last_save.filter(|_| held.is_clean()));
        let Some((_, saved)) = saved else {
            return SaveCheckStep::Done(unknown_verdict(
                "it is said of what was saved, and the text is another",
            ));
        };
        // A compiler reads all files: what it said before another one was written is not about this project.
        let written = self.written().map_or(saved, |last| last.max(saved));
        match self.save_runs.status_after(written, now) {
            SaveRunStatus::Done if !is_heard && self.save_runs.has_just_ended(now) => SaveCheckStep::RunEnded,
            SaveRunStatus::Done => SaveCheckStep::Done(Verdict::Proven(self.saved_for(path))),
            SaveRunStatus::Late => SaveCheckStep::Done(unknown_verdict("nothing has followed the save yet")),
            SaveRunStatus::Wait(at) => SaveCheckStep::Wait(at),
        }
    }

    pub(super) fn saved_for(&self, path: &Path) -> Vec<Diagnostic> {
        self.clamp_diagnostics(path, self.published.get(path).map(|said| said.save_diagnostics.as_slice()))
    }

    /// When anything was last written that a compiler reads, as far as it is known here.
    fn written(&self) -> Option<Instant> {
        self.last_save.max(self.others_changed).max(self.text_saved)
    }

    /// What follows a save is all there, and nothing was written since that began.
    pub(super) fn is_save_checked(&self, quirks: &Quirks) -> bool {
        let now = Instant::now();
        let Some(begun) = self.save_runs.last_begun() else { return false };
        let written = self.written().unwrap_or(begun);
        !quirks.saves_for.is_empty()
            && matches!(self.gate(now), ReadinessGate::Open(_))
            && self.save_runs.status_after(written, now) == SaveRunStatus::Done
    }

    /// What followed the last save, where the file is as it was then.
    pub(super) fn save_verdict(&self, path: &Path) -> Option<Verdict> {
        let is_clean = self.documents.get(path).is_none_or(ServerDocument::is_clean);
        is_clean.then(|| Verdict::Proven(self.saved_for(path)))
    }
}
