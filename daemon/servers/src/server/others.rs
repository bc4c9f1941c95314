//! What a server says of files other than the one that was changed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::checking::{Step, wait};
use super::documents::Held;
use super::known::{Gate, Known};
use super::published::Published;
use super::{Mark, Server, parse, uri};
use crate::quirks::{Dependents, Pull};
use crate::report::Said;

/// Open files that are asked about.
const MOST: usize = 64;
/// Files that are told of.
pub(super) const MOST_TOLD: usize = 1000;
/// What is published in one go arrives within this time.
const AT_ONCE: Duration = Duration::from_millis(30);
/// What is said of several files comes within this time of each other.
const TOGETHER: Duration = Duration::from_millis(120);

impl Server {
    pub(super) async fn wait_for_others(&self, since: Mark, until: Instant) -> Vec<(PathBuf, Said)> {
        let mut found = BTreeMap::new();
        let quirks = &self.inner.launch.quirks;
        self.wait_for_gate(until).await;
        let alone = quirks.dirty_dependents == Dependents::None;
        let (pull, targets) = {
            let known = self.inner.lock();
            if !matches!(known.gate(Instant::now()), Gate::Open(_)) {
                return Vec::new();
            }
            let open = known
                .documents
                .all()
                .filter(|(_, held)| held.edited.is_none_or(|edited| edited.1 <= since.0));
            let pull = known.pull(quirks).cloned();
            // One that can be asked is asked of what it can be asked of.
            let open = open.filter(|(path, _)| pull.is_none() || known.pull_of(path, quirks).is_some());
            (pull.clone(), open.map(|(path, _)| path.clone()).take(MOST).collect::<Vec<_>>())
        };
        match &pull {
            Some(options) => {
                let targets = if alone { Vec::new() } else { targets };
                found.extend(self.ask_all(targets, until).await);
                if options.workspace && !alone {
                    self.ask_workspace(options.identifier.as_deref(), until).await;
                }
                if quirks.tells_of_all() {
                    self.quiet(since, until).await;
                    let named = self.named(since, |path| !found.contains_key(path));
                    found.extend(self.ask_all(named, until).await);
                }
            }
            None if quirks.dirty_dependents == Dependents::Asked => {
                // Where a touch costs much, only what may be another now is touched.
                if quirks.touch.is_empty() {
                    let mut known = self.inner.lock();
                    for path in &targets {
                        self.touch(&mut known, path);
                    }
                }
                found.extend(self.ask_all(targets, until).await);
            }
            None if !alone && (!targets.is_empty() || quirks.pushes_closed) => self.quiet(since, until).await,
            None => {}
        }
        let known = self.inner.lock();
        // What it publishes without a version is of any text: what it answers counts alone.
        let is_believed = pull.is_none() || quirks.pull != Pull::Tsserver;
        for (path, said) in known.since(since).filter(|_| is_believed) {
            if found.len() < MOST_TOLD {
                found.entry(path).or_insert(said);
            }
        }
        found.into_iter().collect()
    }

    /// Waits while it looks at the project once more.
    async fn wait_for_gate(&self, until: Instant) {
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            let now = Instant::now();
            let back = self.inner.lock().readiness.back(now).filter(|_| now < until);
            match back {
                Some(back) => wait(&mut ticks, Some(back), until).await,
                None => return,
            }
        }
    }

    /// Files that it has published for since a moment, and that it can be asked about: what it says then is proven.
    fn named(&self, since: Mark, is_wanted: impl Fn(&PathBuf) -> bool) -> Vec<PathBuf> {
        let (known, quirks) = (self.inner.lock(), &self.inner.launch.quirks);
        let named = known.others_since(since).map(|(path, _)| path).filter(|path| is_wanted(path));
        let can_be = |path: &&PathBuf| quirks.pull_closed || known.documents.get(path).is_some();
        let asked = named.filter(can_be).filter(|path| known.pull_of(path, quirks).is_some());
        asked.take(MOST).cloned().collect()
    }

    /// All questions are sent before the first answer is waited for.
    async fn ask_all(&self, targets: Vec<PathBuf>, until: Instant) -> Vec<(PathBuf, Said)> {
        let steps: Vec<_> = targets.into_iter().map(|path| (self.step(&path, &mut None), path)).collect();
        let mut answers = Vec::new();
        for (step, path) in steps {
            let said = match step {
                Step::Pulling(pulling) => self.pulled(pulling, until).await,
                Step::Said(said) => Some(said),
                Step::Wait(..) => None,
            };
            let said = match said {
                Some(said) => said,
                None => self.wait_for(&path, until).await,
            };
            answers.push((path, said));
        }
        answers
    }

    /// What it answers is kept with what it publishes.
    async fn ask_workspace(&self, identifier: Option<&str>, until: Instant) {
        let mut params = json!({ "previousResultIds": [] });
        if let (Some(identifier), Some(params)) = (identifier, params.as_object_mut()) {
            params.insert("identifier".to_owned(), Value::from(identifier));
        }
        let answer = self.peer.request("workspace/diagnostic", &params);
        let Ok(Ok(answer)) = timeout_at(until, answer).await else { return };
        let reports = parse::workspace(&answer).unwrap_or_default();
        let reports = reports.into_iter().filter_map(|(uri, set)| Some((uri::path(&uri)?, set)));
        self.inner.change(|known| {
            for (path, set) in reports {
                known.take_answer(path, set, &self.inner.launch.quirks, Instant::now());
            }
        });
    }

    /// Waits until nothing more is to be expected of what it was last told.
    async fn quiet(&self, since: Mark, until: Instant) {
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            let quiet = {
                let known = self.inner.lock();
                let told = known.documents.all().filter_map(|(_, held)| Some(held.edited?.0));
                let told = told.chain(known.disk).chain(known.saved).max();
                let heard = known.published.since(since.0).map(|(_, published)| published.heard.at).max();
                let (expected, together) = self.expected(&known, since);
                (told.map(|told| told + expected)).max(heard.map(|heard| heard + together))
            };
            match quiet {
                Some(quiet) if quiet > Instant::now() && Instant::now() < until => {
                    wait(&mut ticks, Some(quiet), until).await;
                }
                _ => return,
            }
        }
    }
}

impl Server {
    /// How long after a change, and after what it said last, it may still say something of what the change did elsewhere. Of closed
    /// files it speaks with the second, whole set of the file itself, and where that is as the first was it is not sent.
    fn expected(&self, known: &Known, since: Mark) -> (Duration, Duration) {
        let quirks = &self.inner.launch.quirks;
        let longest = known.learnt.longest().unwrap_or_default();
        let closed = Duration::from_millis(quirks.silence_ms.max(quirks.settle_ms).min(10_000));
        let is_whole = quirks.partial_first && self.is_whole(known, since, 2);
        if self.is_told_of_all(known, since) {
            return (Duration::ZERO, AT_ONCE);
        }
        let expected = match quirks.pushes_closed {
            false => longest,
            // It is asked about those that are known to be about the change. The others are not worth all the time.
            true if known.is_asked_instead(quirks) => closed,
            true if is_whole => longest,
            true => longest.max(closed),
        };
        (expected, TOGETHER)
    }
}

impl Server {
    /// Whether it has said of everything what was changed: one that can be asked publishes for all files in one go, those with a
    /// version among them.
    fn is_told_of_all(&self, known: &Known, since: Mark) -> bool {
        let quirks = &self.inner.launch.quirks;
        let edited = known.changed_since(since).filter_map(|(_, held)| Some(held.edited?.0)).max();
        let heard = known.published.since(0).map(|(_, published)| published.heard.at).max();
        quirks.pushes_closed
            && known.is_asked_instead(quirks)
            && known.disk <= edited.max(heard)
            && self.is_whole(known, since, 1)
    }

    /// Whether each text that was changed since was published for so often.
    fn is_whole(&self, known: &Known, since: Mark, count: u32) -> bool {
        known.changed_since(since).all(|(path, held)| {
            let heard = known.published.get(path).map(|said| said.heard);
            heard.is_some_and(|heard| heard.version == Some(held.version) && heard.count >= count)
        })
    }
}

impl Known {
    fn changed_since(&self, since: Mark) -> impl Iterator<Item = (&PathBuf, &Held)> {
        self.documents.all().filter(move |(_, held)| held.edited.is_some_and(|at| at.1 > since.0))
    }

    /// What was said since a moment of files whose text was not changed since.
    fn since(&self, since: Mark) -> impl Iterator<Item = (PathBuf, Said)> {
        self.others_since(since).map(|(path, published)| {
            let all = self.published_for(path);
            (path.clone(), if published.is_answer { Said::Proven(all) } else { Said::Likely(all) })
        })
    }

    pub(super) fn others_since(&self, since: Mark) -> impl Iterator<Item = (&PathBuf, &Published)> {
        let is_other = move |path: &PathBuf| {
            let held = self.documents.get(path);
            held.and_then(|held| held.edited).is_none_or(|edited| edited.1 <= since.0)
        };
        self.published.since(since.0).filter(move |(path, _)| is_other(path))
    }
}
