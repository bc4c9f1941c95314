//! The language servers of the person's own editor, as a source.
//!
//! The client that prompted last is asked, of what it has open for the version that it has, and of other files as they are on the
//! disk. Of what its servers do not serve there is no report, so that others are asked. A text that is another one in the editor
//! by now is not asked about: what would be said of it is not about the subject.
//!
//! Of other files only what is other than it was is told: that is what a change may have done to them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use copydesk_language::{Checking, Diagnostic, Report, Said, Severity, Source, Span, Subject};
use copydesk_protocol::editor::{
    self as wire, AnswerState, DiagnosticsParams, DiagnosticsResult, FileDiagnostics, Proof,
};
use copydesk_protocol::place;
use copydesk_text::{Document, Encoding, Lines, Position};
use copydesk_workspace::buffers::ClientId;
use copydesk_workspace::files::Files;
use futures_util::future::join_all;
use tokio::time::Instant;
use url::Url;

use crate::hub::{Asked, Editors};

/// What is told of files that nobody asked about, at most.
const MOST_OTHERS: usize = 100;

/// How long it is waited for what is said of them.
const FOR_OTHERS: Duration = Duration::from_secs(1);

/// A server that needs no longer than this to be ready is waited for.
const SOON: Duration = Duration::from_millis(300);

/// What an answer takes on its way.
const WAY: Duration = Duration::from_millis(50);

pub(crate) struct EditorSource {
    editors: Editors,
    files: Files,
    /// What was last said of files that nobody asked about.
    others: Mutex<HashMap<PathBuf, Said>>,
}

impl EditorSource {
    pub(crate) fn new(editors: Editors, files: Files) -> Self {
        Self { editors, files, others: Mutex::default() }
    }

    /// `ready` is how long servers are waited for that are not ready.
    async fn all(&self, subjects: &[Subject], until: Instant, ready: Option<Duration>) -> Vec<Report> {
        let Some(client) = self.files.home_client() else { return Vec::new() };
        let Some(editor) = self.editors.get(client) else { return Vec::new() };
        let asked = Asking { files: &self.files, client, editor, until, ready };
        let reports = join_all(subjects.iter().map(|subject| asked.of(subject))).await;
        let mut reports: Vec<_> = reports.into_iter().flatten().collect();
        // Who serves none of them has nothing to say of the others.
        if !reports.is_empty()
            && let Some(others) = asked.others(subjects).await
        {
            reports.extend(self.changed(others, subjects));
        }
        reports
    }

    /// Those of which something else is said than was last. Of what is not mentioned any more nothing is wrong.
    fn changed(&self, others: Vec<Report>, subjects: &[Subject]) -> Vec<Report> {
        let mut last = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let source = others.first().map(|report| report.source.clone());
        let is_gone = |path: &&PathBuf| {
            let is_mentioned = others.iter().any(|report| report.path == **path);
            !is_mentioned && subjects.iter().all(|subject| subject.path != **path)
        };
        let gone: Vec<_> = last.keys().filter(is_gone).cloned().collect();
        let gone: Vec<_> = gone
            .into_iter()
            .filter(|path| {
                let said = last.remove(path);
                said.is_some_and(|said| said.diagnostics().is_some_and(|items| !items.is_empty()))
            })
            .filter_map(|path| Some(Report { path, source: source.clone()?, said: Said::Likely(Vec::new()) }))
            .collect();
        let is_other = |report: &Report| {
            let before = last.insert(report.path.clone(), report.said.clone());
            before.is_none_or(|before| before.diagnostics() != report.said.diagnostics())
        };
        others.into_iter().filter(is_other).chain(gone).collect()
    }
}

impl Source for EditorSource {
    fn check<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        Box::pin(self.all(subjects, until, Some(SOON)))
    }

    fn later<'a>(&'a self, subjects: &'a [Subject], until: Instant) -> Checking<'a> {
        Box::pin(self.all(subjects, until, None))
    }
}

/// One round of questions.
struct Asking<'a> {
    files: &'a Files,
    client: ClientId,
    editor: Arc<dyn Asked>,
    until: Instant,
    ready: Option<Duration>,
}

impl Asking<'_> {
    async fn of(&self, subject: &Subject) -> Option<Report> {
        let found = self.files.buffers().find(&subject.path, Some(self.client));
        let open = match found {
            Some(Ok(open)) if open.client == self.client => Some(open),
            Some(Err(_)) => return Some(self.unknown(&subject.path, "the editor's text of it is not known")),
            _ => None,
        };
        let is_same = open.as_ref().map_or(subject.is_saved, |open| open.document == *subject.text.as_str());
        if !is_same {
            return Some(self.unknown(&subject.path, "its text is another one in the editor by now"));
        }
        let uri = match &open {
            Some(open) => open.uri.clone(),
            None => Url::from_file_path(&subject.path).ok()?.into(),
        };
        let version = open.as_ref().map(|open| open.version);
        let result = self.ask(Some(uri.clone()), version, self.until).await;
        let document = open.map_or_else(|| Document::new(&subject.text, Lines::Any), |open| open.document);
        let Some(result) = result else {
            return Some(self.unknown(&subject.path, "the editor did not answer in time"));
        };
        match result.state {
            AnswerState::Unsupported => None,
            AnswerState::Starting => {
                Some(self.unknown(&subject.path, "the editor's language server is still starting"))
            }
            AnswerState::Cancelled => {
                Some(self.unknown(&subject.path, "the editor's language server was not done in time"))
            }
            AnswerState::Answered => {
                let file = result.files.into_iter().find(|file| file.uri == uri)?;
                // For a later text than was asked about.
                if version.is_some() && file.version != version {
                    return Some(self.unknown(&subject.path, "the person is typing in it"));
                }
                Some(self.report(&subject.path, file, Some(&document)))
            }
        }
    }

    /// What else it knows. What it may know of an older text only is left out.
    async fn others(&self, subjects: &[Subject]) -> Option<Vec<Report>> {
        let until = self.until.min(Instant::now() + FOR_OTHERS);
        let result = self.ask(None, None, until).await?;
        let mut reports = Vec::new();
        for file in result.files.into_iter().filter(|file| file.proof != Proof::Unknown).take(MOST_OTHERS) {
            let path = Url::parse(&file.uri).ok().and_then(|uri| uri.to_file_path().ok());
            let Some(path) = path else { continue };
            let path = path.canonicalize().unwrap_or(path);
            if subjects.iter().all(|subject| subject.path != path) {
                let open = self.files.buffers().find(&path, Some(self.client));
                let document = open.and_then(Result::ok).map(|open| open.document);
                reports.push(self.report(&path, file, document.as_ref()));
            }
        }
        Some(reports)
    }

    async fn ask(
        &self,
        uri: Option<String>,
        version: Option<i32>,
        until: Instant,
    ) -> Option<DiagnosticsResult> {
        let millis = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let left = until.saturating_duration_since(Instant::now()).saturating_sub(WAY);
        let (wait, wait_ready) = (Some(millis(left)), self.ready.map(millis));
        let answer = self.editor.diagnostics(DiagnosticsParams { uri, version, wait, wait_ready });
        tokio::time::timeout_at(until, answer).await.ok()?.ok()
    }

    fn report(&self, path: &Path, file: FileDiagnostics, document: Option<&Document>) -> Report {
        let encoding = self.files.buffers().encoding(self.client).unwrap_or(Encoding::Utf16);
        let items = file.items.into_iter().map(|item| diagnostic(item, document, encoding)).collect();
        let said = match file.proof {
            Proof::Proven => Said::Proven(items),
            Proof::Likely => Said::Likely(items),
            Proof::Unknown => {
                Said::Unknown { why: "what the editor knows may be about an older text".into() }
            }
        };
        Report { path: path.to_owned(), source: self.source(), said }
    }

    fn unknown(&self, path: &Path, why: &str) -> Report {
        Report { path: path.to_owned(), source: self.source(), said: Said::Unknown { why: why.to_owned() } }
    }

    fn source(&self) -> String {
        format!("{}'s language servers", self.editor.name())
    }
}

fn diagnostic(item: wire::Diagnostic, document: Option<&Document>, encoding: Encoding) -> Diagnostic {
    let place = |place: place::Position| {
        let place = Position::new(place.line, place.character);
        match document {
            Some(document) if encoding != Encoding::Utf16 => {
                document.position(document.offset(place, encoding), Encoding::Utf16)
            }
            _ => place,
        }
    };
    Diagnostic {
        span: Span { start: place(item.range.start), end: place(item.range.end) },
        severity: match item.severity {
            wire::Severity::Error => Severity::Error,
            wire::Severity::Warning => Severity::Warning,
            wire::Severity::Information => Severity::Information,
            wire::Severity::Hint => Severity::Hint,
        },
        code: item.code,
        source: item.source,
        message: item.message,
        related: Vec::new(),
    }
}
