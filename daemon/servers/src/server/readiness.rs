//! Whether a server has seen the project. Until then an answer without problems means nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::quirks::ReadinessSignal;
use crate::time_limits::SHORT_RELOAD;

/// Progress that is remembered at one time; more is not looked at.
const MOST: usize = 256;
/// Characters of what a server says of its progress.
const LONGEST: usize = 200;

/// How far a server is, at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadinessStage {
    /// It may be ready, or may be about to say that it is not; at this moment it is known, if at any.
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
    by: ReadinessSignal,
    started: Instant,
    /// When the first document was opened.
    opened: Option<Instant>,
    running: BTreeMap<String, WorkDoneProgress>,
    /// When what counts last began or ended.
    turned: Option<Instant>,
    /// When it had read the project for the first time, where it told of that.
    first: Option<Instant>,
    /// How long it last took to read the project once more.
    again: Option<Duration>,
    /// What it said of itself: whether it is quiescent, since when, and in which words.
    status: Option<(bool, Instant, Option<String>)>,
}

#[derive(Debug)]
struct WorkDoneProgress {
    counts: bool,
    title: String,
    message: Option<String>,
    percent: Option<u32>,
}

impl Readiness {
    pub(super) fn new(by: ReadinessSignal, now: Instant) -> Self {
        Self {
            by,
            started: now,
            opened: None,
            running: BTreeMap::new(),
            turned: None,
            first: None,
            again: None,
            status: None,
        }
    }

    /// For a server that an editor started. `is_running` is whether it was there before the daemon listened: then it is ready, unless it
    /// says otherwise.
    pub(super) fn observed(by: ReadinessSignal, is_running: bool, now: Instant) -> Self {
        Self { turned: is_running.then_some(now), ..Self::new(by, now) }
    }

    pub(super) fn document_opened(&mut self, now: Instant) {
        self.opened.get_or_insert(now);
    }

    /// What was published before this was said of a project that was not read.
    pub(super) fn first_ready(&self) -> Option<Instant> {
        self.first
    }

    pub(super) fn stage(&self, now: Instant) -> ReadinessStage {
        // A server that tells its status is judged by it, whatever else is known of it.
        match self.status {
            Some((true, since, _)) => return ReadinessStage::Ready { since },
            Some((false, ..)) => return self.indexing(),
            None => {}
        }
        match &self.by {
            ReadinessSignal::FirstAnswer => ReadinessStage::Ready { since: self.started },
            ReadinessSignal::ServerStatus => ReadinessStage::Starting { until: None },
            ReadinessSignal::ProgressEnds { begins_ms, .. } => {
                let begins = self.opened.map(|opened| opened + Duration::from_millis(*begins_ms));
                match (self.turned, begins) {
                    _ if self.running.values().any(|progress| progress.counts) => self.indexing(),
                    (Some(since), _) => ReadinessStage::Ready { since },
                    (None, Some(since)) if since <= now => ReadinessStage::Ready { since },
                    (None, until) => ReadinessStage::Starting { until },
                }
            }
        }
    }

    /// Until when it may be ready once more, where it was before and something made it look again: that does not take long, unless
    /// it did the last time.
    pub(super) fn ready_again_by(&self, now: Instant) -> Option<Instant> {
        let Some((false, began, _)) = self.status else { return None };
        let is_short = self.first.is_some() && self.again.is_none_or(|again| again <= SHORT_RELOAD);
        Some(began + SHORT_RELOAD).filter(|until| is_short && *until > now)
    }

    fn indexing(&self) -> ReadinessStage {
        let mut running: Vec<_> = self.running.values().collect();
        // What counts tells most.
        running.sort_by_key(|progress| !progress.counts);
        let progress = running.first();
        let said = self.status.as_ref().and_then(|(_, _, message)| message.clone());
        let message = progress.map(|progress| progress.text()).filter(|text| !text.is_empty()).or(said);
        ReadinessStage::Indexing { message, percent: progress.and_then(|progress| progress.percent) }
    }

    /// `experimental/serverStatus`. Tells whether it became quiescent by that.
    pub(super) fn update_status(&mut self, params: &Value, now: Instant) -> bool {
        let Some(quiescent) = params.get("quiescent").and_then(Value::as_bool) else { return false };
        let was_quiescent = self.status.as_ref().is_some_and(|(quiescent, ..)| *quiescent);
        let since = match self.status {
            Some((before, since, _)) if before == quiescent => since,
            _ => now,
        };
        if let (Some((false, began, _)), true, Some(_)) = (&self.status, quiescent, self.first) {
            self.again = Some(now - *began);
        }
        self.status = Some((quiescent, since, text(params, "message")));
        if quiescent {
            self.first.get_or_insert(now);
        }
        quiescent && !was_quiescent
    }

    /// `$/progress`.
    pub(super) fn update_progress(&mut self, token: &str, value: &Value, now: Instant) {
        match value.get("kind").and_then(Value::as_str) {
            Some("begin") if self.running.len() < MOST => {
                let title = text(value, "title").unwrap_or_default();
                let counts = self.counts(token, &title);
                let progress = WorkDoneProgress {
                    counts,
                    title,
                    message: text(value, "message"),
                    percent: percent(value),
                };
                self.running.insert(token.to_owned(), progress);
                self.turned = if counts { Some(now) } else { self.turned };
            }
            Some("report") => {
                if let Some(progress) = self.running.get_mut(token) {
                    progress.message = text(value, "message").or(progress.message.take());
                    progress.percent = percent(value).or(progress.percent);
                }
            }
            Some("end") => {
                let counted = self.running.remove(token).is_some_and(|progress| progress.counts);
                self.turned = if counted { Some(now) } else { self.turned };
                if counted && !self.running.values().any(|progress| progress.counts) {
                    self.first.get_or_insert(now);
                }
            }
            _ => {}
        }
    }

    fn counts(&self, token: &str, title: &str) -> bool {
        let ReadinessSignal::ProgressEnds { tokens, titles, .. } = &self.by else { return false };
        let is_known_token = tokens.iter().any(|start| token.starts_with(start.as_str()));
        let title = title.to_lowercase();
        let is_known_title = titles.iter().any(|start| title.starts_with(&start.to_lowercase()));
        (tokens.is_empty() && titles.is_empty()) || is_known_token || is_known_title
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
    (!text.is_empty()).then(|| text.chars().take(LONGEST).collect())
}

fn percent(value: &Value) -> Option<u32> {
    let percent = value.get("percentage")?.as_f64()?;
    Some(percent.clamp(0.0, 100.0) as u32)
}

/// A token is a number or a string.
pub(super) fn token(params: &Value) -> Option<String> {
    match params.get("token")? {
        Value::String(token) => Some(token.chars().take(LONGEST).collect()),
        Value::Number(token) => Some(token.to_string()),
        _ => None,
    }
}
