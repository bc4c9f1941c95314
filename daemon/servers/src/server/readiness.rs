//! Decides whether a server has read the project. Until then, an empty set of diagnostics means nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::quirks::ReadinessSignal;
use crate::time_limits::{RELOAD_PHASE_GAP, SHORT_RELOAD};

/// Cap on progress at one time; the rest is ignored.
const MAX_PROGRESS: usize = 256;
/// Cap on the characters of progress texts and tokens.
const MAX_CHARS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadinessStage {
    /// It may be ready, or about to report progress; known at this moment, if one is given.
    Starting {
        until: Option<Instant>,
    },
    Indexing {
        message: Option<String>,
        percent: Option<u32>,
    },
    Ready {
        since: Instant,
    },
}

#[derive(Debug)]
pub(super) struct Readiness {
    signal: ReadinessSignal,
    started: Instant,
    /// When the first document was opened.
    opened: Option<Instant>,
    running: BTreeMap<String, WorkDoneProgress>,
    /// When progress that counts last began or ended.
    progress_changed: Option<Instant>,
    /// The current or last reading of the project, if progress reported it.
    reading: Option<ProjectReading>,
    /// When it had first read the project, if it reported that.
    first_ready_at: Option<Instant>,
    /// How long the last reload took.
    last_reload: Option<Duration>,
    /// Its `serverStatus`: whether it is quiescent, since when, and its message.
    status: Option<(bool, Instant, Option<String>)>,
    /// The message of a status that says that nothing works.
    problem: Option<String>,
}

/// One reading of the project, in one or more phases, each with progress of its own.
#[derive(Debug)]
struct ProjectReading {
    began: Instant,
    ended: Option<Instant>,
    /// The server had not read the project before.
    is_first: bool,
}

#[derive(Debug)]
struct WorkDoneProgress {
    counts: bool,
    title: String,
    message: Option<String>,
    percent: Option<u32>,
}

impl Readiness {
    pub(super) fn new(signal: ReadinessSignal, now: Instant) -> Self {
        Self {
            signal,
            started: now,
            opened: None,
            running: BTreeMap::new(),
            progress_changed: None,
            reading: None,
            first_ready_at: None,
            last_reload: None,
            status: None,
            problem: None,
        }
    }

    /// For a server that an editor started. `is_running`: it ran before the daemon began to listen. Then it is ready,
    /// unless it reports otherwise.
    pub(super) fn observed(signal: ReadinessSignal, is_running: bool, now: Instant) -> Self {
        let ready = is_running.then_some(now);
        Self { progress_changed: ready, first_ready_at: ready, ..Self::new(signal, now) }
    }

    pub(super) fn document_opened(&mut self, now: Instant) {
        self.opened.get_or_insert(now);
    }

    /// Publishes before this moment are about a project that was not read yet.
    pub(super) fn first_ready(&self) -> Option<Instant> {
        self.first_ready_at
    }

    pub(super) fn stage(&self, now: Instant) -> ReadinessStage {
        // A status decides, whatever signal is expected.
        match self.status {
            Some((true, since, _)) => return ReadinessStage::Ready { since },
            Some((false, ..)) => return self.indexing(),
            None => {}
        }
        match &self.signal {
            ReadinessSignal::FirstAnswer => ReadinessStage::Ready { since: self.started },
            ReadinessSignal::ServerStatus => ReadinessStage::Starting { until: None },
            ReadinessSignal::ProgressEnds { begins_ms, .. } => {
                let begins = self.opened.map(|opened| opened + Duration::from_millis(*begins_ms));
                match (self.progress_changed, begins) {
                    _ if self.running.values().any(|progress| progress.counts) => self.indexing(),
                    (Some(since), _) => ReadinessStage::Ready { since },
                    (None, Some(since)) if since <= now => ReadinessStage::Ready { since },
                    (None, until) => ReadinessStage::Starting { until },
                }
            }
        }
    }

    /// Until when a reload is expected to end, if the server was ready before. A reload is short, unless the last one
    /// was not.
    pub(super) fn ready_again_by(&self, now: Instant) -> Option<Instant> {
        let began = match self.status {
            Some((is_quiescent, began, _)) => Some(began).filter(|_| !is_quiescent),
            None => self.running_reload(),
        }?;
        let is_short = self.first_ready_at.is_some()
            && self.last_reload.is_none_or(|last_reload| last_reload <= SHORT_RELOAD);
        Some(began + SHORT_RELOAD).filter(|until| is_short && *until > now)
    }

    /// When the running reload began, if named progress reports it. Other progress may be the work on a request.
    fn running_reload(&self) -> Option<Instant> {
        let reading = self.reading.as_ref().filter(|_| self.names_progress())?;
        reading.ended.is_none().then_some(reading.began)
    }

    fn indexing(&self) -> ReadinessStage {
        let mut running: Vec<_> = self.running.values().collect();
        // Progress that counts says most.
        running.sort_by_key(|progress| !progress.counts);
        let progress = running.first();
        let status_message = self.status.as_ref().and_then(|(_, _, message)| message.clone());
        let message =
            progress.map(|progress| progress.text()).filter(|text| !text.is_empty()).or(status_message);
        ReadinessStage::Indexing { message, percent: progress.and_then(|progress| progress.percent) }
    }

    /// Since when its status says that it is ready.
    pub(super) fn quiescent_since(&self) -> Option<Instant> {
        self.status.as_ref().filter(|(quiescent, ..)| *quiescent).map(|(_, since, _)| *since)
    }

    /// Why the server could not load the project, if it said so.
    pub(super) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// `experimental/serverStatus`. Returns whether the server became quiescent.
    pub(super) fn update_status(&mut self, params: &Value, now: Instant) -> bool {
        let Some(quiescent) = params.get("quiescent").and_then(Value::as_bool) else { return false };
        let is_broken = params.get("health").and_then(Value::as_str) == Some("error");
        self.problem = is_broken.then(|| text(params, "message").unwrap_or_default());
        let was_quiescent = self.status.as_ref().is_some_and(|(quiescent, ..)| *quiescent);
        let since = match self.status {
            Some((before, since, _)) if before == quiescent => since,
            _ => now,
        };
        if let (Some((false, began, _)), true, Some(_)) = (&self.status, quiescent, self.first_ready_at) {
            self.last_reload = Some(now - *began);
        }
        self.status = Some((quiescent, since, text(params, "message")));
        if quiescent {
            self.first_ready_at.get_or_insert(now);
        }
        quiescent && !was_quiescent
    }

    /// `$/progress`.
    pub(super) fn update_progress(&mut self, token: &str, value: &Value, now: Instant) {
        match value.get("kind").and_then(Value::as_str) {
            Some("begin") if self.running.len() < MAX_PROGRESS => {
                let title = text(value, "title").unwrap_or_default();
                let counts = self.counts(token, &title);
                let progress = WorkDoneProgress {
                    counts,
                    title,
                    message: text(value, "message"),
                    percent: percent(value),
                };
                tracing::debug!(token, title = progress.title, counts, "progress begins");
                self.running.insert(token.to_owned(), progress);
                if counts {
                    self.progress_changed = Some(now);
                    self.begin_reading(now);
                }
            }
            Some("report") => {
                if let Some(progress) = self.running.get_mut(token) {
                    progress.message = text(value, "message").or(progress.message.take());
                    progress.percent = percent(value).or(progress.percent);
                }
            }
            Some("end") => {
                tracing::debug!(token, "progress ends");
                let counted = self.running.remove(token).is_some_and(|progress| progress.counts);
                self.progress_changed = if counted { Some(now) } else { self.progress_changed };
                if counted && !self.running.values().any(|progress| progress.counts) {
                    self.end_reading(now);
                }
            }
            _ => {}
        }
    }

    /// A phase that begins right after another belongs to the same reading.
    fn begin_reading(&mut self, now: Instant) {
        match &mut self.reading {
            Some(reading) if reading.ended.is_none_or(|ended| now - ended <= RELOAD_PHASE_GAP) => {
                reading.ended = None;
                // A status decides by itself.
                if reading.is_first && self.status.is_none() {
                    self.first_ready_at = None;
                }
            }
            _ => {
                let is_first = self.first_ready_at.is_none();
                self.reading = Some(ProjectReading { began: now, ended: None, is_first });
            }
        }
    }

    fn end_reading(&mut self, now: Instant) {
        let Some(reading) = &mut self.reading else { return };
        reading.ended = Some(now);
        match self.status {
            Some(_) => {}
            None if reading.is_first => self.first_ready_at = Some(now),
            None => self.last_reload = Some(now - reading.began),
        }
    }

    /// Whether only named progress counts.
    fn names_progress(&self) -> bool {
        matches!(&self.signal, ReadinessSignal::ProgressEnds { tokens, titles, .. } if !(tokens.is_empty() && titles.is_empty()))
    }

    fn counts(&self, token: &str, title: &str) -> bool {
        let ReadinessSignal::ProgressEnds { tokens, titles, .. } = &self.signal else { return false };
        let is_known_token = tokens.iter().any(|start| token.starts_with(start.as_str()));
        let title = title.to_lowercase();
        let is_known_title = titles.iter().any(|start| title.starts_with(&start.to_lowercase()));
        !self.names_progress() || is_known_token || is_known_title
    }
}

impl WorkDoneProgress {
    fn text(&self) -> String {
        match &self.message {
            Some(message) if self.title.is_empty() => message.clone(),
            Some(message) => format!("{}: {message}", self.title),
            None => self.title.clone(),
        }
    }
}

fn text(value: &Value, name: &str) -> Option<String> {
    let text = value.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.chars().take(MAX_CHARS).collect())
}

fn percent(value: &Value) -> Option<u32> {
    let percent = value.get("percentage")?.as_f64()?;
    Some(percent.clamp(0.0, 100.0) as u32)
}

/// A token is a number or a string.
pub(super) fn token(params: &Value) -> Option<String> {
    match params.get("token")? {
        Value::String(token) => Some(token.chars().take(MAX_CHARS).collect()),
        Value::Number(token) => Some(token.to_string()),
        _ => None,
    }
}
