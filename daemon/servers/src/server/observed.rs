//! A language server that an editor started. The editor reports what it sends to the server and what the server sends,
//! and the daemon judges that as it does for its own servers.
//!
//! Messages of the judge (a pull, the same text once more) go into the streams given to [`LanguageServer::observe`];
//! the caller reads them and has the editor send them. The editor counts the versions of texts; versions from
//! 1,000,000,000 on are the daemon's.

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
use super::{LanguageServer, ServerInner, ServerLaunch, uri};
use crate::diagnostic::Diagnostic;
use crate::known_servers;
use crate::report::Verdict;
use crate::time_limits::{FILE_TIME_STEP, SILENT_SERVER_TIME};
use copydesk_workspace::disk_watcher::FileChangeType;
use copydesk_workspace::process::sandbox::ProgramSandbox;

/// A member of params to an editor's server. It names the text that they are about: its `uri`, and the `version` that
/// the server must have. The editor reads it, and removes it before it sends the params.
pub const EXPECTED_DOCUMENT: &str = "copydesk/document";

/// A member of params to an editor's server: the edits that the server asks for meanwhile are the daemon's. The editor removes it, too.
pub const TAKES_EDITS: &str = "copydesk/takesEdits";

/// The source of an editor's texts.
pub trait ObservedTexts: Debug + Send + Sync {
    /// The text of an open document, if the daemon has this version.
    fn open_text(&self, path: &Path, version: i32) -> Option<Arc<String>>;

    fn saved_text(&self, path: &Path) -> Option<Arc<String>>;
}

#[derive(Debug, Clone)]
pub struct EditorServerLaunch {
    /// The editor's name for it.
    pub name: String,
    /// The name that the server gives itself.
    pub own_name: Option<String>,
    /// LSP's ids of the languages that it serves, if the editor does not know which server it is.
    pub languages: Vec<String>,
    /// The program and its arguments, if the editor knows them.
    pub command: Vec<String>,
    pub root: Option<PathBuf>,
    pub encoding: PositionEncoding,
    pub capabilities: Value,
    /// It ran before the daemon began to listen.
    pub is_running: bool,
}

/// What an editor did with a document, as one of its servers sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentEvent {
    /// `is_first`: the server got it just now.
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
    /// The daemon has the same text under another version.
    Renumbered {
        document: Option<i32>,
    },
    /// `is_modified`: what was written is not what the buffer has now.
    Saved {
        is_modified: bool,
    },
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
        let capabilities = ServerCapabilities::read(&json!({ "capabilities": launch.capabilities }));
        let names = [Some(launch.name.as_str()), launch.own_name.as_deref()].into_iter().flatten();
        let tsserver = capabilities.tsserver;
        let quirks = known_servers::quirks_in_editor(names, &launch.languages, &launch.command, tsserver);
        let readiness = Readiness::observed(quirks.ready.clone(), launch.is_running, Instant::now());
        let inner = Arc::new(ServerInner::new(ServerLaunch {
            name: launch.name,
            command: Vec::new(),
            environment: Vec::new(),
            sandbox: ProgramSandbox::default(),
            root: launch.root.unwrap_or_default(),
            folders: Vec::new(),
            initialization: Value::Null,
            settings: Value::Null,
            quirks,
        }));
        inner.change(|record| {
            record.capabilities = capabilities;
            record.encoding = launch.encoding;
            record.observed_texts = Some(texts);
            record.readiness = readiness;
        });
        let peer = RpcPeer::start(reader, writer, Arc::clone(&inner));
        Self::begin(inner, peer, None)
    }

    /// Whether the diagnostic repeats one of another file.
    pub fn is_echo(&self, diagnostic: &Diagnostic) -> bool {
        self.inner.launch.quirks.is_echo(diagnostic)
    }

    pub fn observe_document(&self, uri: &str, event: DocumentEvent) {
        let Some(path) = uri::to_path(uri) else { return };
        let ready_by = self.inner.change(|record| {
            let (now, tick) = (Instant::now(), record.tick + 1);
            match event {
                DocumentEvent::Opened { language, version, document, is_modified, is_first } => {
                    // Earlier diagnostics are about another text.
                    record.published.forget_own_diagnostics(&path);
                    let observed =
                        ObservedVersion { number: version, document, told_at: now, has_text: false };
                    let open = record.documents.observe_open(
                        &path,
                        (uri, &language),
                        (observed, !is_modified, is_first),
                        now,
                    );
                    let written_at = file_age(&path).and_then(|age| now.checked_sub(age));
                    let is_known = written_at.is_some_and(|written_at| written_at < record.began);
                    if is_first {
                        record.first_text.get_or_insert(now);
                    }
                    if is_first && !is_known {
                        // It was written after the server read the project.
                        open.edited = Some((now, tick));
                        record.others_changed = record.others_changed.max(written_at);
                    }
                    record.readiness.document_opened(now);
                }
                DocumentEvent::Changed { version, document, is_modified } => {
                    record.first_text.get_or_insert(now);
                    let observed =
                        ObservedVersion { number: version, document, told_at: now, has_text: false };
                    record.documents.observe_change(&path, observed, !is_modified, (now, tick));
                }
                DocumentEvent::Renumbered { document } => {
                    if let Some(open) = record.documents.get_mut(&path) {
                        open.observed =
                            open.observed.map(|observed| ObservedVersion { document, ..observed });
                    }
                }
                DocumentEvent::Saved { is_modified } => {
                    if let Some(open) = record.documents.get_mut(&path).filter(|_| !is_modified) {
                        open.disk_version = Some(open.version);
                        open.last_save = Some((open.version, now));
                        if !self.inner.launch.quirks.sees_unsaved {
                            // Other files see this text from now on.
                            open.edited = Some((now, tick));
                        }
                    }
                    record.text_saved = Some(now);
                    record.last_save = Some(now);
                    record.save_runs.expect_run(now);
                }
                DocumentEvent::Closed => {
                    if record.documents.get(&path).is_some_and(|open| !open.is_clean()) {
                        // From now on the server reads the text from the disk.
                        record.disk_changed = Some(now);
                    }
                    record.documents.close(&path);
                    record.published.forget_own_diagnostics(&path);
                }
            }
            match record.readiness.stage(now) {
                ReadinessStage::Starting { until } => until,
                _ => None,
            }
        });
        self.wake_at(ready_by);
    }

    /// The editor sent didChangeWatchedFiles.
    pub fn observe_watched_files(&self, changes: &[(String, FileChangeType)]) {
        let changes: Vec<_> =
            changes.iter().filter_map(|(uri, change)| Some((uri::to_path(uri)?, *change))).collect();
        let is_folder_gone = |(path, change): &(PathBuf, FileChangeType)| {
            *change == FileChangeType::Deleted && path.parent().is_some_and(|folder| !folder.exists())
        };
        let is_folder_gone = changes.iter().any(is_folder_gone);
        self.inner.change(|record| {
            let now = Instant::now();
            record.others_changed = Some(now);
            // It does not read open files from the disk.
            if changes.iter().any(|(path, _)| record.documents.get(path).is_none()) {
                record.disk_changed = Some(now);
            }
            if is_folder_gone {
                record.folders_changed = Some(now);
            }
        });
    }

    /// The server sent something to the editor: a notification, or a request that the editor answers.
    pub fn observe_message(&self, method: &str, params: &RawValue) {
        match method {
            "client/registerCapability" | "client/unregisterCapability" | "workspace/applyEdit" => {
                let _ = self.inner.request(method, params);
            }
            _ => self.inner.notification(method, params),
        }
    }

    pub fn observe_end(&self) {
        self.inner.change(|record| record.ended = Some("the editor has stopped it".to_owned()));
        self.peer.close("the editor has stopped it");
    }

    /// Waits until the server has got a document, in this version of the daemon's or a later one. Returns whether it
    /// has; `false` if the server has ended.
    pub async fn wait_for_document(&self, uri: &str, document: Option<i32>, until: Instant) -> bool {
        let Some(path) = uri::to_path(uri) else { return false };
        let mut ticks = self.inner.ticks.subscribe();
        loop {
            ticks.borrow_and_update();
            let (is_sent, has_ended) = {
                let record = self.inner.lock();
                let observed = record.documents.get(&path).and_then(|open| open.observed);
                (observed.is_some_and(|observed| observed.document >= document), record.ended.is_some())
            };
            if is_sent || has_ended || Instant::now() >= until {
                return is_sent;
            }
            wait_for_tick(&mut ticks, None, until).await;
        }
    }

    /// The daemon's version of the text that the server last got.
    pub fn document_version(&self, uri: &str) -> Option<i32> {
        let path = uri::to_path(uri)?;
        self.inner.lock().documents.get(&path)?.observed?.document
    }

    /// When the editor last sent a document to it; `None` if the document is not open.
    pub fn told_at(&self, uri: &str) -> Option<Instant> {
        let path = uri::to_path(uri)?;
        self.inner.lock().documents.get(&path)?.observed.map(|observed| observed.told_at)
    }

    /// Whether it gives no diagnostics: it does not answer pulls, and has published nothing for a long time after it got
    /// a text.
    pub fn gives_no_diagnostics(&self) -> bool {
        let (record, quirks) = (self.inner.lock(), &self.inner.launch.quirks);
        let has_been_silent = record.first_text.is_some_and(|at| at.elapsed() >= SILENT_SERVER_TIME);
        let can_pull = !record.pull_options(quirks).is_empty();
        quirks.may_lack_diagnostics && !can_pull && record.last_publish.is_none() && has_been_silent
    }

    /// Whether it has a text that the daemon does not see: the buffer is modified, and the editor does not sync it.
    pub fn has_unseen_text(&self, uri: &str) -> bool {
        let record = self.inner.lock();
        let document = uri::to_path(uri).and_then(|path| record.documents.get(&path));
        document.is_some_and(|document| {
            !document.is_clean() && document.observed.is_some_and(|observed| observed.document.is_none())
        })
    }

    /// Whether it reads the project, and is not expected to be ready soon.
    pub fn is_indexing(&self) -> bool {
        let (record, now) = (self.inner.lock(), Instant::now());
        let is_indexing = matches!(record.readiness.stage(now), ReadinessStage::Indexing { .. });
        record.ended.is_none() && is_indexing && record.readiness.ready_again_by(now).is_none()
    }

    /// The verdict on a file other than the changed one. With `may_pull`, a server that answers pulls is asked; for the
    /// others, only what they have published so far counts.
    pub async fn check_other(&self, path: &Path, may_pull: bool, until: Instant) -> Verdict {
        let can_pull = !self.inner.lock().pull_options_for(path, &self.inner.launch.quirks).is_empty();
        match can_pull && may_pull {
            true => self.wait_for_verdict(path, until).await,
            false => self.wait_for_settled(path, until).await,
        }
    }

    /// The last publish for a file, whatever text it was about.
    pub fn last_published(&self, uri: &str) -> Option<Vec<Diagnostic>> {
        let path = uri::to_path(uri)?;
        let record = self.inner.lock();
        record.published.get(&path).map(|_| record.published_diagnostics(&path))
    }

    /// The name of its compiler, if that has not checked all current texts: one of them is not saved, or its run is not
    /// over.
    pub fn pending_compiler(&self) -> Option<String> {
        let record = self.inner.lock();
        let quirks = &self.inner.launch.quirks;
        let compiler = quirks.compiler_name()?;
        let is_clean = record.documents.all().all(|(_, open)| open.is_clean());
        let is_checked = record.is_save_checked(quirks) && !record.save_runs.has_just_ended(Instant::now());
        (!is_clean || !is_checked).then(|| compiler.to_owned())
    }

    /// The compiler's diagnostics of a file.
    pub fn compiler_diagnostics(&self, uri: &str) -> Vec<Diagnostic> {
        let Some(path) = uri::to_path(uri) else { return Vec::new() };
        self.inner.lock().save_diagnostics_for(&path)
    }

    /// Closed files with diagnostics.
    pub fn closed_paths(&self) -> Vec<PathBuf> {
        let record = self.inner.lock();
        let closed = record.published.with_own_diagnostics().map(|(path, _)| path);
        closed.filter(|path| record.documents.get(path).is_none()).cloned().collect()
    }
}

/// How long ago a file was written, or moved to its place. `None` if it does not exist, or its time is in the future.
fn file_age(path: &Path) -> Option<Duration> {
    let metadata = path.metadata().ok()?;
    let modified = SystemTime::now().duration_since(metadata.modified().ok()?).ok()?;
    let age = match change_time(&metadata) {
        Some(changed) => modified.min(SystemTime::now().duration_since(changed).ok()?),
        None => modified,
    };
    Some(age.saturating_sub(FILE_TIME_STEP))
}

#[cfg(unix)]
fn change_time(metadata: &std::fs::Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let (seconds, nanos) =
        (u64::try_from(metadata.ctime()).ok()?, u32::try_from(metadata.ctime_nsec()).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

#[cfg(not(unix))]
fn change_time(_: &std::fs::Metadata) -> Option<SystemTime> {
    None
}
