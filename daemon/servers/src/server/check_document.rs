//! Waiting for what a server says of a text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::clamp::convert_positions;
use super::documents::ServerDocument;
use super::initialize::PullOptions;
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

    /// The verdict without waiting for messages: it waits only if the verdict is sure to be known at a certain moment. A pull is not sent.
    pub(super) async fn wait_for_settled(&self, path: &Path, until: Instant) -> Verdict {
        loop {
            let now = Instant::now();
            let decision = {
                let mut known = self.inner.lock();
                known.resolve_text(path, &self.inner.launch.quirks);
                known.judge(path, None, &self.inner.launch.quirks, now)
            };
            match decision.action {
                CheckAction::Conclude(said) => return said,
                CheckAction::Wait(Some(at)) if at <= until && at > now => sleep_until(at).await,
                _ => return unknown_verdict(decision.why),
            }
        }
    }

    /// Carries out what the judge wants next. Requests are sent while the record is locked, so that the answer is for the text that the
    /// server has at this moment.
    pub(super) fn next_step(&self, path: &Path, version: &mut Option<i32>) -> CheckStep {
        let (mut known, now) = (self.inner.lock(), Instant::now());
        let quirks = &self.inner.launch.quirks;
        known.resolve_text(path, quirks);
        let decision = known.judge(path, *version, quirks, now);
        *version = Some(decision.version);
        self.log_decision(path, &decision);
        match decision.action {
            CheckAction::Conclude(said) => CheckStep::Done(said),
            CheckAction::Wait(at) => CheckStep::Wait(at, decision.why),
            CheckAction::Pull => match known.pull_options_for(path, quirks) {
                Some(options) => self.send_pull(&known, path, options, now),
                // The judge wants a pull only where there are options.
                None => CheckStep::Wait(None, decision.why),
            },
            CheckAction::Resend => match self.resend_text(&mut known, path) {
                Some(resent) => {
                    *version = Some(resent);
                    CheckStep::Wait(Some(now), decision.why)
                }
                None => CheckStep::Done(unknown_verdict("it does not look at the file again by itself")),
            },
        }
    }

    /// Why a diagnostic was judged as it was: never a text, and waiting only at the finest level.
    fn log_decision(&self, path: &Path, decision: &CheckDecision) {
        let (server, file, version) = (self.name(), path.display(), decision.version);
        let (verdict, why) = (decision.action.name(), decision.why);
        match &decision.action {
            CheckAction::Wait(_) => tracing::trace!(server, %file, version, verdict, why, "judged"),
            CheckAction::Conclude(said) => {
                let count = said.diagnostics().map_or(0, <[Diagnostic]>::len);
                // The server's own words on what it is busy with say more.
                let why = if let Verdict::Unknown { why } = said { why.as_str() } else { why };
                tracing::debug!(server, %file, version, verdict, why, count, "judged");
            }
            CheckAction::Pull | CheckAction::Resend => {
                tracing::debug!(server, %file, version, verdict, why, "judged");
            }
        }
    }

    /// The new version; none where it cannot be told once more.
    pub(super) fn resend_text(&self, known: &mut ServerRecord, path: &Path) -> Option<i32> {
        let quirks = &self.inner.launch.quirks;
        let more = quirks.change.iter().chain(&quirks.touch);
        let more = more.map(|(name, value)| (name.clone(), value.clone())).collect();
        let (method, mut params) =
            known.documents.resend_text(path, (known.capabilities.sync, &more), Instant::now())?;
        let held = known.documents.get(path)?;
        expect_version(&mut params, held);
        self.peer.notify(method, &params);
        Some(held.version)
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
            let ask = |mut params| {
                held.iter().for_each(|held| expect_version(&mut params, held));
                self.peer.request("workspace/executeCommand", &params)
            };
            tsserver::request_params(path, &uri).map(ask).into()
        } else {
            let mut params = json!({ "textDocument": { "uri": uri } });
            if let (Some(identifier), Some(params)) = (&options.identifier, params.as_object_mut()) {
                params.insert("identifier".to_owned(), Value::from(identifier.as_str()));
            }
            held.iter().for_each(|held| expect_version(&mut params, held));
            vec![self.peer.request("textDocument/diagnostic", &params)]
        };
        CheckStep::Pull(PendingPull {
            responses: answers,
            text: held.filter(|held| held.has_text()).map(|held| Arc::clone(&held.text)),
            is_proof: known.is_pull_proof(path, quirks, now),
            ready: known.said_ready(quirks, now),
            path: path.to_owned(),
            version: held.map(|held| held.version),
        })
    }

    /// None where it has to be asked again.
    pub(super) async fn receive_pull(&self, pulling: PendingPull, until: Instant) -> Option<Verdict> {
        let PendingPull { responses: answers, text, is_proof, ready, path, version } = pulling;
        let (server, file) = (self.name(), path.display());
        let mut came = Vec::new();
        for answer in answers {
            came.push(match self.answered(answer, until).await {
                Err(why) => return Some(Verdict::Unknown { why }),
                Ok(Err(PeerError::Rpc(error))) if error.is_retryable() => {
                    sleep_until(until.min(Instant::now() + PULL_RETRY_PAUSE)).await;
                    return (Instant::now() >= until).then(|| unknown_verdict(LATE));
                }
                Ok(Err(error)) => {
                    let is_published = self.inner.lock().refuse_pull(&path, version);
                    return (!is_published).then(|| Verdict::Unknown { why: error.to_string() });
                }
                Ok(Ok(answer)) => answer,
            });
        }
        let Some(report) = self.read(&came) else {
            return Some(unknown_verdict("its answer is no report of diagnostics"));
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
            convert_positions(&text, self.inner.lock().encoding, &mut diagnostics);
        }
        let verdict = if is_proof { "proven" } else { "likely" };
        let why = if is_proof { "it was asked for this text" } else { "it may not have read the disk yet" };
        tracing::debug!(server, %file, version, verdict, why, count = diagnostics.len(), "judged");
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
        if let Some(held) = self.documents.get(path).filter(|held| held.has_text()) {
            convert_positions(&held.text, self.encoding, &mut diagnostics);
        }
        diagnostics
    }

    /// The server answers pulls of this version with an error. Tells whether it has published for the file instead.
    fn refuse_pull(&mut self, path: &Path, version: Option<i32>) -> bool {
        let is_published = self.published.get(path).is_some_and(|said| !said.is_pull);
        if let Some(held) = self.documents.get_mut(path).filter(|_| is_published) {
            held.pull_refused = version;
        }
        is_published
    }
}

/// Names the text that a message to an editor's server is about, for the editor: it sends the message only while that is the text.
fn expect_version(params: &mut Value, held: &ServerDocument) {
    if let (Some(observed), Some(params)) = (held.observed, params.as_object_mut()) {
        let expected = json!({ "uri": held.uri, "version": observed.version });
        params.insert(EXPECTED_DOCUMENT.to_owned(), expected);
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
