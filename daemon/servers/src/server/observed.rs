//! A language server that an editor started. The editor reports what it tells the server and what the server says, and the daemon judges
//! that as it does for its own servers.
//!
//! What the judge wants to send (a pull, the same text once more) goes into the streams given to [`LanguageServer::observe`]; the caller
//! reads them and has the editor send it. The editor counts the versions of texts; versions from 1,000,000,000 on are the daemon's.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use copydesk_rpc::peer::{RpcHandler as _, RpcPeer};
use copydesk_text::PositionEncoding;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use super::check_document::wait_for_tick;
use super::documents::ObservedVersion;
use super::initialize::ServerCapabilities;
use super::readiness::{Readiness, ReadinessStage};
use super::{FileChangeType, LanguageServer, ServerInner, ServerLaunch, uri};
use crate::diagnostic::Diagnostic;
use crate::known_servers;
use crate::report::Verdict;
use crate::time_limits::{FILE_TIME_STEP, SILENT_SERVER_TIME};

/// The member of params to an editor's server that names the text they are about: its `uri`, and the `version` that the server must have.
/// It is for the editor, which takes it away.
pub const EXPECTED_DOCUMENT: &str = "copydesk/document";

/// Where the texts are that an editor holds.
pub trait ObservedTexts: Debug + Send + Sync {
    /// The text of an open document, if this is the version that the daemon has.
    fn open_text(&self, path: &Path, version: i32) -> Option<Arc<String>>;

    /// The text on the disk.
    fn saved_text(&self, path: &Path) -> Option<Arc<String>>;
}

/// A server as an editor started it.
#[derive(Debug, Clone)]
pub struct EditorServerLaunch {
    /// The editor's name of it.
    pub name: String,
    /// Its own name.
    pub own_name: Option<String>,
    /// The program and its arguments, where the editor knows them.
    pub command: Vec<String>,
    pub root: Option<PathBuf>,
    pub encoding: PositionEncoding,
    pub capabilities: Value,
    /// It was there before the daemon listened.
    pub is_running: bool,
}

/// What an editor did with a document, as far as one of its servers knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentEvent {
    /// `is_first` is whether the server was told of it just now.
    Opened {
        language: String,
        version: i32,
        document: Option<i32>,
        is_modified: bool,
        is_first: bool,
    },
    Changed {
        version: i32,
        document: Option<i32>,
        is_modified: bool,
    },
    /// The daemon counts the same text by another number.
    Renumbered {
        document: Option<i32>,
    },
    Saved,
    Closed,
}

impl LanguageServer {
    /// `reader` and `writer` lead to the caller, which has the editor send the messages.
    pub fn observe(
        launch: EditorServerLaunch,
        texts: Arc<dyn ObservedTexts>,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Arc<Self> {
        let offers = ServerCapabilities::read(&json!({ "capabilities": launch.capabilities }));
        let names = [Some(launch.name.as_str()), launch.own_name.as_deref()].into_iter().flatten();
        let quirks = known_servers::quirks_in_editor(names, &launch.command, offers.tsserver);
        let readiness = Readiness::observed(quirks.ready.clone(), launch.is_running, Instant::now());
        let inner = Arc::new(ServerInner::new(ServerLaunch {
            name: launch.name,
            command: Vec::new(),
            environment: Vec::new(),
            root: launch.root.unwrap_or_default(),
            folders: Vec::new(),
            initialization: Value::Null,
            settings: Value::Null,
            quirks,
        }));
        inner.change(|known| {
            known.capabilities = offers;
            known.encoding = launch.encoding;
            known.observed_texts = Some(texts);
            known.readiness = readiness;
        });
        let peer = RpcPeer::start(reader, writer, Arc::clone(&inner));
        Self::begin(inner, peer, None)
    }

    /// The editor did something with a document.
    pub fn observe_document(&self, uri: &str, event: DocumentEvent) {
        let Some(path) = uri::to_path(uri) else { return };
        let begins = self.inner.change(|known| {
            let (now, tick) = (Instant::now(), known.tick + 1);
            match event {
                DocumentEvent::Opened { language, version, document, is_modified, is_first } => {
                    // What was said while it was closed, or before, is not said of what it is now.
                    known.published.forget_own_diagnostics(&path);
                    let seen = ObservedVersion { version, document, told_at: now, has_text: false };
                    let held = known.documents.observe_open(
                        &path,
                        (uri, &language),
                        (seen, !is_modified, is_first),
                        now,
                    );
                    let age = file_age(&path).and_then(|age| now.checked_sub(age));
                    let is_known = age.is_some_and(|written| written < known.began);
                    if is_first && !is_known {
                        // It was written since the server read the project.
                        held.edited = Some((now, tick));
                        known.others_changed = known.others_changed.max(age);
                    }
                    known.readiness.document_opened(now);
                }
                DocumentEvent::Changed { version, document, is_modified } => {
                    let seen = ObservedVersion { version, document, told_at: now, has_text: false };
                    known.documents.observe_change(&path, seen, !is_modified, (now, tick));
                }
                DocumentEvent::Renumbered { document } => {
                    if let Some(held) = known.documents.get_mut(&path) {
                        held.observed =
                            held.observed.map(|observed| ObservedVersion { document, ..observed });
                    }
                }
                DocumentEvent::Saved => {
                    if let Some(held) = known.documents.get_mut(&path) {
                        held.disk_version = Some(held.version);
                        held.last_save = Some((held.version, now));
                        if !self.inner.launch.quirks.sees_unsaved {
                            // Other files see it from now on.
                            held.edited = Some((now, tick));
                        }
                    }
                    known.text_saved = Some(now);
                    known.last_save = Some(now);
                    known.save_runs.expect_run(now);
                }
                DocumentEvent::Closed => {
                    if known.documents.get(&path).is_some_and(|held| !held.is_clean()) {
                        // For the server its text is the disk's from now on.
                        known.disk_changed = Some(now);
                    }
                    known.documents.close(&path);
                    known.published.forget_own_diagnostics(&path);
                }
            }
            match known.readiness.stage(now) {
                ReadinessStage::Starting { until } => until,
                _ => None,
            }
        });
        self.wake_at(begins);
    }

    /// The editor told it of files on the disk.
    pub fn observe_watched_files(&self, changes: &[(String, FileChangeType)]) {
        let changes: Vec<_> =
            changes.iter().filter_map(|(uri, change)| Some((uri::to_path(uri)?, *change))).collect();
        let is_folder_gone = |(path, change): &(PathBuf, FileChangeType)| {
            *change == FileChangeType::Deleted && path.parent().is_some_and(|folder| !folder.exists())
        };
        let is_folder_gone = changes.iter().any(is_folder_gone);
        self.inner.change(|known| {
            let now = Instant::now();
            known.others_changed = Some(now);
            // It does not read what it has open from the disk.
            if changes.iter().any(|(path, _)| known.documents.get(path).is_none()) {
                known.disk_changed = Some(now);
            }
            if is_folder_gone {
                known.folders_changed = Some(now);
            }
        });
    }

    /// It said something to the editor: a notification, or a request that the editor answers.
    pub fn observe_message(&self, method: &str, params: &RawValue) {
        match method {
            "client/registerCapability" | "client/unregisterCapability" => {
                let _ = self.inner.request(method, params);
            }
            _ => self.inner.notification(method, params),
        }
    }

    pub fn observe_end(&self) {
        self.inner.change(|known| known.ended = Some("the editor has stopped it".to_owned()));
        self.peer.close("the editor has stopped it");
    }

    /// Waits until the server was told of a document, in the version that the daemon means or a later one. Tells whether it was by then; it is
    /// not if the server has ended.
    pub async fn wait_for_document(&self, uri: &str, document: Option<i32>, until: Instant) -> bool {
        let Some(path) = uri::to_path(uri) else { return false };
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            let (is_told, has_ended) = {
                let known = self.inner.lock();
                let observed = known.documents.get(&path).and_then(|held| held.observed);
                (observed.is_some_and(|observed| observed.document >= document), known.ended.is_some())
            };
            if is_told || has_ended || Instant::now() >= until {
                return is_told;
            }
            wait_for_tick(&mut ticks, None, until).await;
        }
    }

    /// The version, as the daemon counts, of the text that it was last told of.
    pub fn document_version(&self, uri: &str) -> Option<i32> {
        let path = uri::to_path(uri)?;
        self.inner.lock().documents.get(&path)?.observed?.document
    }

    /// When the editor last told it of a document; none while it does not have it open.
    pub fn told_at(&self, uri: &str) -> Option<Instant> {
        let path = uri::to_path(uri)?;
        self.inner.lock().documents.get(&path)?.observed.map(|observed| observed.told_at)
    }

    /// It has published nothing in a long time and cannot be asked: it gives no diagnostics.
    pub fn gives_no_diagnostics(&self) -> bool {
        let known = self.inner.lock();
        let can_pull = known.pull_options(&self.inner.launch.quirks).is_some();
        !can_pull && known.last_publish.is_none() && known.began.elapsed() >= SILENT_SERVER_TIME
    }

    /// It reads the project, and will not have done so soon.
    pub fn is_indexing(&self) -> bool {
        let (known, now) = (self.inner.lock(), Instant::now());
        let is_indexing = matches!(known.readiness.stage(now), ReadinessStage::Indexing { .. });
        known.ended.is_none() && is_indexing && known.readiness.ready_again_by(now).is_none()
    }

    /// What it says of another file than the one that was changed. A server that can be asked is asked, with `may_pull`; of others it is known
    /// what they have published by now.
    pub async fn check_other(&self, path: &Path, may_pull: bool, until: Instant) -> Verdict {
        let can_pull = self.inner.lock().pull_options_for(path, &self.inner.launch.quirks).is_some();
        match can_pull && may_pull {
            true => self.wait_for_verdict(path, until).await,
            false => self.wait_for_settled(path, until).await,
        }
    }

    /// What it published last of a file, whatever text that was about.
    pub fn last_published(&self, uri: &str) -> Option<Vec<Diagnostic>> {
        let path = uri::to_path(uri)?;
        let known = self.inner.lock();
        known.published.get(&path).map(|_| known.published_diagnostics(&path))
    }

    /// The compiler behind it, if it has not checked all texts as they are: one of them is not saved, or its run is not over.
    pub fn pending_compiler(&self) -> Option<String> {
        let known = self.inner.lock();
        let quirks = &self.inner.launch.quirks;
        let compiler = quirks.compiler_name()?;
        let is_clean = known.documents.all().all(|(_, held)| held.is_clean());
        let is_checked = known.is_save_checked(quirks) && !known.save_runs.has_just_ended(Instant::now());
        (!is_clean || !is_checked).then(|| compiler.to_owned())
    }

    /// What the compiler behind it says of a file.
    pub fn compiler_diagnostics(&self, uri: &str) -> Vec<Diagnostic> {
        let Some(path) = uri::to_path(uri) else { return Vec::new() };
        self.inner.lock().saved_for(&path)
    }

    /// Files of which it has said that something is wrong, and that it does not have open.
    pub fn closed_paths(&self) -> Vec<PathBuf> {
        let known = self.inner.lock();
        let closed = known.published.with_own_diagnostics().map(|(path, _)| path);
        closed.filter(|path| known.documents.get(path).is_none()).cloned().collect()
    }
}

/// How long ago a file was written, or moved to where it is. None where there is none, or its time is in the future.
fn file_age(path: &Path) -> Option<Duration> {
    let metadata = path.metadata().ok()?;
    let modified = SystemTime::now().duration_since(metadata.modified().ok()?).ok()?;
    let age = match changed(&metadata) {
        Some(changed) => modified.min(SystemTime::now().duration_since(changed).ok()?),
        None => modified,
    };
    Some(age.saturating_sub(FILE_TIME_STEP))
}

#[cfg(unix)]
fn changed(metadata: &std::fs::Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let (seconds, nanos) =
        (u64::try_from(metadata.ctime()).ok()?, u32::try_from(metadata.ctime_nsec()).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

#[cfg(not(unix))]
fn changed(_: &std::fs::Metadata) -> Option<SystemTime> {
    None
}
