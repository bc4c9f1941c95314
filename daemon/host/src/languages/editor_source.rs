//! Diagnostics from the language servers of attached editors.
//!
//! For each file the source tries clients in order: the one that has the file open, the one that prompted last, then those that work in a
//! folder around it (a prompt may come from a terminal, while an editor serves the project). A client answers for the version that it has
//! open, and for other files as they are on the disk. If no client's servers serve a file, the source sends no report, so that other
//! sources are asked. If the editor's text differs from the checked one, the source does not ask: the answer would be about another text.
//! After a timeout a client gets only a short wait until it answers again. A bystander that never reported servers, or does not answer, is
//! skipped.
//!
//! The source also checks files that name a changed one (`closed_dependents.rs`), because servers report little for closed files. For all
//! other files it reports only what differs from the client's last report: that is what the change may have caused.

mod closed_dependents;
mod code_leases;
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
use copydesk_servers::diagnostic::RelatedInformation;
use copydesk_servers::known_servers::{configured_languages, language_of};
use copydesk_servers::pool::drop_echoes;
use copydesk_servers::{
    AffectedFiles, AffectedFilesFuture, CheckFuture, CheckedDocument, Diagnostic, DiagnosticSpan,
    DiagnosticsReport, DiagnosticsSource, DocumentProvider, ServesFuture, Severity, Verdict,
};
use copydesk_text::Position;
use copydesk_workspace::buffers::{ClientId, EditorError, is_deleted};
use copydesk_workspace::files::WorkspaceFiles;
use futures_util::future::join_all;
use tokio::time::Instant;
use url::Url;

use crate::editors::{AttachedEditor, AttachedEditors};
use crate::time_limits::{OTHER_FILES_TIMEOUT, READY_TIMEOUT, RESPONSE_LATENCY, SHORT_TIMEOUT};
use crate::uri::path_of;
use closed_dependents::ClosedDependents;
use compiler_diagnostics::CompilerDiagnostics;
use editors_with_servers::EditorsWithServers;
use previous_reports::PreviousReports;

/// The cap on files beyond the checked ones in one report.
const MAX_OTHER_FILES: usize = 100;

pub(super) struct EditorSource {
    editors: AttachedEditors,
    files: WorkspaceFiles,
    closed_dependents: ClosedDependents,
    compiler_diagnostics: CompilerDiagnostics,
    /// Each client's last reports on files beyond the checked ones.
    previous_reports: Mutex<HashMap<ClientId, Arc<PreviousReports>>>,
    /// Clients that did not answer the last request.
    unresponsive: Mutex<BTreeSet<ClientId>>,
    editors_with_servers: EditorsWithServers,
}

impl EditorSource {
    pub(super) fn new(
        editors: AttachedEditors,
        files: WorkspaceFiles,
        texts: Arc<dyn DocumentProvider>,
    ) -> Self {
        let closed_dependents = ClosedDependents::new(texts, files.root());
        let (compiler_diagnostics, previous_reports, unresponsive, editors_with_servers) = Default::default();
        Self {
            editors,
            files,
            closed_dependents,
            compiler_diagnostics,
            previous_reports,
            unresponsive,
            editors_with_servers,
        }
    }

    /// `ready` is how long to wait for servers that are not ready.
    async fn check_all(
        &self,
        subjects: &[CheckedDocument],
        until: Instant,
        ready: Option<Duration>,
    ) -> Vec<DiagnosticsReport> {
        let query = |(client, editor)| EditorQuery { source: self, client, editor, until, ready };
        self.forget_detached();
        let bystanders = self.bystanders(subjects, until).await;
        let check = async |subject: &CheckedDocument| {
            for candidate in self.candidates(&subject.path, &bystanders) {
                let client = candidate.0;
                if let Some(reports) = query(candidate).check_document(subject).await {
                    return Some((client, reports));
                }
            }
            None
        };
        let open_paths = self.files.buffers().documents(self.files.home_client()).into_keys().collect();
        let search = self.closed_dependents.find_dependents(subjects, &open_paths, until);
        let (answers, (dependents, beyond)) = tokio::join!(join_all(subjects.iter().map(check)), search);
        let mut answers: Vec<_> = answers.into_iter().flatten().collect();
        // A client that serves a file also serves its dependents. Once it has answered for the file, it knows the change.
        if !answers.is_empty() {
            let asked = join_all(dependents.iter().map(check)).await.into_iter().flatten();
            let known = asked.map(|(client, reports)| (client, self.closed_dependents.filter_known(reports)));
            answers.extend(known.filter(|(_, reports)| !reports.is_empty()));
        }
        let is_known = |report: &DiagnosticsReport| report.verdict.diagnostics().is_some();
        let answering_editor = answers.iter().find(|(_, reports)| reports.iter().any(is_known));
        let answering_editor = answering_editor.and_then(|(client, _)| self.editors.get(*client));
        let mut unasked: BTreeSet<_> = beyond.into_iter().filter(|_| answering_editor.is_some()).collect();
        let checked_paths: BTreeSet<_> =
            subjects.iter().chain(&dependents).map(|subject| subject.path.clone()).collect();
        // A client that serves none of the checked files is not asked about others.
        let clients: BTreeSet<_> = answers.iter().map(|(client, _)| *client).collect();
        let mut reports: Vec<_> = answers.into_iter().flat_map(|(_, reports)| reports).collect();
        for client in clients {
            let Some(editor) = self.editors.get(client) else { continue };
            let query = query((client, editor));
            if let Some((others, is_cut)) = query.other_reports(&checked_paths).await {
                for report in others.iter().filter(|report| is_known(report)) {
                    unasked.remove(&report.path);
                }
                let mentioned = checked_paths.union(&unasked).cloned().collect();
                reports.extend(self.previous_reports_of(client).changed(others, is_cut, &mentioned));
            }
        }
        drop_echoes(&mut reports, |item| !item.related.is_empty());
        self.doubt_configured(&mut reports);
        if let Some(answering_editor) = answering_editor {
            let name = source_name(&*answering_editor);
            reports.extend(
                unasked
                    .into_iter()
                    .map(|path| DiagnosticsReport::new(path, name.clone(), Verdict::beyond_limit())),
            );
        }
        reports
    }

    /// The clients to ask about a file, in order.
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

    /// Clients other than the prompting one that work in a folder around these files and have servers.
    async fn bystanders(&self, subjects: &[CheckedDocument], until: Instant) -> BTreeSet<ClientId> {
        let near = subjects.iter().flat_map(|subject| self.editors.near_folder(&subject.path));
        let mut near: HashMap<_, _> = near.collect();
        self.files.home_client().map(|home| near.remove(&home));
        let until = until.min(Instant::now() + SHORT_TIMEOUT);
        let asked = near.into_iter().map(async |(client, editor)| {
            let is_serving = self.editors_with_servers.is_serving(client, editor, until).await;
            is_serving.then_some(client)
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Whether any client has a server for this file, or may have one.
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
                // An editor without a server for the file answers in time.
                Err(_) => true,
            };
            if is_serving {
                return true;
            }
        }
        false
    }

    /// A server reads its configuration from the disk. While the editor has another text of it, what the server says of the files
    /// that it configures is about the saved one.
    fn doubt_configured(&self, reports: &mut [DiagnosticsReport]) {
        let (buffers, home) = (self.files.buffers(), self.files.home_client());
        let open = buffers.documents(home).into_keys();
        let configurations = open.map(|path| (configured_languages(&path), path));
        let unsaved = configurations.filter(|(languages, path)| {
            !languages.is_empty() && buffers.differs_from_disk(home, path) && !is_deleted(path)
        });
        for (languages, path) in unsaved {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let why = format!("it is configured by {name}, which is not saved");
            let is_configured = |report: &&mut DiagnosticsReport| {
                language_of(&report.path, "").is_some_and(|language| languages.contains(language))
            };
            for report in reports.iter_mut().filter(is_configured) {
                report.verdict = Verdict::Unknown { why: why.clone() };
            }
        }
    }

    fn previous_reports_of(&self, client: ClientId) -> Arc<PreviousReports> {
        let mut clients = self.previous_reports.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(clients.entry(client).or_default())
    }

    fn forget_detached(&self) {
        let is_attached = |client: &ClientId| self.editors.get(*client).is_some();
        self.previous_reports
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|client, _| is_attached(client));
        self.lock_unresponsive().retain(is_attached);
        self.editors_with_servers.retain_attached(&self.editors);
    }

    fn lock_unresponsive(&self) -> MutexGuard<'_, BTreeSet<ClientId>> {
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
                && self.editors_with_servers.is_serving(client, editor, until).await
            {
                return true;
            }
            let mut near = self.editors.near_folder(&root);
            near.retain(|(client, _)| Some(*client) != home);
            let until = until.min(Instant::now() + SHORT_TIMEOUT);
            let asked = near
                .into_iter()
                .map(|(client, editor)| self.editors_with_servers.is_serving(client, editor, until));
            join_all(asked).await.contains(&true)
        })
    }

    fn affected_files<'a>(&'a self, changed: &'a [PathBuf], until: Instant) -> AffectedFilesFuture<'a> {
        Box::pin(async move {
            let home = self.files.home_client().and_then(|client| self.editors.get(client));
            let near =
                || self.editors.near_folder(self.files.root()).into_iter().map(|(_, editor)| editor).next();
            let Some(editor) = home.or_else(near) else { return AffectedFiles::default() };
            if !self.serves(until.min(Instant::now() + SHORT_TIMEOUT)).await {
                return AffectedFiles::default();
            }
            let name = source_name(&*editor);
            let open_paths = self.files.buffers().documents(self.files.home_client()).into_keys().collect();
            let found = self.closed_dependents.find_affected(changed, &open_paths, until).await;
            let beyond = |path| DiagnosticsReport::new(path, name.clone(), Verdict::beyond_limit());
            let mut unchecked: Vec<_> = found.beyond.into_iter().map(beyond).collect();
            let cause = changed.first().filter(|_| found.is_cut);
            unchecked.extend(cause.map(|path| DiagnosticsReport::unsearched(path, &name)));
            AffectedFiles { paths: found.paths, unchecked }
        })
    }

    fn check<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(self.check_all(subjects, until, Some(READY_TIMEOUT)))
    }

    fn check_when_ready<'a>(&'a self, subjects: &'a [CheckedDocument], until: Instant) -> CheckFuture<'a> {
        Box::pin(self.check_all(subjects, until, None))
    }
}

/// The requests of one check to one client.
struct EditorQuery<'a> {
    source: &'a EditorSource,
    client: ClientId,
    editor: Arc<dyn AttachedEditor>,
    until: Instant,
    /// How long to wait for servers that are not ready.
    ready: Option<Duration>,
}

impl EditorQuery<'_> {
    async fn check_document(&self, subject: &CheckedDocument) -> Option<Vec<DiagnosticsReport>> {
        let files = &self.source.files;
        let open = match files.buffers().find(&subject.path, Some(self.client)) {
            Some(Ok(open)) if open.client == self.client => Some(open),
            Some(Err(_)) => {
                return Some(self.unknown_report(&subject.path, "the editor's text of it is not known"));
            }
            _ => None,
        };
        if open.as_ref().is_some_and(|open| open.was_on_disk) && is_deleted(&subject.path) {
            // Its servers still have it. The compiler knows nothing of it.
            return Some(self.unknown_report(&subject.path, "it is not on the disk any more"));
        }
        let is_same = open.as_ref().map_or(subject.is_saved, |open| open.document == *subject.text.as_str());
        if !is_same {
            // Only the client that has a text open can answer for it. The prompting client still reports unknown if it serves the file.
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
                self.source.editors_with_servers.mark_unsure(self.client);
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
                // The answer is about another version than the one asked for.
                if version.is_some() && file.version != version {
                    return Some(self.unknown_report(&subject.path, "the user is typing in it"));
                }
                // A buffer that was read again from the disk may have the same version.
                let now = files.buffers().find(&subject.path, Some(self.client)).and_then(Result::ok);
                if now
                    .is_some_and(|now| Some(now.version) == version && now.document != *subject.text.as_str())
                {
                    return Some(
                        self.unknown_report(&subject.path, "its text is another one in the editor by now"),
                    );
                }
                Some(self.reports(&subject.path, file))
            }
        }
    }

    /// Whether the client answers that it has no server for a file.
    async fn has_no_server(&self, path: &Path) -> bool {
        let Ok(uri) = Url::from_file_path(path) else { return true };
        let until = self.until.min(Instant::now() + READY_TIMEOUT + RESPONSE_LATENCY);
        let result = self.ask(Some(uri.into()), None, until).await;
        result.is_some_and(|result| result.state == AnswerState::Unsupported)
    }

    /// The client's reports on other files, and whether the cap cut them off.
    async fn other_reports(
        &self,
        checked_paths: &BTreeSet<PathBuf>,
    ) -> Option<(Vec<DiagnosticsReport>, bool)> {
        let until = self.until.min(Instant::now() + OTHER_FILES_TIMEOUT);
        let result = self.ask(None, None, until).await?;
        if result.state != AnswerState::Answered {
            return None;
        }
        let mut reports = Vec::new();
        let is_cut = result.files.len() > MAX_OTHER_FILES;
        for file in result.files.into_iter().take(MAX_OTHER_FILES) {
            let path = Url::parse(&file.uri).ok().and_then(|uri| uri.to_file_path().ok());
            let Some(path) = path else { continue };
            // An editor may still have a buffer of a file that was deleted or moved. The compiler knows nothing of it.
            if is_deleted(&path) {
                continue;
            }
            let path = path.canonicalize().unwrap_or(path);
            if !checked_paths.contains(&path) {
                reports.extend(self.reports(&path, file));
            }
        }
        Some((reports, is_cut))
    }

    /// None if no answer arrives by then.
    async fn ask(
        &self,
        uri: Option<String>,
        version: Option<i32>,
        until: Instant,
    ) -> Option<DiagnosticsResult> {
        let now = Instant::now();
        let was_unresponsive = self.source.lock_unresponsive().contains(&self.client);
        let until = if was_unresponsive { until.min(now + SHORT_TIMEOUT) } else { until };
        // The response must also arrive by then.
        let wait = until.checked_duration_since(now + RESPONSE_LATENCY)?;
        let millis = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let (wait, wait_ready) = (Some(millis(wait)), self.ready.map(millis));
        let answer = self.editor.diagnostics(DiagnosticsParams { uri, version, wait, wait_ready });
        let answer = tokio::time::timeout_at(until, answer).await;
        match answer {
            Ok(_) => _ = self.source.lock_unresponsive().remove(&self.client),
            Err(_) => {
                self.source.lock_unresponsive().insert(self.client);
                self.source.editors_with_servers.mark_not_serving(self.client);
            }
        }
        match answer.ok()? {
            Ok(result) => Some(result),
            Err(EditorError::TimedOut) => None,
            // A client that does not know the request, such as a run in a terminal, has no servers.
            Err(EditorError::Declined(_) | EditorError::Disconnected) => {
                Some(DiagnosticsResult { state: AnswerState::Unsupported, files: Vec::new() })
            }
        }
    }

    /// The servers' report on a file, and separate reports for compilers that publish through them.
    fn reports(&self, path: &Path, file: FileDiagnostics) -> Vec<DiagnosticsReport> {
        let items = file.items.into_iter().map(diagnostic).collect();
        let (proof, why) = (file.proof, file.why);
        let verdict = |items| match proof {
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
        let (items, compiler_reports) =
            self.source.compiler_diagnostics.split_off_compilers(path, items, &file.unseen, verdict);
        let own = DiagnosticsReport::new(path.to_owned(), self.source_name(), verdict(items));
        [own].into_iter().chain(compiler_reports).collect()
    }

    fn unknown_report(&self, path: &Path, why: &str) -> Vec<DiagnosticsReport> {
        let verdict = Verdict::Unknown { why: why.to_owned() };
        vec![DiagnosticsReport::new(path.to_owned(), self.source_name(), verdict)]
    }

    fn source_name(&self) -> String {
        source_name(&*self.editor)
    }
}

fn source_name(editor: &dyn AttachedEditor) -> String {
    format!("{}'s language servers", editor.name())
}

/// The related information of an echo is the original.
fn diagnostic(item: wire::DiagnosticInfo) -> Diagnostic {
    let place = |place: position::WirePosition| Position::new(place.line, place.character);
    let span =
        |range: position::WireRange| DiagnosticSpan { start: place(range.start), end: place(range.end) };
    let original = item.echo_of.and_then(|original| {
        let path = path_of(&original.uri)?;
        let path = path.canonicalize().unwrap_or(path);
        Some(RelatedInformation { path, span: span(original.range), message: "the error itself".to_owned() })
    });
    Diagnostic {
        span: span(item.range),
        severity: match item.severity {
            wire::SeverityInfo::Error => Severity::Error,
            wire::SeverityInfo::Warning => Severity::Warning,
            wire::SeverityInfo::Information => Severity::Information,
            wire::SeverityInfo::Hint => Severity::Hint,
        },
        code: item.code.map(Into::into),
        source: item.source.map(Into::into),
        message: item.message.into(),
        related: original.into_iter().collect(),
        data: None,
    }
}
