//! The language servers of the person's own editor, as a source.
//!
//! The client that prompted last is asked, of what it has open for the version that it has, and of other files as they are on the
//! disk. Of what its servers do not serve there is no report, so that others are asked. A text that is another one in the editor
//! by now is not asked about: what would be said of it is not about the subject. A client that once did not answer is not waited for
//! until it does again.
//!
//! Of other files only what is other than it was is told: that is what a change may have done to them.

mod others;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use copydesk_language::{Checking, Diagnostic, Report, Said, Serving, Severity, Source, Span, Subject};
use copydesk_protocol::editor::{
    self as wire, AnswerState, DiagnosticsParams, DiagnosticsResult, FileDiagnostics, Proof,
};
use copydesk_protocol::place;
use copydesk_text::{Document, Encoding, Lines, Position};
use copydesk_workspace::buffers::{ClientId, Refusal};
use copydesk_workspace::files::Files;
use futures_util::future::join_all;
use tokio::time::Instant;
use url::Url;

use crate::hub::{Asked, Editors};
use others::Others;

/// What is told of files that nobody asked about, at most.
const MOST_OTHERS: usize = 100;

/// How long it is waited for what is said of them.
const FOR_OTHERS: Duration = Duration::from_secs(1);

/// A server that needs no longer than this to be ready is waited for.
const SOON: Duration = Duration::from_millis(300);

/// What an answer takes to arrive, at most.
const ON_THE_WAY: Duration = Duration::from_millis(50);

/// How long a client is waited for that did not answer the last time.
const BRIEFLY: Duration = Duration::from_millis(100);

pub(crate) struct EditorSource {
    editors: Editors,
    files: Files,
    others: Others,
    /// It did not answer the last time.
    silent: Mutex<Option<ClientId>>,
}

impl EditorSource {
    pub(crate) fn new(editors: Editors, files: Files) -> Self {
        Self { editors, files, others: Others::default(), silent: Mutex::default() }
    }

    /// `ready` is how long servers are waited for that are not ready.
    async fn all(&self, subjects: &[Subject], until: Instant, ready: Option<Duration>) -> Vec<Report> {
        let Some(client) = self.files.home_client() else { return Vec::new() };
        let Some(editor) = self.editors.get(client) else { return Vec::new() };
        let asked = Asking { files: &self.files, client, editor, until, ready, silent: &self.silent };
        let reports = join_all(subjects.iter().map(|subject| asked.of(subject))).await;
        let mut reports: Vec<_> = reports.into_iter().flatten().collect();
        // Who serves none of them has nothing to say of the others.
        if !reports.is_empty()
            && let Some((others, is_cut)) = asked.others(subjects).await
        {
            reports.extend(self.others.changed(others, is_cut, subjects, &asked.source()));
        }
        reports
    }
}

impl Source for EditorSource {
    fn serves(&self, until: Instant) -> Serving<'_> {
        Box::pin(async move {
            let Some(client) = self.files.home_client() else { return false };
            let Some(editor) = self.editors.get(client) else { return false };
            let params = DiagnosticsParams::default();
            let answer = tokio::time::timeout_at(until, editor.diagnostics(params)).await;
            answer.is_ok_and(|answer| answer.is_ok_and(|result| result.state != AnswerState::Unsupported))
        })
    }

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
    /// How long servers are waited for that are not ready.
    ready: Option<Duration>,
    silent: &'a Mutex<Option<ClientId>>,
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

    /// What else it knows, and whether there would be more of it.
    async fn others(&self, subjects: &[Subject]) -> Option<(Vec<Report>, bool)> {
        let until = self.until.min(Instant::now() + FOR_OTHERS);
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
            if subjects.iter().all(|subject| subject.path != path) {
                let open = self.files.buffers().find(&path, Some(self.client));
                let document = open.and_then(Result::ok).map(|open| open.document);
                reports.push(self.report(&path, file, document.as_ref()));
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
        let was_silent = *self.silent() == Some(self.client);
        let until = if was_silent { until.min(now + BRIEFLY) } else { until };
        // It has to answer by then, and the answer has to arrive.
        let wait = until.checked_duration_since(now + ON_THE_WAY)?;
        let millis = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let (wait, wait_ready) = (Some(millis(wait)), self.ready.map(millis));
        let answer = self.editor.diagnostics(DiagnosticsParams { uri, version, wait, wait_ready });
        let answer = tokio::time::timeout_at(until, answer).await;
        *self.silent() = answer.is_err().then_some(self.client);
        match answer.ok()? {
            Ok(result) => Some(result),
            Err(Refusal::Silent) => None,
            // A client that does not know the question, such as a run in a terminal, has no servers.
            Err(Refusal::Said(_) | Refusal::Gone) => {
                Some(DiagnosticsResult { state: AnswerState::Unsupported, files: Vec::new() })
            }
        }
    }

    fn silent(&self) -> MutexGuard<'_, Option<ClientId>> {
        self.silent.lock().unwrap_or_else(PoisonError::into_inner)
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
        Report::new(path.to_owned(), self.source(), said)
    }

    fn unknown(&self, path: &Path, why: &str) -> Report {
        Report::new(path.to_owned(), self.source(), Said::Unknown { why: why.to_owned() })
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
