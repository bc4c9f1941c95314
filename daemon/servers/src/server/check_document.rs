//! Waiting for what a server says of a text.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::clamp::LineLengths;
use super::freshness::Freshness;
use super::initialize::PullOptions;
use super::parse::PullResponse;
use super::record::{ReadinessGate, ServerRecord, split_save_diagnostics};
use super::{LanguageServer, parse, tsserver, uri};
use crate::diagnostic::Diagnostic;
use crate::quirks::{PullSupport, Quirks, ReadinessSignal};
use crate::report::Verdict;
use copydesk_rpc::peer::{PeerError, RpcResponseFuture};

/// Before a request that the server gave up itself is sent again.
const AGAIN: Duration = Duration::from_millis(30);
/// What a server was told of the disk it reads there itself, some time later.
const DISK: Duration = Duration::from_millis(300);
/// For so long after it was told of the disk, it is not proven that it has read it.
const DISK_UNSURE: Duration = Duration::from_secs(2);

const LATE: &str = "it did not answer in time";

/// What is to be done next.
pub(super) enum CheckStep {
    Done(Verdict),
    Pull(PendingPull),
    /// Until something happens, or this moment; and what is waited for.
    Wait(Option<Instant>, &'static str),
}

/// A question that was sent.
pub(super) struct PendingPull {
    /// All of them together say what is wrong.
    pub(super) responses: Vec<RpcResponseFuture>,
    /// The text that it is about. None for the disk's.
    text: Option<Arc<String>>,
    is_proof: bool,
    /// Since when it was ready, by its own words.
    ready: Option<Instant>,
}

impl LanguageServer {
    pub(super) async fn wait_for_verdict(&self, path: &Path, until: Instant) -> Verdict {
        let mut ticks = self.inner.ticks.subscribe();
        let mut version = None;
        loop {
            ticks.borrow_and_update();
            match self.next_step(path, &mut version) {
                CheckStep::Done(said) => return said,
                CheckStep::Pull(pulling) => {
                    if let Some(said) = self.receive_pull(pulling, until).await {
                        return said;
                    }
                }
                CheckStep::Wait(_, why) if Instant::now() >= until => return unknown_verdict(why),
                CheckStep::Wait(at, _) => wait_for_tick(&mut ticks, at, until).await,
            }
        }
    }

    /// Questions are sent while nothing else can be, so that the answer is for the text that is held at this moment.
    pub(super) fn next_step(&self, path: &Path, version: &mut Option<i32>) -> CheckStep {
        let (mut known, now) = (self.inner.lock(), Instant::now());
        let quirks = &self.inner.launch.quirks;
        let held = known.documents.get(path);
        let current = held.map(|held| held.version);
        let asked = *version.get_or_insert(current.unwrap_or_default());
        if let Some(held) = held.filter(|held| held.version != asked) {
            // Whoever asks about other files touches this one, too: its text is the same.
            if !held.has_same_text_as(asked) {
                return CheckStep::Done(unknown_verdict(
                    "the text was changed again before the answer had come",
                ));
            }
            *version = current;
        }
        let ready = match known.gate(now) {
            ReadinessGate::Open(ready) => ready,
            // Such a one answers when it has read the project.
            ReadinessGate::Wait(_) if quirks.pull == PullSupport::Tsserver && known.capabilities.tsserver => {
                now
            }
            ReadinessGate::Wait(at) => {
                return CheckStep::Wait(at, "it has not said in time whether it has read the project");
            }
            ReadinessGate::Shut(why) => return CheckStep::Done(Verdict::Unknown { why }),
        };
        if let Some(options) = known.pull_options_for(path, quirks) {
            if held.is_none() && !quirks.pull_closed {
                return CheckStep::Done(unknown_verdict("it does not hold the file open"));
            }
            if let Some(later) = known.disk_read(quirks).filter(|later| *later > now) {
                return CheckStep::Wait(Some(later), "files were changed on the disk just before");
            }
            return self.send_pull(&known, path, options, now);
        }
        let Some(held) = held else {
            return CheckStep::Done(unknown_verdict("it does not hold the file open"));
        };
        if quirks.pull == PullSupport::Only {
            return CheckStep::Wait(None, "it has not said in time that it can be asked");
        }
        match known.judge_publish(path, held, quirks, ready, now) {
            Freshness::Proven => CheckStep::Done(Verdict::Proven(known.published_diagnostics(path))),
            Freshness::Likely => CheckStep::Done(Verdict::Likely(known.published_diagnostics(path))),
            Freshness::Wait(at) => CheckStep::Wait(at, "it said nothing of this text in time"),
            Freshness::NeedsSave => CheckStep::Done(unknown_verdict(
                "it sees other files as they were saved, and one was changed since",
            )),
            Freshness::Resend => {
                let Some(touched) = self.resend_text(&mut known, path) else {
                    return CheckStep::Done(unknown_verdict("it does not look at the file again by itself"));
                };
                *version = Some(touched);
                CheckStep::Wait(Some(now), "it said nothing of this text in time")
            }
        }
    }

    /// The new version; none where it cannot be told once more.
    pub(super) fn resend_text(&self, known: &mut ServerRecord, path: &Path) -> Option<i32> {
        let quirks = &self.inner.launch.quirks;
        let more = quirks.change.iter().chain(&quirks.touch);
        let more = more.map(|(name, value)| (name.clone(), value.clone())).collect();
        let (method, params) =
            known.documents.resend_text(path, (known.capabilities.sync, &more), Instant::now())?;
        self.peer.notify(method, &params);
        known.documents.get(path).map(|held| held.version)
    }

    pub(super) fn send_pull(
        &self,
        known: &ServerRecord,
        path: &Path,
        options: &PullOptions,
        now: Instant,
    ) -> CheckStep {
        let held = known.documents.get(path);
        let Some(uri) = held.map(|held| held.uri.clone()).or_else(|| uri::from_path(path)) else {
            return CheckStep::Done(unknown_verdict("it has no address that a server could be asked by"));
        };
        let quirks = &self.inner.launch.quirks;
        let answers = if quirks.pull == PullSupport::Tsserver {
            let ask = |params| self.peer.request("workspace/executeCommand", &params);
            tsserver::request_params(path, &uri).map(ask).into()
        } else {
            let mut params = json!({ "textDocument": { "uri": uri } });
            if let (Some(identifier), Some(params)) = (&options.identifier, params.as_object_mut()) {
                params.insert("identifier".to_owned(), Value::from(identifier.as_str()));
            }
            vec![self.peer.request("textDocument/diagnostic", &params)]
        };
        let is_disk_read = known.disk_changed(quirks).is_none_or(|disk| disk + DISK_UNSURE <= now);
        CheckStep::Pull(PendingPull {
            responses: answers,
            text: held.map(|held| Arc::clone(&held.text)),
            is_proof: held.is_some() && is_disk_read,
            ready: known.said_ready(quirks, now),
        })
    }

    /// None where it has to be asked again.
    pub(super) async fn receive_pull(&self, pulling: PendingPull, until: Instant) -> Option<Verdict> {
        let PendingPull { responses: answers, text, is_proof, ready } = pulling;
        let mut came = Vec::new();
        for answer in answers {
            came.push(match self.answered(answer, until).await {
                Err(why) => return Some(Verdict::Unknown { why }),
                Ok(Err(PeerError::Rpc(error))) if error.is_retryable() => {
                    sleep_until(until.min(Instant::now() + AGAIN)).await;
                    return (Instant::now() >= until).then(|| unknown_verdict(LATE));
                }
                Ok(Err(error)) => return Some(Verdict::Unknown { why: error.to_string() }),
                Ok(Ok(answer)) => answer,
            });
        }
        let Some(report) = self.read(&came) else {
            return Some(unknown_verdict("its answer is no report of diagnostics"));
        };
        let quirks = &self.inner.launch.quirks;
        // What it said while it began to read the project anew means nothing.
        if self.is_reindexing_briefly() {
            return None;
        }
        {
            let (known, now) = (self.inner.lock(), Instant::now());
            if let ReadinessGate::Shut(why) = known.gate(now) {
                return Some(Verdict::Unknown { why });
            }
            // Nor what it said between, however short that was.
            if known.said_ready(quirks, now) != ready {
                return None;
            }
        }
        if !report.related.is_empty() {
            let related = report.related;
            self.inner.change(|known| {
                for (path, set) in
                    related.into_iter().filter_map(|(uri, set)| Some((uri::to_path(&uri)?, set)))
                {
                    known.record_pull(path, set, quirks, Instant::now());
                }
            });
        }
        let (_, mut diagnostics) = split_save_diagnostics(report.set.diagnostics, quirks);
        if let Some(text) = text {
            LineLengths::new(&text).clamp(&mut diagnostics);
        }
        Some(if is_proof { Verdict::Proven(diagnostics) } else { Verdict::Likely(diagnostics) })
    }

    /// Or why it is not waited for any longer: one that begins to read the project takes any time.
    async fn answered(
        &self,
        mut answer: RpcResponseFuture,
        until: Instant,
    ) -> Result<Result<Box<RawValue>, PeerError>, String> {
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            tokio::select! {
                biased;
                answer = &mut answer => return Ok(answer),
                () = wait_for_tick(&mut ticks, None, until) => {}
            }
            if let ReadinessGate::Shut(why) = self.inner.lock().gate(Instant::now()) {
                return Err(why);
            }
            if Instant::now() >= until {
                return Err(LATE.to_owned());
            }
        }
    }

    fn read(&self, answers: &[Box<RawValue>]) -> Option<PullResponse> {
        if self.inner.launch.quirks.pull != PullSupport::Tsserver {
            return parse::parse_pull(answers.first()?);
        }
        let (mut room, mut report) = (parse::MAX_READ, PullResponse::default());
        for answer in answers {
            let set = tsserver::parse_response(answer, &self.inner.launch.settings, &mut room)?;
            report.set.diagnostics.extend(set.diagnostics);
            report.set.omitted += set.omitted;
        }
        Some(report)
    }
}

impl ServerRecord {
    /// What was published last of a document that is held.
    pub(super) fn published_diagnostics(&self, path: &Path) -> Vec<Diagnostic> {
        self.clamp_diagnostics(path, self.published.get(path).map(|said| said.diagnostics.as_slice()))
    }

    pub(super) fn clamp_diagnostics(
        &self,
        path: &Path,
        diagnostics: Option<&[Diagnostic]>,
    ) -> Vec<Diagnostic> {
        let mut diagnostics = diagnostics.unwrap_or_default().to_vec();
        if let Some(held) = self.documents.get(path) {
            LineLengths::new(&held.text).clamp(&mut diagnostics);
        }
        diagnostics
    }

    /// Since when it is ready, where it says so itself. What it does besides, others tell as progress, with every answer.
    fn said_ready(&self, quirks: &Quirks, now: Instant) -> Option<Instant> {
        match self.gate(now) {
            ReadinessGate::Open(since) if quirks.ready == ReadinessSignal::ServerStatus => Some(since),
            _ => None,
        }
    }

    /// When something changed on the disk that it may not have read when it answers the next question.
    fn disk_changed(&self, quirks: &Quirks) -> Option<Instant> {
        let files = self.disk_changed.filter(|_| !quirks.disk_in_order);
        files.max(self.folders_changed.filter(|_| quirks.folders_ms > 0))
    }

    /// When it has read it, as far as it is known.
    fn disk_read(&self, quirks: &Quirks) -> Option<Instant> {
        let files = self.disk_changed.filter(|_| !quirks.disk_in_order).map(|disk| disk + DISK);
        let folders = self.folders_changed.filter(|_| quirks.folders_ms > 0);
        files.max(folders.map(|folders| folders + Duration::from_millis(quirks.folders_ms.min(10_000))))
    }
}

/// Until something happens, or the first of the two moments.
pub(super) async fn wait_for_tick(ticks: &mut watch::Receiver<u64>, at: Option<Instant>, until: Instant) {
    let moment = at.map_or(until, |at| at.min(until));
    tokio::select! {
        // The sender is the server's own, and lives as long as whoever waits here.
        _ = ticks.changed() => {}
        () = sleep_until(moment) => {}
    }
}

pub(super) fn unknown_verdict(why: &str) -> Verdict {
    Verdict::Unknown { why: why.to_owned() }
}
