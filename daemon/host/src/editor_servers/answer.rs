//! Merges the verdicts of an editor's servers: the weakest proof counts, and duplicate diagnostics are dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use copydesk_protocol::editor::{
    AnswerState, DiagnosticInfo, DiagnosticsParams, DiagnosticsResult, FileDiagnostics, ProofLevel,
    SeverityInfo,
};
use copydesk_protocol::position::{WireLocation, WirePosition, WireRange};
use copydesk_protocol::server::{EditorServersParams, EditorServersResult};
use copydesk_servers::{Diagnostic, DiagnosticSpan, LanguageServer, LanguageServerState, Severity, Verdict};
use copydesk_text::Position;
use copydesk_workspace::buffers::EditorError;
use futures_util::future::join_all;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::EditorServers;
use super::document_hold::DocumentHold;
use crate::time_limits::REOPEN_TIMEOUT;
use crate::uri::path_of;

/// The cap on diagnostics in one answer; the worst stay.
const MAX_ITEMS: usize = 10_000;

/// A request about all documents pulls at most this many from each server.
const MAX_ASKED: usize = 20;

/// One server's verdict on a file.
struct ServerOpinion {
    server: Arc<LanguageServer>,
    verdict: Verdict,
    is_indexing: bool,
}

impl EditorServers {
    /// Positions in the result count UTF-16 code units.
    pub async fn diagnostics(&self, params: DiagnosticsParams) -> Result<DiagnosticsResult, EditorError> {
        match &params.uri {
            Some(uri) => self.file_diagnostics(uri, &params).await,
            None => Ok(self.all_diagnostics(params.wait).await),
        }
    }

    async fn file_diagnostics(
        &self,
        uri: &str,
        params: &DiagnosticsParams,
    ) -> Result<DiagnosticsResult, EditorError> {
        let now = Instant::now();
        let until = now + millis(params.wait);
        let ready_by = params.wait_ready.map_or(until, |wait| until.min(now + millis(Some(wait))));
        let wait = params.wait.map(|wait| wait.min(params.wait_ready.unwrap_or(wait)));
        let _hold = DocumentHold::new(Arc::clone(&self.link), uri);
        let serving = self.link.servers(EditorServersParams { uri: uri.to_owned(), wait }).await?;
        if !matches!(serving.state, AnswerState::Answered | AnswerState::Starting) {
            return Ok(without_files(serving.state));
        }
        Ok(self.judge_file(uri, &serving, params.version, (until, ready_by)).await)
    }

    async fn judge_file(
        &self,
        uri: &str,
        serving: &EditorServersResult,
        wanted_version: Option<i32>,
        (until, ready_by): (Instant, Instant),
    ) -> DiagnosticsResult {
        let editor_uri = serving.uri.as_deref().unwrap_or(uri);
        let Some(path) = path_of(editor_uri) else { return without_files(AnswerState::Unsupported) };
        let asked_version = serving.version.max(wanted_version).filter(|_| serving.version.is_some());
        let servers: Vec<_> = serving.servers.iter().filter_map(|server| self.get(*server)).collect();
        let checks = servers.into_iter().map(|server| {
            let file = (editor_uri, path.as_path());
            async move { check(server, file, asked_version, (until, ready_by)).await }
        });
        let opinions: Vec<_> = join_all(checks).await.into_iter().flatten().collect();
        let is_starting =
            serving.state == AnswerState::Starting || opinions.iter().any(|opinion| opinion.is_indexing);
        if opinions.is_empty() {
            let none = if is_starting { AnswerState::Starting } else { AnswerState::Unsupported };
            return without_files(none);
        }
        let state = if is_starting { AnswerState::Starting } else { AnswerState::Answered };
        let version = serving.version.map(|version| {
            let known = opinions.iter().filter_map(|opinion| opinion.server.document_version(editor_uri));
            known.min().unwrap_or(version)
        });
        match merge(uri, editor_uri, version, &opinions) {
            Some(file) => DiagnosticsResult { state, files: limit(vec![file]) },
            None if is_starting => without_files(AnswerState::Starting),
            None => without_files(AnswerState::Cancelled),
        }
    }

    /// All files that any server has diagnostics for. With a wait, the daemon also pulls open documents, and the answer includes clean and
    /// unknown files: the caller takes a missing file for fixed.
    async fn all_diagnostics(&self, wait: Option<u32>) -> DiagnosticsResult {
        let until = Instant::now() + millis(wait);
        let servers = self.all();
        if servers.is_empty() {
            return without_files(AnswerState::Unsupported);
        }
        let mut checks = Vec::new();
        for server in &servers {
            let open = server.open_paths();
            for (number, path) in open.into_iter().enumerate() {
                let (server, may_pull) = (Arc::clone(server), wait.is_some() && number < MAX_ASKED);
                checks.push(async move {
                    let verdict = server.check_other(&path, may_pull, until).await;
                    (path, ServerOpinion { is_indexing: server.is_indexing(), server, verdict })
                });
            }
        }
        let mut files: BTreeMap<PathBuf, Vec<ServerOpinion>> = BTreeMap::new();
        for (path, opinion) in join_all(checks).await {
            files.entry(path).or_default().push(opinion);
        }
        for server in &servers {
            for path in server.closed_paths() {
                let verdict = Verdict::Unknown { why: "it does not hold the file open".to_owned() };
                let opinion = ServerOpinion { server: Arc::clone(server), verdict, is_indexing: false };
                files.entry(path).or_default().push(opinion);
            }
        }
        let merged = files.into_iter().filter_map(|(path, opinions)| {
            let uri = Url::from_file_path(&path).ok()?.to_string();
            let version = opinions.iter().filter_map(|opinion| opinion.server.document_version(&uri)).min();
            let file = merge(&uri, &uri, version, &opinions);
            let unknown = || FileDiagnostics {
                uri: uri.clone(),
                version,
                proof: ProofLevel::Unknown,
                why: opinions.iter().find_map(|opinion| why(&opinion.verdict)),
                items: Vec::new(),
                unseen: Vec::new(),
            };
            let file = file.or_else(|| wait.is_some().then(unknown))?;
            (!file.items.is_empty() || wait.is_some()).then_some(file)
        });
        let mut files: Vec<_> = merged.collect();
        // The caller caps the number of files: those with diagnostics come first, unknown ones last.
        files.sort_by_key(|file| match file.proof {
            _ if !file.items.is_empty() => 0,
            ProofLevel::Unknown => 2,
            _ => 1,
        });
        DiagnosticsResult { state: AnswerState::Answered, files: limit(files) }
    }
}

/// A server's verdict on a file; none if the server has ended or gives no diagnostics.
async fn check(
    server: Arc<LanguageServer>,
    (uri, path): (&str, &Path),
    asked_version: Option<i32>,
    (until, ready_by): (Instant, Instant),
) -> Option<ServerOpinion> {
    let mut state = server.subscribe_state();
    let mut is_closed = false;
    loop {
        state.borrow_and_update();
        let now = Instant::now();
        if matches!(server.state(), LanguageServerState::Ended { .. }) || server.gives_no_diagnostics() {
            return None;
        }
        if server.is_indexing() {
            if now < ready_by && timeout_at(ready_by, state.changed()).await.is_ok() {
                continue;
            }
            let verdict = server.check(path, Instant::now()).await;
            return Some(ServerOpinion { server, verdict, is_indexing: true });
        }
        let wait_until = if is_closed { until.min(now + REOPEN_TIMEOUT) } else { until };
        if !server.wait_for_document(uri, asked_version, wait_until).await {
            if matches!(server.state(), LanguageServerState::Ended { .. }) {
                return None;
            }
            let why = "the editor has not told its server of this text in time".to_owned();
            return Some(ServerOpinion { server, verdict: Verdict::Unknown { why }, is_indexing: false });
        }
        if server.has_unseen_text(uri) {
            let why = "the editor has unsaved text of it that the daemon does not see".to_owned();
            return Some(ServerOpinion { server, verdict: Verdict::Unknown { why }, is_indexing: false });
        }
        let before = server.told_at(uri);
        let verdict = server.check(path, until).await;
        let is_unknown = verdict.diagnostics().is_none();
        // The daemon's own resend is no change: the verdict is about the text after it.
        let has_changed = server.told_at(uri) != before || server.is_indexing();
        if is_unknown && has_changed && Instant::now() < until {
            is_closed = server.told_at(uri).is_none();
            continue;
        }
        if is_unknown && matches!(server.state(), LanguageServerState::Ended { .. }) {
            return None;
        }
        return Some(ServerOpinion { is_indexing: false, server, verdict });
    }
}

/// None if no server has ever sent diagnostics for the file.
fn merge(
    uri: &str,
    editor_uri: &str,
    version: Option<i32>,
    opinions: &[ServerOpinion],
) -> Option<FileDiagnostics> {
    let (mut proof, mut reason, mut unseen) = (ProofLevel::Proven, None, Vec::new());
    let mut sets: Vec<Vec<DiagnosticInfo>> = Vec::new();
    for ServerOpinion { server, verdict, .. } in opinions {
        let own = match verdict {
            Verdict::Proven(_) => ProofLevel::Proven,
            Verdict::Likely(_) => ProofLevel::Likely,
            Verdict::Unknown { .. } | Verdict::Unchecked { .. } => ProofLevel::Unknown,
        };
        proof = weaker(proof, own);
        reason = reason.or_else(|| why(verdict));
        let wire_all = |set: Vec<Diagnostic>| set.into_iter().map(|item| wire(server, item)).collect();
        let own = verdict.diagnostics().map(<[Diagnostic]>::to_vec);
        sets.extend(own.or_else(|| server.last_published(editor_uri)).map(wire_all));
        match server.pending_compiler() {
            Some(compiler) => unseen.push(compiler),
            None => {
                let found = server.compiler_diagnostics(editor_uri);
                sets.extend(Some(found).filter(|set| !set.is_empty()).map(wire_all));
            }
        }
    }
    let is_known = !sets.is_empty();
    let mut seen = BTreeSet::new();
    let items = sets.into_iter().flatten().filter(|item| seen.insert(key(item))).collect();
    is_known.then(|| FileDiagnostics { uri: uri.to_owned(), version, proof, why: reason, items, unseen })
}

fn why(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Unknown { why } | Verdict::Unchecked { why } => Some(why.clone()),
        Verdict::Proven(_) | Verdict::Likely(_) => None,
    }
}

fn weaker(one: ProofLevel, other: ProofLevel) -> ProofLevel {
    let strength = |proof| match proof {
        ProofLevel::Unknown => 0,
        ProofLevel::Likely => 1,
        ProofLevel::Proven => 2,
    };
    if strength(other) < strength(one) { other } else { one }
}

fn wire(server: &LanguageServer, diagnostic: Diagnostic) -> DiagnosticInfo {
    let position = |position: Position| WirePosition { line: position.line, character: position.character };
    let range = |span: DiagnosticSpan| WireRange { start: position(span.start), end: position(span.end) };
    let original = diagnostic.related.first().filter(|_| server.is_echo(&diagnostic));
    let echo_of = original.and_then(|original| {
        let uri = Url::from_file_path(&original.path).ok()?.into();
        Some(WireLocation { uri, range: range(original.span) })
    });
    DiagnosticInfo {
        echo_of,
        range: range(diagnostic.span),
        severity: match diagnostic.severity {
            Severity::Error => SeverityInfo::Error,
            Severity::Warning => SeverityInfo::Warning,
            Severity::Information => SeverityInfo::Information,
            Severity::Hint => SeverityInfo::Hint,
        },
        code: diagnostic.code.map(|code| code.to_string()),
        source: diagnostic.source.map(|source| source.to_string()),
        message: diagnostic.message.to_string(),
    }
}

type ItemKey = ([u32; 4], SeverityInfo, Option<String>, Option<String>, String);

fn key(item: &DiagnosticInfo) -> ItemKey {
    let WireRange { start, end } = item.range;
    let place = [start.line, start.character, end.line, end.character];
    (place, item.severity, item.code.clone(), item.source.clone(), item.message.clone())
}

/// Keeps the worst diagnostics, in their order.
fn limit(mut files: Vec<FileDiagnostics>) -> Vec<FileDiagnostics> {
    let mut counts: BTreeMap<SeverityInfo, usize> = BTreeMap::new();
    for item in files.iter().flat_map(|file| &file.items) {
        *counts.entry(item.severity).or_default() += 1;
    }
    let mut room = MAX_ITEMS;
    // `SeverityInfo` sorts the worst severity first.
    for count in counts.values_mut() {
        *count = (*count).min(room);
        room -= *count;
    }
    for file in &mut files {
        file.items.retain(|item| match counts.get_mut(&item.severity) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        });
    }
    files
}

fn without_files(state: AnswerState) -> DiagnosticsResult {
    DiagnosticsResult { state, files: Vec::new() }
}

fn millis(time: Option<u32>) -> Duration {
    Duration::from_millis(time.unwrap_or_default().into())
}
