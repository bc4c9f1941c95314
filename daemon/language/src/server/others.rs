//! What a server says of files other than the one that was changed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::checking::{Step, wait};
use super::known::{Gate, Known};
use super::published::Published;
use super::{Mark, Server, parse, uri};
use crate::quirks::Dependents;
use crate::report::Said;

/// Open files that are asked about.
const MOST: usize = 64;
/// Files that are told of.
pub(super) const MOST_TOLD: usize = 1000;
/// What is said of several files comes within this time of each other.
const TOGETHER: Duration = Duration::from_millis(120);

impl Server {
    pub(super) async fn wait_for_others(&self, since: Mark, until: Instant) -> Vec<(PathBuf, Said)> {
        let mut found = BTreeMap::new();
        let quirks = &self.inner.launch.quirks;
        self.wait_for_gate(until).await;
        let (pull, targets) = {
            let known = self.inner.lock();
            if !matches!(known.gate(Instant::now()), Gate::Open(_)) {
                return Vec::new();
            }
            let open = known
                .documents
                .all()
                .filter(|(_, held)| held.edited.is_none_or(|edited| edited.1 <= since.0));
            let open: Vec<_> = open.map(|(path, _)| path.clone()).take(MOST).collect();
            (known.pull(quirks).cloned(), open)
        };
        let alone = quirks.dirty_dependents == Dependents::None;
        match &pull {
            Some(options) => {
                let targets = if alone { Vec::new() } else { targets };
                found.extend(self.ask_all(targets, until).await);
                if options.workspace && !alone {
                    self.ask_workspace(options.identifier.as_deref(), until).await;
                }
            }
            None if quirks.dirty_dependents == Dependents::Asked => {
                {
                    let mut known = self.inner.lock();
                    for path in &targets {
                        self.touch(&mut known, path);
                    }
                }
                for path in targets {
                    let said = self.wait_for(&path, until).await;
                    found.insert(path, said);
                }
            }
            None if !alone && (!targets.is_empty() || quirks.pushes_closed) => self.quiet(since, until).await,
            None => {}
        }
        let known = self.inner.lock();
        for (path, said) in known.since(since) {
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
                let expected =
                    known.learnt.longest().unwrap_or_default().max(self.closed_follow(&known, since));
                (told.map(|told| told + expected)).max(heard.map(|heard| heard + TOGETHER))
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
    /// How long after a change it may take until it says of closed files what the change broke: they come with the second, whole
    /// set of the file itself, and where that is as the first was it is not sent.
    fn closed_follow(&self, known: &Known, since: Mark) -> Duration {
        let quirks = &self.inner.launch.quirks;
        let mut changed =
            known.documents.all().filter(|(_, held)| held.edited.is_some_and(|at| at.1 > since.0));
        let is_whole = |path: &PathBuf, version| {
            let said = known.published.get(path).map(|said| said.heard);
            said.is_some_and(|heard| heard.version == Some(version) && heard.count >= 2)
        };
        let is_there = quirks.partial_first && changed.all(|(path, held)| is_whole(path, held.version));
        if !quirks.pushes_closed || is_there {
            return Duration::ZERO;
        }
        Duration::from_millis(quirks.silence_ms.max(quirks.settle_ms).min(10_000))
    }
}

impl Known {
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
