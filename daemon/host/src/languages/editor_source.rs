//! The language servers of the person's own editor, as a source.
//!
//! Of a text the client is asked that has it open, then the one that prompted last, then those that work in a folder around it: a prompt
//! may come from a terminal, beside the editor that serves the project. Each is asked of what it has open for the version that it has, and
//! of other files as they are on the disk. Of what nobody's servers serve there is no report, so that others are asked. A text that is
//! another one in the editor by now is not asked about: what would be said of it is not about the subject. A client that once did not
//! answer is not waited for until it does again, and a bystander that never said that it has servers, or does not answer, is passed over.
//!
//! Files that name a changed one are asked about, too (`closed_dependents.rs`): servers say little of what is not open. Of other files only what is
//! other than it was is told: that is what a change may have done to them.

mod closed_dependents;
mod compiler_diagnostics;
mod editors_with_servers;
mod previous_reports;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use copydesk_protocol::editor::{
    self as wire, AnswerState, DiagnosticsParams, DiagnosticsResult, FileDiagnostics, ProofLevel,
};
use copydesk_protocol::position;
use copydesk_servers::{
    CheckFuture, CheckedDocument, Diagnostic, DiagnosticSpan, DiagnosticsReport, DiagnosticsSource,
    DocumentProvider, ServesFuture, Severity, Verdict,
};
use copydesk_text::Position;
use copydesk_workspace::buffers::{ClientId, EditorError};
use copydesk_workspace::files::WorkspaceFiles;
use futures_util::future::join_all;
use tokio::time::Instant;
use url::Url;

use crate::editors::{AttachedEditor, AttachedEditors};
use crate::time_limits::{OTHER_FILES_TIMEOUT, READY_TIMEOUT, RESPONSE_LATENCY, SHORT_TIMEOUT};
use closed_dependents::ClosedDependents;
use compiler_diagnostics::CompilerDiagnostics;
use editors_with_servers::EditorsWithServers;
use previous_reports::PreviousReports;

/// What is told of files that nobody asked about, at most.
const MOST_OTHERS: usize = 100;

pub(super) struct EditorSource {
    editors: AttachedEditors,
    files: WorkspaceFiles,
    linked: ClosedDependents,
    compiled: CompilerDiagnostics,
    /// What each said.
    previous_reports: Mutex<HashMap<ClientId, Arc<PreviousReports>>>,
    /// They did not answer the last time.
    unresponsive: Mutex<BTreeSet<ClientId>>,
    servings: EditorsWithServers,
}

impl EditorSource {
    pub(super) fn new(
        editors: AttachedEditors,
        files: WorkspaceFiles,
        texts: Arc<dyn DocumentProvider>,
    ) -> Self {
        let linked = ClosedDependents::new(texts, files.root());
        let (compiled, others, silent, servings) = Default::default();
        Self { editors, files, linked, compiled, previous_reports: others, unresponsive: silent, servings }
    }

    /// `ready` is how long servers are waited for that are not ready.
    async fn all(
        &self,
        subjects: &[CheckedDocument],
        until: Instant,
        ready: Option<Duration>,
    ) -> Vec<DiagnosticsReport> {
        let asking = |(client, editor)| EditorQuery { source: self, client, editor, until, ready };
        self.forget_detached();
        let bystanders = self.bystanders(subjects, until).await;
        let of = async |subject: &CheckedDocument| {
            for candidate in self.candidates(&subject.path, &bystanders) {
                let client = candidate.0;
                if let Some(reports) = asking(candidate).check_document(subject).await {
                    return Some((client, reports));
                }
            }
            None
        };
        let held = self.files.buffers().documents(self.files.home_client()).into_keys().collect();
        let looking = self.linked.find_dependents(subjects, &held, until);
        let (answers, (linked, beyond)) = tokio::join!(join_all(subjects.iter().map(of)), looking);
        let mut answers: Vec<_> = answers.into_iter().flatten().collect();
        // Whoever serves a file serves those that name it; when it has spoken of the one it knows what was changed.
        if !answers.is_empty() {
            let asked = join_all(linked.iter().map(of)).await.into_iter().flatten();
            let known = asked.map(|(client, reports)| (client, self.linked.filter_known(reports)));
            answers.extend(known.filter(|(_, reports)| !reports.is_empty()));
        }
        let is_known = |report: &DiagnosticsReport| report.verdict.diagnostics().is_some();
        let speaker = answers.iter().find(|(_, reports)| reports.iter().any(is_known));
        let speaker = speaker.and_then(|(client, _)| self.editors.get(*client));
        let mut unasked: BTreeSet<_> = beyond.into_iter().filter(|_| speaker.is_some()).collect();
        let asked_about: BTreeSet<_> =
            subjects.iter().chain(&linked).map(|subject| subject.path.clone()).collect();
        // Who serves none of them has nothing to say of the others.
        let clients: BTreeSet<_> = answers.iter().map(|(client, _)| *client).collect();
        let mut reports: Vec<_> = answers.into_iter().flat_map(|(_, reports)| reports).collect();
        for client in clients {
            let Some(editor) = self.editors.get(client) else { continue };
            let asked = asking((client, editor));
            if let Some((others, is_cut)) = asked.other_reports(&asked_about).await {
                for known in others.iter().filter(|report| is_known(report)) {
                    unasked.remove(&known.path);
                }
                let mentioned = asked_about.union(&unasked).cloned().collect();
                reports.extend(self.previous_reports_of(client).changed(others, is_cut, &mentioned));
            }
        }
        if let Some(speaker) = speaker {
            let name = source_name(&*speaker);
            reports.extend(
                unasked
                    .into_iter()
                    .map(|path| DiagnosticsReport::new(path, name.clone(), Verdict::beyond_limit())),
            );
        }
        reports
    }

    /// Who is asked of a file, one after the other.
    fn candidates(
        &self,
        path: &Path,
        bystanders: &BTreeSet<ClientId>,
    ) -> impl Iterator<Item = (ClientId, Arc<dyn AttachedEditor>)> + use<> {
        let home = self.files.home_client();
        let open = self.files.buffers().find(path, home).and_then(Result::ok).map(|open| open.client);
        let near = self.editors.near_folder(path).into_iter().map(|(client, _)| client);
        let near: Vec<_> = near.filter(|client| bystanders.contains(client)).collect();
        let (editors, mut seen) = (self.editors.clone(), BTreeSet::new());
        let all = [open, home].into_iter().flatten().chain(near).filter(move |client| seen.insert(*client));
        all.filter_map(move |client| Some((client, editors.get(client)?)))
    }

    /// Those beside the one that prompted which work near these and have servers.
    async fn bystanders(&self, subjects: &[CheckedDocument], until: Instant) -> BTreeSet<ClientId> {
        let near = subjects.iter().flat_map(|subject| self.editors.near_folder(&subject.path));
        let mut near: HashMap<_, _> = near.collect();
        self.files.home_client().map(|home| near.remove(&home));
        let until = until.min(Instant::now() + SHORT_TIMEOUT);
        let asked = near.into_iter().map(async |(client, editor)| {
            let is_serving = self.servings.is_serving(client, editor, until).await;
            is_serving.then_some(client)
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Whether any of them has a server for this file, or may have.
    pub(super) async fn is_serving(&self, path: &Path) -> bool {
        let Ok(uri) = Url::from_file_path(path) else { return false };
        let subject = CheckedDocument { path: path.to_owned(), text: Arc::default(), is_saved: true };
        let bystanders = self.bystanders(&[subject], Instant::now() + SHORT_TIMEOUT).await;
        for (_, editor) in self.candidates(path, &bystanders) {
            let soon = u32::try_from(READY_TIMEOUT.as_millis()).ok();
            let params =
                DiagnosticsParams { uri: Some(uri.to_string()), wait: soon, ..DiagnosticsParams::default() };
            let is_serving = match tokio::time::timeout(
                READY_TIMEOUT + RESPONSE_LATENCY,
                editor.diagnostics(params),
            )
            .await
            {
                Ok(Ok(result)) => result.state != AnswerState::Unsupported,
                Ok(Err(_)) => false,
                // Who takes so long has something to look at.
                Err(_) => true,
            };
            if is_serving {
                return true;
            }
        }
        false
    }

    fn previous_reports_of(&self, client: ClientId) -> Arc<PreviousReports> {
        let mut others = self.previous_reports.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(others.entry(client).or_default())
    }

    fn forget_detached(&self) {
        let is_here = |client: &ClientId| self.editors.get(*client).is_some();
        self.previous_reports
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|client, _| is_here(client));
        self.silent().retain(is_here);
        self.servings.retain_attached(&self.editors);
    }

    fn silent(&self) -> MutexGuard<'_, BTreeSet<ClientId>> {
        self.unresponsive.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DiagnosticsSource for EditorSource {
    fn serves(&self, until: Instant) -> ServesFuture<'_> {
        Box::pin(async move {
            let root = self.files.root();
            let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
            let home = self.files.home_client();
            if let Some(client) = home
                && let Some(editor) = self.editors.get(client)
                && self.servings.is_serving(client, editor, until).await
            {
                return true;
            }
            let mut near = self.editors.near_folder(&root);
            near.retain(|(client, _)| Some(*client) != home);
            let until = until.min(Instant::now() + SHORT_TIMEOUT);
            let asked =
                near.into_iter().map(|(client, editor)| self.servings.is_serving(client, editor, until));
            join_all(asked).await.contains(&true)
        })
    }

    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(self.all(subjects, until, Some(READY_TIMEOUT)))
    }

    fn check_when_ready<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(self.all(subjects, until, None))
    }
}

/// One round of questions.
struct EditorQuery<'a> {
    source: &'a EditorSource,
    client: ClientId,
    editor: Arc<dyn AttachedEditor>,
    until: Instant,
    /// How long servers are waited for that are not ready.
    ready: Option<Duration>,
}

impl EditorQuery<'_> {
    async fn check_document(&self, subject: &CheckedDocument) -> Option<Vec<DiagnosticsReport>> {
        let files = &self.source.files;
        let found = files.buffers().find(&subject.path, Some(self.client));
        let open = match found {
            Some(Ok(open)) if open.client == self.client => Some(open),
            Some(Err(_)) => {
                return Some(self.unknown_report(&subject.path, "the editor's text of it is not known"));
            }
            _ => None,
        };
        let is_same = open.as_ref().map_or(subject.is_saved, |open| open.document == *subject.text.as_str());
        if !is_same {
            // What another one has open is not this one's to speak of; nor is it the prompting one's, where that does not serve it.
            let is_home = files.home_client() == Some(self.client);
            if open.is_none() && (!is_home || self.has_no_server(&subject.path).await) {
                return None;
            }
            return Some(self.unknown_report(&subject.path, "its text is another one in the editor by now"));
        }
        let uri = match &open {
            Some(open) => open.uri.clone(),
            None => Url::from_file_path(&subject.path).ok()?.into(),
        };
        let version = open.as_ref().map(|open| open.version);
        let result = self.ask(Some(uri.clone()), version, self.until).await;
        let Some(result) = result else {
            return Some(self.unknown_report(&subject.path, "the editor did not answer in time"));
        };
        match result.state {
            AnswerState::Unsupported => {
                self.source.servings.mark_unsure(self.client);
                None
            }
            AnswerState::Starting => {
                Some(self.unknown_report(&subject.path, "the editor's language server is still starting"))
            }
            AnswerState::Cancelled => {
                Some(self.unknown_report(&subject.path, "the editor's language server was not done in time"))
            }
            AnswerState::Answered => {
                let file = result.files.into_iter().find(|file| file.uri == uri)?;
                // For a later text than was asked about.
                if version.is_some() && file.version != version {
                    return Some(self.unknown_report(&subject.path, "the person is typing in it"));
                }
                Some(self.reports(&subject.path, file))
            }
        }
    }

    /// It says that it has no server for a file.
    async fn has_no_server(&self, path: &Path) -> bool {
        let Ok(uri) = Url::from_file_path(path) else { return true };
        let until = self.until.min(Instant::now() + READY_TIMEOUT + RESPONSE_LATENCY);
        let result = self.ask(Some(uri.into()), None, until).await;
        result.is_some_and(|result| result.state == AnswerState::Unsupported)
    }

    /// What else it knows, and whether there would be more of it.
    async fn other_reports(&self, asked_about: &BTreeSet<PathBuf>) -> Option<(Vec<DiagnosticsReport>, bool)> {
        let until = self.until.min(Instant::now() + OTHER_FILES_TIMEOUT);
        let result = self.ask(None, None, until).await?;
        if result.state != AnswerState::Answered {
            return None;
        }
        let mut reports = Vec::new();
        let is_cut = result.files.len() > MOST_OTHERS;
        for file in result.files.into_iter().take(MOST_OTHERS) {
            let path = Url::parse(&file.uri).ok().and_then(|uri| uri.to_file_path().ok());
            let Some(path) = path else { continue };
            let path = path.canonicalize().unwrap_or(path);
            if !asked_about.contains(&path) {
                reports.extend(self.reports(&path, file));
            }
        }
        Some((reports, is_cut))
    }

    /// None where there is no answer by then.
    async fn ask(
        &self,
        uri: Option<String>,
        version: Option<i32>,
        until: Instant,
    ) -> Option<DiagnosticsResult> {
        let now = Instant::now();
        let was_silent = self.source.silent().contains(&self.client);
        let until = if was_silent { until.min(now + SHORT_TIMEOUT) } else { until };
        // It has to answer by then, and the answer has to arrive.
        let wait = until.checked_duration_since(now + RESPONSE_LATENCY)?;
        let millis = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let (wait, wait_ready) = (Some(millis(wait)), self.ready.map(millis));
        let answer = self.editor.diagnostics(DiagnosticsParams { uri, version, wait, wait_ready });
        let answer = tokio::time::timeout_at(until, answer).await;
        match answer {
            Ok(_) => _ = self.source.silent().remove(&self.client),
            Err(_) => {
                self.source.silent().insert(self.client);
                self.source.servings.mark_not_serving(self.client);
            }
        }
        match answer.ok()? {
            Ok(result) => Some(result),
            Err(EditorError::TimedOut) => None,
            // A client that does not know the question, such as a run in a terminal, has no servers.
            Err(EditorError::Declined(_) | EditorError::Disconnected) => {
                Some(DiagnosticsResult { state: AnswerState::Unsupported, files: Vec::new() })
            }
        }
    }

    /// What its servers say, and apart from that what compilers say through them.
    fn reports(&self, path: &Path, file: FileDiagnostics) -> Vec<DiagnosticsReport> {
        let items = file.items.into_iter().map(diagnostic).collect();
        let (proof, why) = (file.proof, file.why);
        let said = |items| match proof {
            ProofLevel::Proven => Verdict::Proven(items),
            ProofLevel::Likely => Verdict::Likely(items),
            ProofLevel::Unknown => Verdict::Unknown {
                why: why
                    .clone()
                    .unwrap_or_else(|| "what the editor knows may be about an older text".to_owned()),
            },
        };
        let (client, path_shown) = (self.editor.name(), path.display());
        tracing::debug!(client, file = %path_shown, version = file.version, ?proof, unseen = ?file.unseen, "an editor reports diagnostics");
        let (items, compiled) = self.source.compiled.split_off_compilers(path, items, &file.unseen, said);
        let own = DiagnosticsReport::new(path.to_owned(), self.source_name(), said(items));
        [own].into_iter().chain(compiled).collect()
    }

    fn unknown_report(&self, path: &Path, why: &str) -> Vec<DiagnosticsReport> {
        let said = Verdict::Unknown { why: why.to_owned() };
        vec![DiagnosticsReport::new(path.to_owned(), self.source_name(), said)]
    }

    fn source_name(&self) -> String {
        source_name(&*self.editor)
    }
}

fn source_name(editor: &dyn AttachedEditor) -> String {
    format!("{}'s language servers", editor.name())
}

fn diagnostic(item: wire::DiagnosticInfo) -> Diagnostic {
    let place = |place: position::WirePosition| Position::new(place.line, place.character);
    Diagnostic {
        span: DiagnosticSpan { start: place(item.range.start), end: place(item.range.end) },
        severity: match item.severity {
            wire::SeverityInfo::Error => Severity::Error,
            wire::SeverityInfo::Warning => Severity::Warning,
            wire::SeverityInfo::Information => Severity::Information,
            wire::SeverityInfo::Hint => Severity::Hint,
        },
        code: item.code.map(Into::into),
        source: item.source.map(Into::into),
        message: item.message.into(),
        related: Vec::new(),
    }
}
