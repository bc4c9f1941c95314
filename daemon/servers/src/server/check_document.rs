//! Waits for a server's verdict on a text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::clamp::convert_positions;
use super::documents::ServerDocument;
use super::judge::{CheckAction, CheckDecision, PullJudgement};
use super::observed::EXPECTED_DOCUMENT;
use super::parse::PullResponse;
use super::record::{ReadinessGate, ServerRecord, split_save_diagnostics};
use super::{LanguageServer, parse, tsserver, uri};
use crate::diagnostic::Diagnostic;
use crate::quirks::PullSupport;
use crate::report::Verdict;
use crate::time_limits::PULL_RETRY_PAUSE;
use copydesk_rpc::peer::{PeerError, RpcResponseFuture};

const TIMED_OUT: &str = "it did not answer in time";

pub(super) enum CheckStep {
    Done(Verdict),
    Pull(PendingPull),
    /// Until an event or this moment; with the reason.
    Wait(Option<Instant>, &'static str),
}

/// A pull that was sent.
pub(super) struct PendingPull {
    /// Together they are the diagnostics.
    pub(super) responses: Vec<RpcResponseFuture>,
    /// The text that it is about; `None` for a closed file, or if an editor's text is still on its way.
    text: Option<Arc<String>>,
    is_proof: bool,
    /// `reported_ready` when the pull was sent.
    ready: Option<Instant>,
    path: PathBuf,
    version: Option<i32>,
}

impl LanguageServer {
    pub(super) async fn wait_for_verdict(&self, path: &Path, until: Instant) -> Verdict {
        let mut ticks = self.inner.ticks.subscribe();
        let mut version = None;
        loop {
            ticks.borrow_and_update();
            match self.next_step(path, &mut version) {
                CheckStep::Done(verdict) => return verdict,
                CheckStep::Pull(pending) => {
                    if let Some(verdict) = self.receive_pull(pending, until).await {
                        return verdict;
                    }
                }
                CheckStep::Wait(_, why) if Instant::now() >= until => return self.describe_wait(why),
                CheckStep::Wait(at, _) => wait_for_tick(&mut ticks, at, until).await,
            }
        }
    }

    /// The verdict without waiting for messages: waits only for a moment at which the verdict is sure to be known.
    /// Sends no pull.
    pub(super) async fn wait_for_settled(&self, path: &Path, until: Instant) -> Verdict {
        loop {
            let now = Instant::now();
            let decision = {
                let mut record = self.inner.lock();
                record.resolve_text(path, &self.inner.launch.quirks);
                record.judge(path, None, &self.inner.launch.quirks, now)
            };
            match decision.action {
                CheckAction::Conclude(verdict) => return verdict,
                CheckAction::Wait(Some(at)) if at <= until && at > now => sleep_until(at).await,
                _ => return self.describe_wait(decision.why),
            }
        }
    }

    /// The verdict if the time is up. While the server reads the project, its own words say more than `why`.
    fn describe_wait(&self, why: &str) -> Verdict {
        match self.inner.lock().gate(Instant::now()) {
            ReadinessGate::Reading(why) => Verdict::Unknown { why },
            _ => unknown_verdict(why),
        }
    }

    /// Carries out the judge's next action. Sends requests while the record is locked, so that the response is for the
    /// text that the server has at this moment.
    pub(super) fn next_step(&self, path: &Path, version: &mut Option<i32>) -> CheckStep {
        let (mut record, now) = (self.inner.lock(), Instant::now());
        let quirks = &self.inner.launch.quirks;
        record.resolve_text(path, quirks);
        let decision = record.judge(path, *version, quirks, now);
        *version = Some(decision.version);
        self.log_decision(path, &decision);
        match decision.action {
            CheckAction::Conclude(verdict) => CheckStep::Done(verdict),
            CheckAction::Wait(at) => CheckStep::Wait(at, decision.why),
            CheckAction::Pull => self.send_pull(&record, path, now),
            CheckAction::Resend => match self.resend_text(&mut record, path) {
                Some(resent) => {
                    *version = Some(resent);
                    CheckStep::Wait(Some(now), decision.why)
                }
                None => CheckStep::Done(unknown_verdict("it does not look at the file again by itself")),
            },
        }
    }

    /// Logs why a verdict was reached: never a text, and waits only at the finest level.
    fn log_decision(&self, path: &Path, decision: &CheckDecision) {
        let (server, file, version) = (self.name(), path.display(), decision.version);
        let (verdict, why) = (decision.action.name(), decision.why);
        match &decision.action {
            CheckAction::Wait(_) => tracing::trace!(server, %file, version, verdict, why, "judged"),
            CheckAction::Conclude(concluded) => {
                let count = concluded.diagnostics().map_or(0, <[Diagnostic]>::len);
                // The server's own message about its work says more.
                let why = if let Verdict::Unknown { why } = concluded { why.as_str() } else { why };
                tracing::debug!(server, %file, version, verdict, why, count, "judged");
            }
            CheckAction::Pull | CheckAction::Resend => {
                tracing::debug!(server, %file, version, verdict, why, "judged");
            }
        }
    }

    /// Returns the new version; `None` if the text cannot be sent once more.
    pub(super) fn resend_text(&self, record: &mut ServerRecord, path: &Path) -> Option<i32> {
        let quirks = &self.inner.launch.quirks;
        let extra = quirks.change.iter().chain(&quirks.resend_params);
        let extra = extra.map(|(name, value)| (name.clone(), value.clone())).collect();
        let (method, mut params) =
            record.documents.resend_text(path, (record.capabilities.sync, &extra), Instant::now())?;
        let document = record.documents.get(path)?;
        expect_version(&mut params, document);
        self.peer.notify(method, &params);
        Some(document.version)
    }

    pub(super) fn send_pull(&self, record: &ServerRecord, path: &Path, now: Instant) -> CheckStep {
        let document = record.documents.get(path);
        let Some(uri) = document.map(|document| document.uri.clone()).or_else(|| uri::from_path(path)) else {
            return CheckStep::Done(unknown_verdict("it has no address that a server could be asked by"));
        };
        let quirks = &self.inner.launch.quirks;
        let send = |method, mut params| {
            document.iter().for_each(|document| expect_version(&mut params, document));
            self.peer.request(method, &params)
        };
        let responses = if quirks.pull == PullSupport::Tsserver {
            tsserver::request_params(path, &uri).map(|params| send("workspace/executeCommand", params)).into()
        } else {
            let options = record.pull_options_for(path, quirks);
            let params = options.iter().map(|options| pull_params(&uri, options.identifier.as_deref()));
            params.map(|params| send("textDocument/diagnostic", params)).collect()
        };
        CheckStep::Pull(PendingPull {
            responses,
            text: document.filter(|document| document.has_text()).map(|document| Arc::clone(&document.text)),
            is_proof: record.is_pull_proof(path, quirks, now),
            ready: record.reported_ready(quirks, now),
            path: path.to_owned(),
            version: document.map(|document| document.version),
        })
    }

    /// `None` if the caller has to ask again.
    pub(super) async fn receive_pull(&self, pending: PendingPull, until: Instant) -> Option<Verdict> {
        let PendingPull { responses, text, is_proof, ready, path, version } = pending;
        let (server, file) = (self.name(), path.display());
        let mut received = Vec::new();
        for response in responses {
            received.push(match self.wait_for_response(response, until).await {
                Err(why) => return Some(Verdict::Unknown { why }),
                Ok(Err(PeerError::Rpc(error))) if error.is_retryable() => {
                    sleep_until(until.min(Instant::now() + PULL_RETRY_PAUSE)).await;
                    return (Instant::now() >= until).then(|| unknown_verdict(TIMED_OUT));
                }
                Ok(Err(error)) => {
                    let is_published = self.inner.lock().refuse_pull(&path, version);
                    return (!is_published).then(|| Verdict::Unknown { why: error.to_string() });
                }
                Ok(Ok(response)) => response,
            });
        }
        let Some(report) = self.parse_responses(&received) else {
            return Some(unknown_verdict("its answer is not a diagnostic report"));
        };
        let quirks = &self.inner.launch.quirks;
        match self.inner.lock().judge_pull(ready, quirks, Instant::now()) {
            PullJudgement::Accept => {}
            PullJudgement::AskAgain => {
                tracing::debug!(server, %file, version, "asks again: it looked at the project meanwhile");
                return None;
            }
            PullJudgement::Shut(why) => return Some(Verdict::Unknown { why }),
        }
        if !report.related.is_empty() {
            let related = report.related;
            self.inner.change(|record| {
                for (path, set) in
                    related.into_iter().filter_map(|(uri, set)| Some((uri::to_path(&uri)?, set)))
                {
                    record.record_pull(path, set, is_proof, quirks, Instant::now());
                }
            });
        }
        let (_, mut diagnostics) = split_save_diagnostics(report.set.diagnostics, quirks);
        if let Some(text) = text {
            convert_positions(&text, self.inner.lock().encoding, &mut diagnostics);
        }
        let verdict = if is_proof { "proven" } else { "likely" };
        let why = if is_proof { "it was asked for this text" } else { "it may not have read the disk yet" };
        tracing::debug!(server, %file, version, verdict, why, count = diagnostics.len(), "judged");
        Some(if is_proof { Verdict::Proven(diagnostics) } else { Verdict::Likely(diagnostics) })
    }

    /// Waits for a response. `Err` says why the wait ended.
    async fn wait_for_response(
        &self,
        mut response: RpcResponseFuture,
        until: Instant,
    ) -> Result<Result<Box<RawValue>, PeerError>, String> {
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            tokio::select! {
                biased;
                response = &mut response => return Ok(response),
                () = wait_for_tick(&mut ticks, None, until) => {}
            }
            match self.inner.lock().gate(Instant::now()) {
                ReadinessGate::Shut(why) => return Err(why),
                ReadinessGate::Reading(why) if Instant::now() >= until => return Err(why),
                _ if Instant::now() >= until => return Err(TIMED_OUT.to_owned()),
                _ => {}
            }
        }
    }

    fn parse_responses(&self, responses: &[Box<RawValue>]) -> Option<PullResponse> {
        let launch = &self.inner.launch;
        let (mut room, mut report) = (parse::MAX_READ, PullResponse::default());
        for response in responses {
            let part = if launch.quirks.pull == PullSupport::Tsserver {
                let set = tsserver::parse_response(response, &launch.settings, &mut room)?;
                PullResponse { set, related: Vec::new() }
            } else {
                parse::parse_pull(response)?
            };
            report.set.diagnostics.extend(part.set.diagnostics);
            report.set.omitted += part.set.omitted;
            report.related.extend(part.related);
        }
        Some(report)
    }
}

impl ServerRecord {
    /// The last stored diagnostics of a file, clamped to its text.
    pub(super) fn published_diagnostics(&self, path: &Path) -> Vec<Diagnostic> {
        self.clamp_diagnostics(
            path,
            self.published.get(path).map(|published| published.diagnostics.as_slice()),
        )
    }

    pub(super) fn clamp_diagnostics(
        &self,
        path: &Path,
        diagnostics: Option<&[Diagnostic]>,
    ) -> Vec<Diagnostic> {
        let mut diagnostics = diagnostics.unwrap_or_default().to_vec();
        if let Some(document) = self.documents.get(path).filter(|document| document.has_text()) {
            convert_positions(&document.text, self.encoding, &mut diagnostics);
        }
        diagnostics
    }

    /// The server rejects pulls of this version. Returns whether it has published for the file instead.
    fn refuse_pull(&mut self, path: &Path, version: Option<i32>) -> bool {
        let is_published = self.published.get(path).is_some_and(|published| !published.is_pull());
        if let Some(document) = self.documents.get_mut(path).filter(|_| is_published) {
            document.pull_refused = version;
        }
        is_published
    }
}

fn pull_params(uri: &str, identifier: Option<&str>) -> Value {
    let mut params = json!({ "textDocument": { "uri": uri } });
    if let (Some(identifier), Some(params)) = (identifier, params.as_object_mut()) {
        params.insert("identifier".to_owned(), Value::from(identifier));
    }
    params
}

/// Names the text that a message to an editor's server is about. The editor sends the message only while the server has
/// that text.
fn expect_version(params: &mut Value, document: &ServerDocument) {
    if let (Some(observed), Some(params)) = (document.observed, params.as_object_mut()) {
        let expected = json!({ "uri": document.uri, "version": observed.number });
        params.insert(EXPECTED_DOCUMENT.to_owned(), expected);
    }
}

/// Waits for an event, or the earlier of the two moments.
pub(super) async fn wait_for_tick(ticks: &mut watch::Receiver<u64>, at: Option<Instant>, until: Instant) {
    let moment = at.map_or(until, |at| at.min(until));
    tokio::select! {
        // The sender lives in the server, so it outlives the wait.
        _ = ticks.changed() => {}
        () = sleep_until(moment) => {}
    }
}

pub(super) fn unknown_verdict(why: &str) -> Verdict {
    Verdict::Unknown { why: why.to_owned() }
}
