//! The record of a running server: what it got, what it published, and when; and the conclusions at a given time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use copydesk_text::PositionEncoding;
use serde_json::Value;
use tokio::time::Instant;

use super::code_edits::CommandEdits;
use super::documents::{ObservedVersion, ServerDocument, ServerDocuments};
use super::freshness::{Freshness, FreshnessInput, PublishRecord, PublishTimings};
use super::initialize::{PullOptions, ServerCapabilities, TextSyncKind};
use super::observed::ObservedTexts;
use super::parse::{DiagnosticSet, PublishNotification};
use super::published_files::{PublishedFile, PublishedFiles, ReportOrigin};
use super::readiness::{Readiness, ReadinessStage};
use super::registrations::CapabilityRegistrations;
use super::save_runs::SaveRuns;
use super::sent_versions::NamedVersion;
use super::status_warnings::StatusWarnings;
use super::{LanguageServerState, tsserver, uri};
use crate::diagnostic::Diagnostic;
use crate::known_servers::language_of;
use crate::quirks::{DependentsPolicy, PullSupport, Quirks};

/// Pulls for one document; more registrations are ignored.
const MAX_PULLS: usize = 32;

#[derive(Debug)]
pub(super) struct ServerRecord {
    pub(super) documents: ServerDocuments,
    pub(super) published: PublishedFiles,
    pub(super) readiness: Readiness,
    pub(super) registrations: CapabilityRegistrations,
    pub(super) save_runs: SaveRuns,
    pub(super) timings: PublishTimings,
    pub(super) capabilities: ServerCapabilities,
    pub(super) command_edits: CommandEdits,
    pub(super) encoding: PositionEncoding,
    /// The source of an editor's texts; `None` for the daemon's own servers.
    pub(super) observed_texts: Option<Arc<dyn ObservedTexts>>,
    /// When the daemon started the server, or an editor first reported it.
    pub(super) began: Instant,
    /// When an editor first sent it a text while the daemon listened.
    pub(super) first_text: Option<Instant>,
    /// When it last published for any file.
    pub(super) last_publish: Option<Instant>,
    /// Counts events.
    pub(super) tick: u64,
    /// When a file that the server may read from the disk last changed, or a document with unsaved changes was closed.
    pub(super) disk_changed: Option<Instant>,
    /// When anything in the project last changed on the disk: a compiler reads more files than its server watches.
    pub(super) others_changed: Option<Instant>,
    /// When folders were last created or deleted on the disk.
    pub(super) folders_changed: Option<Instant>,
    /// When a file that configures the server last changed on the disk, and until when the server may not know it.
    pub(super) configuration_changed: Option<(Instant, Instant)>,
    pub(super) status_warnings: StatusWarnings,
    /// When the text of an open document last reached the disk, by the daemon or by any other program.
    pub(super) text_saved: Option<Instant>,
    /// When the server last got didSave.
    pub(super) last_save: Option<Instant>,
    pub(super) hung: Option<&'static str>,
    pub(super) ended: Option<String>,
    /// The daemon stopped it.
    pub(super) is_stopped: bool,
    /// The number of malformed messages, and the last of them.
    pub(super) malformed: Option<(u64, String)>,
}

/// Whether the server's diagnostics count at the moment.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReadinessGate {
    /// Yes, since this moment.
    Open(Instant),
    /// Not yet. Ask again at this moment, if one is given, or at the next event.
    Wait(Option<Instant>),
    /// Not yet: it reads the project, and reports when it is done. The text is the reason for an unknown verdict.
    Reading(String),
    /// No, for this reason.
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
                resolves_actions: false,
                queries: BTreeSet::new(),
            },
            command_edits: CommandEdits::default(),
            encoding: PositionEncoding::Utf16,
            observed_texts: None,
            began: now,
            first_text: None,
            last_publish: None,
            tick: 0,
            disk_changed: None,
            others_changed: None,
            folders_changed: None,
            configuration_changed: None,
            status_warnings: StatusWarnings::default(),
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
            ReadinessStage::Ready { since } => match (self.load_problem(), self.configuration_changed) {
                (Some(problem), _) => {
                    ReadinessGate::Shut(format!("it could not load the project: {problem}"))
                }
                // It is about to reload the project.
                (None, Some((changed, until))) if since < changed && now < until => {
                    ReadinessGate::Wait(Some(until))
                }
                _ => ReadinessGate::Open(since),
            },
            ReadinessStage::Starting { until } => ReadinessGate::Wait(until),
            ReadinessStage::Indexing { .. } if self.readiness.ready_again_by(now).is_some() => {
                ReadinessGate::Wait(self.readiness.ready_again_by(now))
            }
            ReadinessStage::Indexing { message, percent } => {
                let percent = percent.map(|percent| format!(" ({percent} %)")).unwrap_or_default();
                let message = message.map(|message| format!(": {message}")).unwrap_or_default();
                ReadinessGate::Reading(format!("it is still reading the project{message}{percent}"))
            }
        }
    }

    /// Why the server could not load the project, if it said so.
    fn load_problem(&self) -> Option<String> {
        self.readiness.problem().map(str::to_owned).or_else(|| self.status_warnings.of_configuration())
    }

    /// Whether the configuration has changed, and the server has not been ready since.
    pub(super) fn is_reading_configuration(&self) -> bool {
        let ready = self.readiness.quiescent_since();
        self.configuration_changed.is_some_and(|(changed, _)| ready.is_none_or(|ready| ready <= changed))
    }

    /// The pulls that the server offers; none if it supports no pulls. Each gives a part of the diagnostics.
    pub(super) fn pull_options(&self, quirks: &Quirks) -> Vec<&PullOptions> {
        let mut offered = match quirks.pull {
            PullSupport::Never => Vec::new(),
            PullSupport::IfOffered | PullSupport::Only => {
                self.capabilities.pull.iter().chain(self.registrations.pull_options()).collect()
            }
            PullSupport::Tsserver => {
                self.capabilities.tsserver.then_some(&tsserver::PULL_OPTIONS).into_iter().collect()
            }
        };
        offered.truncate(MAX_PULLS);
        offered
    }

    /// The same for one file, whose language or current version may not support pulls. No two are the same request.
    pub(super) fn pull_options_for(&self, path: &Path, quirks: &Quirks) -> Vec<&PullOptions> {
        let language = || match self.documents.get(path) {
            Some(document) => Some(document.language.as_str()),
            None => language_of(path, ""),
        };
        let is_asked = |name: &str| quirks.pull_languages.iter().any(|language| language == name);
        let is_all = quirks.pull_languages.is_empty();
        let is_refused =
            self.documents.get(path).is_some_and(|document| document.pull_refused == Some(document.version));
        if is_refused || !(is_all || language().is_some_and(is_asked)) {
            return Vec::new();
        }
        let mut options = self.pull_options(quirks);
        options.retain(|options| {
            options.selector.as_ref().is_none_or(|selector| selector.is_match(path, language()))
        });
        let mut identifiers = BTreeSet::new();
        options.retain(|options| identifiers.insert(options.identifier.as_deref()));
        options
    }

    /// Whether the server answers pulls for the files that it publishes by itself.
    pub(super) fn can_pull_others(&self, quirks: &Quirks) -> bool {
        quirks.dirty_dependents == DependentsPolicy::Pushed && !self.pull_options(quirks).is_empty()
    }

    /// Judges the publishes for an open document.
    pub(super) fn judge_publish(
        &self,
        path: &Path,
        document: &ServerDocument,
        quirks: &Quirks,
        ready: Instant,
        now: Instant,
    ) -> Freshness {
        let others =
            || self.documents.all().filter(|(other, _)| *other != path).map(|(_, document)| document);
        if !quirks.sees_unsaved && self.has_unsaved_dependency(path) {
            return Freshness::NeedsSave;
        }
        let last_publish = self.published.get(path).filter(|file| !file.is_pull()).map(|file| file.record);
        let is_newer = |edited: Option<(Instant, u64)>| {
            edited.map(|edited| edited.0) > last_publish.map(|publish| publish.received_at)
        };
        // With an editor's options, a server may collect changes for longer, and is silent meanwhile: gopls for a second.
        let publish_delay_ms = match document.observed {
            Some(_) => quirks.publish_delay_ms.max(quirks.republish_ms.saturating_mul(2)),
            None => quirks.publish_delay_ms,
        };
        let input = FreshnessInput {
            quirks,
            publish_gap: self.timings.gap_limit(),
            publish_delay_limit: self.timings.publish_delay_limit(Duration::from_millis(publish_delay_ms)),
            can_resend: document.observed.is_none() || !quirks.resend_params.is_empty(),
            version: document.version,
            // Some servers publish no version if the editor's is 0, with which Neovim opens a document. A text just
            // opened and unmodified equals the file, so no earlier text exists.
            has_earlier_text: document.observed.is_none()
                || !document.sent.is_first()
                || !document.is_clean(),
            sent_at: document.sent_at,
            last_related_change: self
                .last_change_elsewhere(path)
                .map_or(document.sent_at, |elsewhere| elsewhere.max(document.sent_at)),
            has_unsaved_dependency: others().any(|other| !other.is_clean() && is_newer(other.edited)),
            ready_since: ready,
            first_ready: self.readiness.first_ready(),
            last_publish,
            last_publish_of_any: self.last_publish,
        };
        self.require_preamble_check((path, document), last_publish, quirks, input.judge(now))
    }

    /// Stores a publish. Returns the file, or `None` if the publish is stale or about no file.
    pub(super) fn receive_publish(
        &mut self,
        publish: PublishNotification,
        quirks: &Quirks,
        now: Instant,
    ) -> Option<PathBuf> {
        let path = uri::to_path(&publish.uri)?;
        self.last_publish = Some(now);
        if !quirks.resend_params.is_empty() {
            self.resolve_text(&path, quirks);
        }
        let document = self.documents.get(&path);
        let number = publish.version.and_then(|number| i32::try_from(number).ok());
        let named = document.zip(number).map(|(document, number)| document.sent.named(number));
        let version = match named {
            Some(NamedVersion::Stale) => return None,
            Some(NamedVersion::Sent(version)) => Some(version),
            Some(NamedVersion::Unclear) | None => None,
        };
        let before = self.published.get(&path).filter(|file| !file.is_pull()).map(|file| file.record);
        if version.is_some() && before.is_some_and(|before| before.version > version) {
            return None;
        }
        if let Some(document) = document
            && before.is_none_or(|before| before.received_at < document.sent_at)
            && (version == Some(document.version) || version.is_none())
        {
            // A delay while the server reads the project is only an upper bound.
            match self.gate(now) {
                ReadinessGate::Open(since) if before.is_none() || since <= document.sent_at => {
                    self.timings.record_delay(now - document.sent_at.max(since));
                }
                _ if before.is_none() => self.timings.record_opening(now - document.sent_at),
                _ => {}
            }
        }
        let sent_at = document.map(|document| document.sent_at);
        if let (Some(before), None, Some(sent_at)) = (before, version, sent_at)
            && before.received_at >= sent_at
        {
            self.timings.record_gap(now - before.received_at);
        }
        self.record_preamble_check(&path, version, before, quirks);
        self.store_published(
            path.clone(),
            publish.set,
            PublishRecord::following(before, version, now, sent_at),
            quirks,
            ReportOrigin::Publish,
        );
        Some(path)
    }

    /// Fetches an editor's text, if the editor's message with it has reached the daemon by now.
    pub(super) fn resolve_text(&mut self, path: &Path, quirks: &Quirks) {
        let Some(texts) = self.observed_texts.clone() else { return };
        let Some(document) = self.documents.get_mut(path).filter(|document| !document.has_text()) else {
            return;
        };
        let (buffer_version, is_clean) =
            (document.observed.and_then(|observed| observed.document), document.is_clean());
        let text = match buffer_version {
            Some(version) => texts.open_text(path, version),
            None => is_clean.then(|| texts.saved_text(path)).flatten(),
        };
        let Some(text) = text else { return };
        document.text = text;
        document.observed = document.observed.map(|observed| ObservedVersion { has_text: true, ..observed });
        self.invalidate_preamble(path, quirks);
    }

    /// Stores the result of a pull for a file.
    pub(super) fn record_pull(
        &mut self,
        path: PathBuf,
        set: DiagnosticSet,
        is_proof: bool,
        quirks: &Quirks,
        now: Instant,
    ) {
        let origin = ReportOrigin::Pull { is_proof };
        self.store_published(path, set, PublishRecord::following(None, None, now, None), quirks, origin);
    }

    fn store_published(
        &mut self,
        path: PathBuf,
        set: DiagnosticSet,
        record: PublishRecord,
        quirks: &Quirks,
        origin: ReportOrigin,
    ) {
        let (saved, diagnostics) = split_save_diagnostics(set.diagnostics, quirks);
        // A pull does not include the diagnostics that follow a save.
        let before = self
            .published
            .get(&path)
            .filter(|_| origin != ReportOrigin::Publish)
            .map(|before| Arc::clone(&before.save_diagnostics));
        let saved = before.unwrap_or_else(|| Arc::new(saved));
        let tick = self.tick + 1;
        let published = PublishedFile {
            record,
            tick,
            diagnostics: Arc::new(diagnostics),
            save_diagnostics: saved,
            origin,
        };
        let documents = &self.documents;
        self.published.store(path, published, |path| documents.get(path).is_some());
    }
}

/// Splits off the diagnostics that only follow a save: returns those, and the others.
pub(super) fn split_save_diagnostics(
    diagnostics: Vec<Diagnostic>,
    quirks: &Quirks,
) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    let follows = |diagnostic: &Diagnostic| {
        diagnostic.source.as_deref().is_some_and(|source| quirks.is_save_only_source(source))
    };
    diagnostics.into_iter().partition(follows)
}

/// `null` if it is not JSON.
pub(super) fn parse_value(params: &serde_json::value::RawValue) -> Value {
    serde_json::from_str(params.get()).unwrap_or_default()
}
