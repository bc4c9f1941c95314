//! Waiting for what follows a save alone.

use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout_at};

use super::Server;
use super::checking::{Step, unknown, wait};
use super::documents::Held;
use super::known::{Gate, Known};
use super::saves::Followed;
use crate::diagnostic::Diagnostic;
use crate::quirks::Quirks;
use crate::report::Said;

/// After an answer: what was sent just before it by another thread.
const TOGETHER: Duration = Duration::from_millis(20);
/// The same where nothing can be asked.
const ALONE: Duration = Duration::from_millis(200);

const NOT_COME: &str = "what follows the save had not come in time";

/// How far what follows a save is.
enum Following {
    Said(Said),
    /// The run has just ended.
    Ended,
    Wait(Option<Instant>),
}

impl Server {
    pub(super) async fn wait_for_saved(&self, path: &Path, until: Instant) -> Option<Said> {
        if self.inner.launch.quirks.saves_for.is_empty() {
            return None;
        }
        let (mut ticks, mut is_heard) = (self.inner.ticks.subscribe(), false);
        loop {
            ticks.borrow_and_update();
            match self.follow(path, is_heard) {
                Following::Said(said) => return Some(said),
                _ if Instant::now() >= until => return Some(unknown(NOT_COME)),
                Following::Ended => {
                    is_heard = self.hear_out(path, until).await;
                    if !is_heard {
                        return Some(unknown(NOT_COME));
                    }
                }
                Following::Wait(at) => {
                    wait(&mut ticks, at, until).await;
                    is_heard = false;
                }
            }
        }
    }

    fn follow(&self, path: &Path, is_heard: bool) -> Following {
        let (mut known, now) = (self.inner.lock(), Instant::now());
        match known.gate(now) {
            Gate::Open(_) => {}
            Gate::Wait(at) => return Following::Wait(at),
            Gate::Shut(why) => return Following::Said(Said::Unknown { why }),
        }
        match known.saves.due(now) {
            Some(due) if known.saves.held_back.is_some() => return Following::Wait(Some(due)),
            _ => {
                if let Some((path, version)) = known.saves.held_back.take() {
                    self.tell_saved(&mut known, &path, version, now);
                }
            }
        }
        let saved = known.documents.get(path).and_then(|held| held.saved.filter(|_| held.is_clean()));
        let Some((_, saved)) = saved else {
            return Following::Said(unknown("it is said of what was saved, and the text is another"));
        };
        // A compiler reads all files: what it said before another one was written is not about this project.
        let written = known.written().map_or(saved, |last| last.max(saved));
        match known.saves.followed(written, now) {
            Followed::Done if !is_heard && known.saves.is_fresh(now) => Following::Ended,
            Followed::Done => Following::Said(Said::Proven(known.saved_for(path))),
            Followed::Late => Following::Said(unknown("nothing has followed the save yet")),
            Followed::Wait(at) => Following::Wait(at),
        }
    }

    /// Waits for what a run found last, which may come after the word that it has ended: by another thread, and sent when all else
    /// is done. Whatever is asked now is answered later than that. Tells whether there was time for it.
    async fn hear_out(&self, path: &Path, until: Instant) -> bool {
        let asked = Instant::now();
        let step = {
            let known = self.inner.lock();
            known
                .pull_of(path, &self.inner.launch.quirks)
                .map(|options| self.ask(&known, path, options, asked))
        };
        let more = match step {
            Some(Step::Pulling(pulling)) => {
                for answer in pulling.answers {
                    let _ = timeout_at(until, answer).await;
                }
                TOGETHER.max(asked.elapsed())
            }
            _ => ALONE,
        };
        let heard = Instant::now() + more;
        sleep_until(until.min(heard)).await;
        heard <= until
    }
}

impl Known {
    fn saved_for(&self, path: &Path) -> Vec<Diagnostic> {
        self.fitted(path, self.published.get(path).map(|said| said.saved.as_slice()))
    }

    /// When anything was last written that a compiler reads, as far as it is known here.
    fn written(&self) -> Option<Instant> {
        self.saved.max(self.beside).max(self.landed)
    }

    /// What follows a save is all there, and nothing was written since that began.
    pub(super) fn is_followed(&self, quirks: &Quirks) -> bool {
        let now = Instant::now();
        let Some(begun) = self.saves.begun() else { return false };
        let written = self.written().unwrap_or(begun);
        !quirks.saves_for.is_empty()
            && matches!(self.gate(now), Gate::Open(_))
            && self.saves.followed(written, now) == Followed::Done
    }

    /// What followed the last save, where the file is as it was then.
    pub(super) fn saved_of(&self, path: &Path) -> Option<Said> {
        let is_clean = self.documents.get(path).is_none_or(Held::is_clean);
        is_clean.then(|| Said::Proven(self.saved_for(path)))
    }
}
