//! A server's verdicts on files other than the changed one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::check_document::{CheckStep, wait_for_tick};
use super::documents::ServerDocument;
use super::judge::PullJudgement;
use super::parse::DiagnosticSet;
use super::published_files::{PublishedFile, ReportOrigin};
use super::record::{ReadinessGate, ServerRecord};
use super::{EventMark, LanguageServer, parse, uri};
use crate::quirks::{DependentsPolicy, PullSupport};
use crate::report::Verdict;
use crate::time_limits::{OTHER_FILES_GAP, PUBLISH_ALL_TIME};

/// Cap on open files that are checked.
const MAX_CHECKED_FILES: usize = 64;
/// Cap on files that are reported.
pub(super) const MAX_REPORTED_FILES: usize = 1000;

impl LanguageServer {
    pub(super) async fn wait_for_other_files(
        &self,
        since: EventMark,
        requested: &BTreeSet<PathBuf>,
        until: Instant,
    ) -> Vec<(PathBuf, Verdict)> {
        let mut verdicts = BTreeMap::new();
        let quirks = &self.inner.launch.quirks;
        self.wait_for_gate(until).await;
        let is_alone = quirks.dirty_dependents == DependentsPolicy::None;
        let (pulls, targets) = {
            let record = self.inner.lock();
            if !matches!(record.gate(Instant::now()), ReadinessGate::Open(_)) {
                return Vec::new();
            }
            let open = record
                .documents
                .all()
                .filter(|(_, document)| document.edited.is_none_or(|edited| edited.1 <= since.0));
            let pulls: Vec<_> = record.pull_options(quirks).into_iter().cloned().collect();
            // A server that answers pulls is asked only about files that it answers for.
            let is_asked =
                |path: &Path| pulls.is_empty() || !record.pull_options_for(path, quirks).is_empty();
            let is_other = |path: &Path| !requested.contains(path) && is_asked(path);
            let open = open.map(|(path, _)| path.clone()).filter(|path| is_other(path));
            let targets: Vec<_> = open.take(MAX_CHECKED_FILES).collect();
            (pulls, targets)
        };
        if !pulls.is_empty() {
            let targets = if is_alone { Vec::new() } else { targets };
            verdicts.extend(self.check_all(targets, until).await);
            let workspace = pulls.iter().filter(|options| options.workspace && !is_alone);
            let identifiers: BTreeSet<_> = workspace.map(|options| options.identifier.as_deref()).collect();
            if !identifiers.is_empty() {
                self.pull_workspace(identifiers, until).await;
            }
            if quirks.publishes_all_files() {
                self.wait_for_all_publishes(since, until).await;
                let is_new = |path: &PathBuf| !verdicts.contains_key(path) && !requested.contains(path);
                let named = self.published_paths(since, is_new);
                verdicts.extend(self.check_all(named, until).await);
            }
        } else if quirks.dirty_dependents == DependentsPolicy::MustRequest {
            // If a resend is expensive, only files that may have changed are sent again.
            if quirks.resend_params.is_empty() {
                let mut record = self.inner.lock();
                for path in &targets {
                    self.resend_text(&mut record, path);
                }
            }
            verdicts.extend(self.check_all(targets, until).await);
        } else if !is_alone && (!targets.is_empty() || quirks.publishes_closed) {
            self.wait_for_all_publishes(since, until).await;
        }
        let record = self.inner.lock();
        // Its publishes name no version and may be about any text: only its responses count.
        let counts = pulls.is_empty() || quirks.pull != PullSupport::Tsserver;
        for (path, verdict) in record.verdicts_since(since).filter(|_| counts) {
            if verdicts.len() < MAX_REPORTED_FILES {
                verdicts.entry(path).or_insert(verdict);
            }
        }
        verdicts.into_iter().collect()
    }

    /// Waits while the server reads the project.
    async fn wait_for_gate(&self, until: Instant) {
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            let now = Instant::now();
            let gate = self.inner.lock().gate(now);
            match gate {
                ReadinessGate::Reading(_) if now < until => wait_for_tick(&mut ticks, None, until).await,
                ReadinessGate::Wait(at) if now < until => wait_for_tick(&mut ticks, at, until).await,
                _ => return,
            }
        }
    }

    /// Files that it has published for since `since`, and that it answers pulls for: the response is proof.
    fn published_paths(&self, since: EventMark, is_wanted: impl Fn(&PathBuf) -> bool) -> Vec<PathBuf> {
        let (record, quirks) = (self.inner.lock(), &self.inner.launch.quirks);
        let named = record.other_files_since(since).map(|(path, _)| path).filter(|path| is_wanted(path));
        let can_be = |path: &&PathBuf| quirks.pull_closed || record.documents.get(path).is_some();
        let asked = named.filter(can_be).filter(|path| !record.pull_options_for(path, quirks).is_empty());
        asked.take(MAX_CHECKED_FILES).cloned().collect()
    }

    /// Sends all requests before it waits for the first response.
    async fn check_all(&self, targets: Vec<PathBuf>, until: Instant) -> Vec<(PathBuf, Verdict)> {
        let steps: Vec<_> =
            targets.into_iter().map(|path| (self.next_step(&path, &mut None), path)).collect();
        let mut verdicts = Vec::new();
        for (step, path) in steps {
            let verdict = match step {
                CheckStep::Pull(pending) => self.receive_pull(pending, until).await,
                CheckStep::Done(verdict) => Some(verdict),
                CheckStep::Wait(..) => None,
            };
            let verdict = match verdict {
                Some(verdict) => verdict,
                None => self.wait_for_verdict(&path, until).await,
            };
            verdicts.push((path, verdict));
        }
        verdicts
    }

    /// Stores the results with the publishes. Each identifier gives a part, so all of them have to answer.
    async fn pull_workspace(&self, identifiers: BTreeSet<Option<&str>>, until: Instant) {
        let quirks = &self.inner.launch.quirks;
        let (ready, is_proof) = {
            let (record, now) = (self.inner.lock(), Instant::now());
            (record.reported_ready(quirks, now), record.has_read_disk(quirks, now))
        };
        let requests = identifiers.into_iter().map(|identifier| {
            let mut params = json!({ "previousResultIds": [] });
            if let (Some(identifier), Some(params)) = (identifier, params.as_object_mut()) {
                params.insert("identifier".to_owned(), Value::from(identifier));
            }
            self.peer.request("workspace/diagnostic", &params)
        });
        let mut reports: BTreeMap<PathBuf, DiagnosticSet> = BTreeMap::new();
        for response in requests.collect::<Vec<_>>() {
            let Ok(Ok(response)) = timeout_at(until, response).await else { return };
            for (uri, set) in parse::parse_workspace(&response).unwrap_or_default() {
                let Some(path) = uri::to_path(&uri) else { continue };
                let known = reports.entry(path).or_default();
                known.diagnostics.extend(set.diagnostics);
                known.omitted += set.omitted;
            }
        }
        self.inner.change(|record| {
            let now = Instant::now();
            if record.judge_pull(ready, quirks, now) == PullJudgement::Accept {
                for (path, set) in reports {
                    record.record_pull(path, set, is_proof, quirks, now);
                }
            }
        });
    }

    /// Waits until no more publishes about the last change are to be expected.
    async fn wait_for_all_publishes(&self, since: EventMark, until: Instant) {
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            let settled_at = {
                let record = self.inner.lock();
                let last_change = record.documents.all().filter_map(|(_, document)| Some(document.edited?.0));
                let last_change = last_change.chain(record.disk_changed).chain(record.last_save).max();
                let last_publish = record
                    .published
                    .published_since(since.0)
                    .map(|(_, published)| published.record.received_at)
                    .max();
                let (expected, together) = self.expected_publishes(&record, since);
                (last_change.map(|change| change + expected))
                    .max(last_publish.map(|publish| publish + together))
            };
            match settled_at {
                Some(settled_at) if settled_at > Instant::now() && Instant::now() < until => {
                    wait_for_tick(&mut ticks, Some(settled_at), until).await;
                }
                _ => return,
            }
        }
    }
}

impl LanguageServer {
    /// How long after a change, and after its last publish, the server may still publish the effects of the change on
    /// other files. It publishes for closed files together with the second, complete publish for the file itself, and
    /// does not send that if it equals the first.
    fn expected_publishes(&self, record: &ServerRecord, since: EventMark) -> (Duration, Duration) {
        let quirks = &self.inner.launch.quirks;
        let longest = record.timings.longest_delay().unwrap_or_default();
        let closed = Duration::from_millis(quirks.publish_delay_ms.max(quirks.republish_ms).min(10_000));
        let is_whole = quirks.partial_first && self.has_published(record, since, 2);
        if self.has_published_all(record, since) {
            return (Duration::ZERO, PUBLISH_ALL_TIME);
        }
        let expected = match quirks.publishes_closed {
            false => longest,
            // The files known to be affected are pulled. The others are not worth the full time.
            true if record.can_pull_others(quirks) => closed,
            true if is_whole => longest,
            true => longest.max(closed),
        };
        (expected, OTHER_FILES_GAP)
    }
}

impl LanguageServer {
    /// Whether it has published for all changes: a server that answers pulls publishes for all files in one go,
    /// including those with a version.
    fn has_published_all(&self, record: &ServerRecord, since: EventMark) -> bool {
        let quirks = &self.inner.launch.quirks;
        let edited = record.changed_since(since).filter_map(|(_, document)| Some(document.edited?.0)).max();
        let last_publish =
            record.published.published_since(0).map(|(_, published)| published.record.received_at).max();
        quirks.publishes_closed
            && record.can_pull_others(quirks)
            && record.disk_changed <= edited.max(last_publish)
            && self.has_published(record, since, 1)
    }

    /// Whether the server has published the current version of each text that changed since `since` at least `count`
    /// times.
    fn has_published(&self, record: &ServerRecord, since: EventMark, count: u32) -> bool {
        record.changed_since(since).all(|(path, document)| {
            let publish = record.published.get(path).map(|file| file.record);
            publish.is_some_and(|publish| publish.version == Some(document.version) && publish.count >= count)
        })
    }
}

impl ServerRecord {
    fn changed_since(&self, since: EventMark) -> impl Iterator<Item = (&PathBuf, &ServerDocument)> {
        self.documents.all().filter(move |(_, document)| document.edited.is_some_and(|at| at.1 > since.0))
    }

    fn verdicts_since(&self, since: EventMark) -> impl Iterator<Item = (PathBuf, Verdict)> {
        self.other_files_since(since).map(|(path, published)| {
            let all = self.published_diagnostics(path);
            let is_proof = published.origin == ReportOrigin::Pull { is_proof: true };
            (path.clone(), if is_proof { Verdict::Proven(all) } else { Verdict::Likely(all) })
        })
    }

    pub(super) fn other_files_since(
        &self,
        since: EventMark,
    ) -> impl Iterator<Item = (&PathBuf, &PublishedFile)> {
        let is_other = move |path: &PathBuf| {
            let document = self.documents.get(path);
            document.and_then(|document| document.edited).is_none_or(|edited| edited.1 <= since.0)
        };
        self.published.published_since(since.0).filter(move |(path, _)| is_other(path))
    }
}
