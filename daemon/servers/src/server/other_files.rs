//! What a server says of files other than the one that was changed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::check_document::{CheckStep, wait_for_tick};
use super::documents::ServerDocument;
use super::published_files::PublishedFile;
use super::record::{ReadinessGate, ServerRecord};
use super::{EventMark, LanguageServer, parse, uri};
use crate::quirks::{DependentsPolicy, PullSupport};
use crate::report::Verdict;
use crate::time_limits::{OTHER_FILES_GAP, PUBLISH_ALL_TIME};

/// Open files that are asked about.
const MOST: usize = 64;
/// Files that are told of.
pub(super) const MAX_REPORTED_FILES: usize = 1000;

impl LanguageServer {
    pub(super) async fn wait_for_other_files(
        &self,
        since: EventMark,
        until: Instant,
    ) -> Vec<(PathBuf, Verdict)> {
        let mut found = BTreeMap::new();
        let quirks = &self.inner.launch.quirks;
        self.wait_for_gate(until).await;
        let alone = quirks.dirty_dependents == DependentsPolicy::None;
        let (pull, targets) = {
            let known = self.inner.lock();
            if !matches!(known.gate(Instant::now()), ReadinessGate::Open(_)) {
                return Vec::new();
            }
            let open = known
                .documents
                .all()
                .filter(|(_, held)| held.edited.is_none_or(|edited| edited.1 <= since.0));
            let pull = known.pull_options(quirks).cloned();
            // One that can be asked is asked of what it can be asked of.
            let open =
                open.filter(|(path, _)| pull.is_none() || known.pull_options_for(path, quirks).is_some());
            (pull.clone(), open.map(|(path, _)| path.clone()).take(MOST).collect::<Vec<_>>())
        };
        match &pull {
            Some(options) => {
                let targets = if alone { Vec::new() } else { targets };
                found.extend(self.ask_all(targets, until).await);
                if options.workspace && !alone {
                    self.ask_workspace(options.identifier.as_deref(), until).await;
                }
                if quirks.publishes_all_files() {
                    self.quiet(since, until).await;
                    let named = self.named(since, |path| !found.contains_key(path));
                    found.extend(self.ask_all(named, until).await);
                }
            }
            None if quirks.dirty_dependents == DependentsPolicy::Asked => {
                // Where a touch costs much, only what may be another now is touched.
                if quirks.touch.is_empty() {
                    let mut known = self.inner.lock();
                    for path in &targets {
                        self.resend_text(&mut known, path);
                    }
                }
                found.extend(self.ask_all(targets, until).await);
            }
            None if !alone && (!targets.is_empty() || quirks.pushes_closed) => self.quiet(since, until).await,
            None => {}
        }
        let known = self.inner.lock();
        // What it publishes without a version is of any text: what it answers counts alone.
        let is_believed = pull.is_none() || quirks.pull != PullSupport::Tsserver;
        for (path, said) in known.since(since).filter(|_| is_believed) {
            if found.len() < MAX_REPORTED_FILES {
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
            let back = self.inner.lock().readiness.ready_again_by(now).filter(|_| now < until);
            match back {
                Some(back) => wait_for_tick(&mut ticks, Some(back), until).await,
                None => return,
            }
        }
    }

    /// Files that it has published for since a moment, and that it can be asked about: what it says then is proven.
    fn named(&self, since: EventMark, is_wanted: impl Fn(&PathBuf) -> bool) -> Vec<PathBuf> {
        let (known, quirks) = (self.inner.lock(), &self.inner.launch.quirks);
        let named = known.other_files_since(since).map(|(path, _)| path).filter(|path| is_wanted(path));
        let can_be = |path: &&PathBuf| quirks.pull_closed || known.documents.get(path).is_some();
        let asked = named.filter(can_be).filter(|path| known.pull_options_for(path, quirks).is_some());
        asked.take(MOST).cloned().collect()
    }

    /// All questions are sent before the first answer is waited for.
    async fn ask_all(&self, targets: Vec<PathBuf>, until: Instant) -> Vec<(PathBuf, Verdict)> {
        let steps: Vec<_> =
            targets.into_iter().map(|path| (self.next_step(&path, &mut None), path)).collect();
        let mut answers = Vec::new();
        for (step, path) in steps {
            let said = match step {
                CheckStep::Pull(pulling) => self.receive_pull(pulling, until).await,
                CheckStep::Done(said) => Some(said),
                CheckStep::Wait(..) => None,
            };
            let said = match said {
                Some(said) => said,
                None => self.wait_for_verdict(&path, until).await,
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
        let reports = parse::parse_workspace(&answer).unwrap_or_default();
        let reports = reports.into_iter().filter_map(|(uri, set)| Some((uri::to_path(&uri)?, set)));
        self.inner.change(|known| {
            for (path, set) in reports {
                known.record_pull(path, set, &self.inner.launch.quirks, Instant::now());
            }
        });
    }

    /// Waits until nothing more is to be expected of what it was last told.
    async fn quiet(&self, since: EventMark, until: Instant) {
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            let quiet = {
                let known = self.inner.lock();
                let told = known.documents.all().filter_map(|(_, held)| Some(held.edited?.0));
                let told = told.chain(known.disk_changed).chain(known.last_save).max();
                let heard = known
                    .published
                    .published_since(since.0)
                    .map(|(_, published)| published.record.received_at)
                    .max();
                let (expected, together) = self.expected(&known, since);
                (told.map(|told| told + expected)).max(heard.map(|heard| heard + together))
            };
            match quiet {
                Some(quiet) if quiet > Instant::now() && Instant::now() < until => {
                    wait_for_tick(&mut ticks, Some(quiet), until).await;
                }
                _ => return,
            }
        }
    }
}

impl LanguageServer {
    /// How long after a change, and after what it said last, it may still say something of what the change did elsewhere. Of closed
    /// files it speaks with the second, whole set of the file itself, and where that is as the first was it is not sent.
    fn expected(&self, known: &ServerRecord, since: EventMark) -> (Duration, Duration) {
        let quirks = &self.inner.launch.quirks;
        let longest = known.timings.longest_delay().unwrap_or_default();
        let closed = Duration::from_millis(quirks.silence_ms.max(quirks.settle_ms).min(10_000));
        let is_whole = quirks.partial_first && self.is_whole(known, since, 2);
        if self.is_told_of_all(known, since) {
            return (Duration::ZERO, PUBLISH_ALL_TIME);
        }
        let expected = match quirks.pushes_closed {
            false => longest,
            // It is asked about those that are known to be about the change. The others are not worth all the time.
            true if known.can_pull_others(quirks) => closed,
            true if is_whole => longest,
            true => longest.max(closed),
        };
        (expected, OTHER_FILES_GAP)
    }
}

impl LanguageServer {
    /// Whether it has said of everything what was changed: one that can be asked publishes for all files in one go, those with a
    /// version among them.
    fn is_told_of_all(&self, known: &ServerRecord, since: EventMark) -> bool {
        let quirks = &self.inner.launch.quirks;
        let edited = known.changed_since(since).filter_map(|(_, held)| Some(held.edited?.0)).max();
        let heard =
            known.published.published_since(0).map(|(_, published)| published.record.received_at).max();
        quirks.pushes_closed
            && known.can_pull_others(quirks)
            && known.disk_changed <= edited.max(heard)
            && self.is_whole(known, since, 1)
    }

    /// Whether each text that was changed since was published for so often.
    fn is_whole(&self, known: &ServerRecord, since: EventMark, count: u32) -> bool {
        known.changed_since(since).all(|(path, held)| {
            let heard = known.published.get(path).map(|said| said.record);
            heard.is_some_and(|heard| heard.version == Some(held.version) && heard.count >= count)
        })
    }
}

impl ServerRecord {
    fn changed_since(&self, since: EventMark) -> impl Iterator<Item = (&PathBuf, &ServerDocument)> {
        self.documents.all().filter(move |(_, held)| held.edited.is_some_and(|at| at.1 > since.0))
    }

    /// What was said since a moment of files whose text was not changed since.
    fn since(&self, since: EventMark) -> impl Iterator<Item = (PathBuf, Verdict)> {
        self.other_files_since(since).map(|(path, published)| {
            let all = self.published_diagnostics(path);
            (path.clone(), if published.is_pull { Verdict::Proven(all) } else { Verdict::Likely(all) })
        })
    }

    pub(super) fn other_files_since(
        &self,
        since: EventMark,
    ) -> impl Iterator<Item = (&PathBuf, &PublishedFile)> {
        let is_other = move |path: &PathBuf| {
            let held = self.documents.get(path);
            held.and_then(|held| held.edited).is_none_or(|edited| edited.1 <= since.0)
        };
        self.published.published_since(since.0).filter(move |(path, _)| is_other(path))
    }
}
