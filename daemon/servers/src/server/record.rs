//! All that is known of a running server, and what follows from it at a moment.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use copydesk_text::PositionEncoding;
use serde_json::Value;
use tokio::time::Instant;

use super::documents::{ObservedVersion, ServerDocument, ServerDocuments};
use super::freshness::{Freshness, FreshnessInput, PublishRecord, PublishTimings};
use super::initialize::{PullOptions, ServerCapabilities, TextSyncKind};
use super::observed::ObservedTexts;
use super::parse::{DiagnosticSet, PublishNotification};
use super::published_files::{PublishedFile, PublishedFiles};
use super::readiness::{Readiness, ReadinessStage};
use super::registrations::CapabilityRegistrations;
use super::save_runs::SaveRuns;
use super::{LanguageServerState, tsserver, uri};
use crate::diagnostic::Diagnostic;
use crate::known_servers::language_of;
use crate::quirks::{DependentsPolicy, PullSupport, Quirks};

#[derive(Debug)]
pub(super) struct ServerRecord {
    pub(super) documents: ServerDocuments,
    pub(super) published: PublishedFiles,
    pub(super) readiness: Readiness,
    pub(super) registrations: CapabilityRegistrations,
    pub(super) save_runs: SaveRuns,
    pub(super) timings: PublishTimings,
    pub(super) capabilities: ServerCapabilities,
    /// How the server counts characters.
    pub(super) encoding: PositionEncoding,
    /// Where the texts are that an editor holds; none for a server of the daemon's own.
    pub(super) observed_texts: Option<Arc<dyn ObservedTexts>>,
    /// When the daemon first knew of it.
    pub(super) began: Instant,
    /// When it last published something, of whatever file.
    pub(super) last_publish: Option<Instant>,
    /// Counts what happens.
    pub(super) tick: u64,
    /// When the disk was last changed under the server's eyes, or it was sent back to a file there.
    pub(super) disk_changed: Option<Instant>,
    /// When anything in the project was last changed there by others: a compiler reads more than its server.
    pub(super) others_changed: Option<Instant>,
    /// When folders came or went there.
    pub(super) folders_changed: Option<Instant>,
    /// When a text that is held last came to lie on the disk, whoever wrote it.
    pub(super) text_saved: Option<Instant>,
    /// When the server was last told of a save.
    pub(super) last_save: Option<Instant>,
    pub(super) hung: Option<&'static str>,
    pub(super) ended: Option<String>,
    /// Its end is our own wish.
    pub(super) is_stopped: bool,
    /// How often something came that is no message, and what came last.
    pub(super) malformed: Option<(u64, String)>,
}

/// Whether what the server says means anything at the moment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReadinessGate {
    /// Since then.
    Open(Instant),
    /// Soon, perhaps: at this moment it is known.
    Wait(Option<Instant>),
    /// Why not.
    Shut(String),
}

impl ServerRecord {
    pub(super) fn new(quirks: &Quirks, now: Instant) -> Self {
        Self {
            documents: ServerDocuments::default(),
            published: PublishedFiles::default(),
            readiness: Readiness::new(quirks.ready.clone(), now),
            registrations: CapabilityRegistrations::default(),
            save_runs: SaveRuns::new(
                quirks.save_tokens.clone(),
                Duration::from_millis(quirks.save_begins_ms),
            ),
            timings: PublishTimings::default(),
            capabilities: ServerCapabilities {
                sync: TextSyncKind::Full,
                save: None,
                pull: None,
                tsserver: false,
                format: false,
            },
            encoding: PositionEncoding::Utf16,
            observed_texts: None,
            began: now,
            last_publish: None,
            tick: 0,
            disk_changed: None,
            others_changed: None,
            folders_changed: None,
            text_saved: None,
            last_save: None,
            hung: None,
            ended: None,
            is_stopped: false,
            malformed: None,
        }
    }

    pub(super) fn state(&self, now: Instant) -> LanguageServerState {
        if let Some(why) = &self.ended {
            return LanguageServerState::Ended { why: why.clone() };
        }
        match (self.hung, self.readiness.stage(now)) {
            (Some(request), _) => LanguageServerState::Hung { request: request.to_owned() },
            (None, ReadinessStage::Ready { .. }) => LanguageServerState::Ready,
            (None, ReadinessStage::Indexing { message, percent }) => {
                LanguageServerState::Indexing { message, percent }
            }
            (None, ReadinessStage::Starting { .. }) => {
                LanguageServerState::Indexing { message: None, percent: None }
            }
        }
    }

    pub(super) fn gate(&self, now: Instant) -> ReadinessGate {
        if let Some(why) = &self.ended {
            return ReadinessGate::Shut(format!("it has ended: {why}"));
        }
        if let Some(request) = self.hung {
            return ReadinessGate::Shut(format!("it does not answer (`{request}`)"));
        }
        match self.readiness.stage(now) {
            ReadinessStage::Ready { since } => ReadinessGate::Open(since),
            ReadinessStage::Starting { until } => ReadinessGate::Wait(until),
            ReadinessStage::Indexing { .. } if self.readiness.ready_again_by(now).is_some() => {
                ReadinessGate::Wait(self.readiness.ready_again_by(now))
            }
            ReadinessStage::Indexing { message, percent } => {
                let percent = percent.map(|percent| format!(" ({percent} %)")).unwrap_or_default();
                let message = message.map(|message| format!(": {message}")).unwrap_or_default();
                ReadinessGate::Shut(format!("it is still reading the project{message}{percent}"))
            }
        }
    }

    /// How it can be asked, where it can.
    pub(super) fn pull_options(&self, quirks: &Quirks) -> Option<&PullOptions> {
        match quirks.pull {
            PullSupport::Never => None,
            PullSupport::IfOffered | PullSupport::Only => {
                self.registrations.pull_options().or(self.capabilities.pull.as_ref())
            }
            PullSupport::Tsserver => self.capabilities.tsserver.then_some(&tsserver::PULL_OPTIONS),
        }
    }

    /// The same for one file.
    pub(super) fn pull_options_for(&self, path: &Path, quirks: &Quirks) -> Option<&PullOptions> {
        let language = || match self.documents.get(path) {
            Some(held) => Some(held.language.as_str()),
            None => language_of(path, ""),
        };
        let is_asked = |name: &str| quirks.pull_languages.iter().any(|language| language == name);
        let is_all = quirks.pull_languages.is_empty();
        let is_refused = self.documents.get(path).is_some_and(|held| held.pull_refused == Some(held.version));
        let options = self.pull_options(quirks).filter(|_| !is_refused);
        options.filter(|_| is_all || language().is_some_and(is_asked))
    }

    /// It can be asked about what it tells of other files by itself.
    pub(super) fn can_pull_others(&self, quirks: &Quirks) -> bool {
        quirks.dirty_dependents == DependentsPolicy::Told && self.pull_options(quirks).is_some()
    }

    /// What was published, judged for a document that is held.
    pub(super) fn judge_publish(
        &self,
        path: &Path,
        held: &ServerDocument,
        quirks: &Quirks,
        ready: Instant,
        now: Instant,
    ) -> Freshness {
        let others = || self.documents.all().filter(|(other, _)| *other != path).map(|(_, held)| held);
        if !quirks.sees_unsaved && self.has_unsaved_dependency(path) {
            return Freshness::NeedsSave;
        }
        let heard = self.published.get(path).filter(|said| !said.is_pull).map(|said| said.record);
        let is_newer = |edited: Option<(Instant, u64)>| {
            edited.map(|edited| edited.0) > heard.map(|heard| heard.received_at)
        };
        let case = FreshnessInput {
            quirks,
            publish_gap: self.timings.gap_limit(),
            silence_limit: self.timings.silence_limit(Duration::from_millis(quirks.silence_ms)),
            can_resend: held.observed.is_none() || !quirks.touch.is_empty(),
            version: held.version,
            // Some name no version where an editor's is 0, which is how Neovim opens a text. The file has the same one.
            has_earlier_text: held.observed.is_none() || !held.is_just_opened() || !held.is_clean(),
            sent_at: held.sent_at,
            last_related_change: self
                .last_change_elsewhere(path)
                .map_or(held.sent_at, |elsewhere| elsewhere.max(held.sent_at)),
            has_unsaved_dependency: others().any(|other| !other.is_clean() && is_newer(other.edited)),
            ready_since: ready,
            first_ready: self.readiness.first_ready(),
            last_publish: heard,
            last_publish_of_any: self.last_publish,
        };
        self.require_preamble_check(held, heard, quirks, case.judge(now))
    }

    /// Takes in a publish. Tells of which file, where it is one.
    pub(super) fn receive_publish(
        &mut self,
        publish: PublishNotification,
        quirks: &Quirks,
        now: Instant,
    ) -> Option<PathBuf> {
        let path = uri::to_path(&publish.uri)?;
        self.last_publish = Some(now);
        if !quirks.touch.is_empty() {
            self.resolve_text(&path, quirks);
        }
        let held = self.documents.get(&path);
        let version = publish.version.and_then(|version| i32::try_from(version).ok());
        if version.is_some_and(|version| held.is_some_and(|held| held.predates_open(version))) {
            return None;
        }
        // One that it was never told is no version of this text.
        let version = version.filter(|version| held.is_some_and(|held| held.has_version(*version)));
        let before = self.published.get(&path).filter(|said| !said.is_pull).map(|said| said.record);
        let rank = |version: Option<i32>| held.zip(version).and_then(|(held, version)| held.rank(version));
        if version.is_some() && before.is_some_and(|before| rank(before.version) > rank(version)) {
            return None;
        }
        if let Some(held) = held
            && before.is_none_or(|before| before.received_at < held.sent_at)
            && (version == Some(held.version) || version.is_none())
        {
            // How long it took while it read the project says only how long it takes at most.
            match self.gate(now) {
                ReadinessGate::Open(since) if before.is_none() || since <= held.sent_at => {
                    self.timings.record_delay(now - held.sent_at.max(since));
                }
                _ if before.is_none() => self.timings.record_opening(now - held.sent_at),
                _ => {}
            }
        }
        let told = held.map(|held| held.sent_at);
        if let (Some(before), None, Some(told)) = (before, version, told)
            && before.received_at >= told
        {
            self.timings.record_gap(now - before.received_at);
        }
        self.record_preamble_check(&path, version, before, quirks);
        self.put(
            path.clone(),
            publish.set,
            PublishRecord::following(before, version, now, told),
            quirks,
            false,
        );
        Some(path)
    }

    /// Looks up a text that an editor holds, where the editor's message with it has come by now.
    pub(super) fn resolve_text(&mut self, path: &Path, quirks: &Quirks) {
        let Some(texts) = self.observed_texts.clone() else { return };
        let Some(held) = self.documents.get_mut(path).filter(|held| !held.has_text()) else { return };
        let (document, is_clean) = (held.observed.and_then(|observed| observed.document), held.is_clean());
        let text = match document {
            Some(version) => texts.open_text(path, version),
            None => is_clean.then(|| texts.saved_text(path)).flatten(),
        };
        let Some(text) = text else { return };
        held.text = text;
        held.observed = held.observed.map(|observed| ObservedVersion { has_text: true, ..observed });
        self.invalidate_preamble(path, quirks);
    }

    /// Takes in what it answered of a file.
    pub(super) fn record_pull(&mut self, path: PathBuf, set: DiagnosticSet, quirks: &Quirks, now: Instant) {
        self.put(path, set, PublishRecord::following(None, None, now, None), quirks, true);
    }

    fn put(
        &mut self,
        path: PathBuf,
        set: DiagnosticSet,
        heard: PublishRecord,
        quirks: &Quirks,
        is_answer: bool,
    ) {
        let (saved, diagnostics) = split_save_diagnostics(set.diagnostics, quirks);
        // An answer does not say what follows a save.
        let before = self
            .published
            .get(&path)
            .filter(|_| is_answer)
            .map(|before| Arc::clone(&before.save_diagnostics));
        let saved = before.unwrap_or_else(|| Arc::new(saved));
        let tick = self.tick + 1;
        let published = PublishedFile {
            record: heard,
            tick,
            diagnostics: Arc::new(diagnostics),
            save_diagnostics: saved,
            is_pull: is_answer,
        };
        let documents = &self.documents;
        self.published.store(path, published, |path| documents.get(path).is_some());
    }
}

/// Those that only follow a save, and the others.
pub(super) fn split_save_diagnostics(
    diagnostics: Vec<Diagnostic>,
    quirks: &Quirks,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let follows = |diagnostic: &Diagnostic| {
        diagnostic.source.as_deref().is_some_and(|source| quirks.is_save_only_source(source))
    };
    diagnostics.into_iter().partition(follows)
}

/// An object, whatever was sent.
pub(super) fn parse_value(params: &serde_json::value::RawValue) -> Value {
    serde_json::from_str(params.get()).unwrap_or_default()
}
