//! One running language server: its process, the documents that it has open, and its diagnostics.
//!
//! Messages to the server keep the order of the calls, and a call that sends never waits. [`LanguageServer::check`]
//! answers for the text that was last synced, by the rules of `freshness`: a publish about an older text never counts.
//!
//! Invariant: whatever a server sends or fails to send, nothing here panics, grows without a cap, or waits past its
//! deadline.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use copydesk_workspace::process::sandbox::{ProgramPlacement, ProgramSandbox, SandboxError, SandboxPurpose};
use copydesk_workspace::process::{ProcessError, ProcessPipes, Processes, ProgramSpec};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use self::documents::ServerDocument;
use self::initialize::{IncludeText, ServerCapabilities};
use self::process::ServerProcess;
use self::readiness::ReadinessStage;
use self::record::{ReadinessGate, ServerRecord};
use crate::diagnostic::{Diagnostic, Severity};
use crate::quirks::Quirks;
use crate::report::Verdict;
use crate::source::CheckedDocument;
use crate::time_limits::{EXIT_TIMEOUT, INITIALIZE_TIMEOUT};
use copydesk_rpc::peer::{PeerError, RpcPeer};

mod check_document;
mod clamp;
mod code_edits;
mod code_query;
mod configuration;
mod document_selector;
mod documents;
mod formatting;
mod freshness;
mod initialize;
mod judge;
mod message_handler;
mod observed;
mod other_files;
mod parse;
mod preamble;
mod process;
mod published_files;
mod readiness;
mod record;
mod registrations;
mod save_diagnostics;
mod save_runs;
mod sent_versions;
mod status_warnings;
#[cfg(test)]
mod tests;
mod text_edits;
mod tsserver;
mod uri;
mod watched_files;
mod workspace_edit;

pub use code_edits::{ServerCodeAction, ServerText};
pub use code_query::{CodeQuery, CodeQueryError, HierarchyItem, ServerLocation, ServerSymbol};
pub use observed::{DocumentEvent, EXPECTED_DOCUMENT, EditorServerLaunch, ObservedTexts, TAKES_EDITS};
pub use text_edits::{ServerTextEdit, apply_text_edits};
pub use workspace_edit::{ExistingFilePolicy, ServerFileOperation, ServerWorkspaceEdit};

/// How to start a server, and how to talk to it.
#[derive(Debug, Clone)]
pub struct ServerLaunch {
    /// Its name in reports: `rust-analyzer`.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Changes to the environment: a value to set, or `None` to remove the variable.
    pub environment: Vec<(OsString, Option<OsString>)>,
    pub sandbox: ProgramSandbox,
    pub root: PathBuf,
    /// Workspace folders. If empty, the root is the only one.
    pub folders: Vec<PathBuf>,
    /// `initializationOptions`.
    pub initialization: Value,
    /// Answers to `workspace/configuration`, by section.
    pub settings: Value,
    pub quirks: Quirks,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LanguageServerState {
    /// It reads the project; what it says meanwhile does not count.
    Indexing {
        /// The server's own words, if it sent any.
        message: Option<String>,
        percent: Option<u32>,
    },
    Ready,
    /// The process lives, but did not answer this request for a long time.
    Hung {
        request: String,
    },
    /// `why` completes "it has ended: …".
    Ended {
        why: String,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum ServerStartError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("it cannot run in the sandbox: {}; {}", .0, .0.advice())]
    Sandbox(SandboxError),
    /// The process exited. `why` includes the tail of its stderr.
    #[error("it ended while it was starting: {why}")]
    Ended { why: String },
    #[error("it does not take the greeting: {0}")]
    InitializeFailed(String),
    #[error("it did not answer the greeting within {} s", .0.as_secs())]
    InitializeTimedOut(Duration),
}

/// A position in the order of all events of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventMark(u64);

/// The diagnostics that a server has published so far. A file that is missing has none.
#[derive(Debug, Default)]
pub struct PublishedSnapshot {
    /// Diagnostics of the last save's run, if the run is complete and nothing was written since.
    pub on_save: Option<BTreeMap<PathBuf, Arc<Vec<Diagnostic>>>>,
    /// Diagnostics of closed files, if the server publishes them.
    pub closed_files: Option<BTreeMap<PathBuf, Arc<Vec<Diagnostic>>>>,
}

#[derive(Debug)]
pub struct LanguageServer {
    inner: Arc<ServerInner>,
    peer: RpcPeer,
    process: Option<ServerProcess>,
}

/// The state of a server, shared by its callers and its message handler.
#[derive(Debug)]
struct ServerInner {
    launch: ServerLaunch,
    placement: ProgramPlacement,
    record: Mutex<ServerRecord>,
    /// Counts events and wakes the callers that wait.
    ticks: watch::Sender<u64>,
    state: watch::Sender<LanguageServerState>,
}

impl ServerInner {
    fn new(launch: ServerLaunch) -> Self {
        Self::placed(launch, ProgramPlacement::default())
    }

    fn placed(launch: ServerLaunch, placement: ProgramPlacement) -> Self {
        let record = ServerRecord::new(&launch.quirks, Instant::now());
        let state = record.state(Instant::now());
        let (ticks, state) = (watch::Sender::new(0), watch::Sender::new(state));
        Self { launch, placement, record: Mutex::new(record), ticks, state }
    }

    fn lock(&self) -> MutexGuard<'_, ServerRecord> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies an event to the record, and wakes the callers that wait.
    fn change<T>(&self, change: impl FnOnce(&mut ServerRecord) -> T) -> T {
        let mut record = self.lock();
        let result = change(&mut record);
        record.tick += 1;
        self.ticks.send_replace(record.tick);
        let state = record.state(Instant::now());
        self.state.send_if_modified(|before| {
            let has_changed = *before != state;
            *before = state;
            has_changed
        });
        result
    }
}

impl LanguageServer {
    /// Starts the process and sends `initialize`. The server may still have to read its project.
    pub async fn start(
        launch: ServerLaunch,
        processes: &Processes,
    ) -> Result<Arc<LanguageServer>, ServerStartError> {
        let placement = launch.sandbox.prepare(SandboxPurpose::Server, &launch.root, processes).await;
        let placement = placement.map_err(ServerStartError::Sandbox)?;
        let program = ProgramSpec {
            command: launch.command.clone(),
            cwd: launch.root.clone(),
            env: launch.environment.clone(),
            sandbox: placement.launch().cloned(),
        };
        let (mut piped, ProcessPipes { input, output }) = processes.pipe(&program)?;
        let inner = Arc::new(ServerInner::placed(launch, placement));
        let peer = RpcPeer::start(output, input, Arc::clone(&inner));
        match greet(&inner, &peer).await {
            Ok(()) => {
                let process = Some(ServerProcess::begin(piped, Arc::clone(&inner)));
                Ok(Self::begin(inner, peer, process))
            }
            Err(ServerStartError::Ended { why }) => {
                // The exit status says more than the closed output.
                let exit = timeout(EXIT_TIMEOUT, piped.wait()).await;
                Err(ServerStartError::Ended {
                    why: exit.map_or(why, |exit| process::describe_exit(exit, &piped.stderr())),
                })
            }
            Err(error) => Err(error),
        }
    }

    fn begin(inner: Arc<ServerInner>, peer: RpcPeer, process: Option<ServerProcess>) -> Arc<Self> {
        let server = Arc::new(Self { inner, peer, process });
        process::watch_for_hang(&server);
        server
    }

    pub fn name(&self) -> &str {
        &self.inner.launch.name
    }

    /// The id of its process group, to measure its memory.
    pub fn process_group(&self) -> Option<i32> {
        self.process.as_ref().map(|process| process.group)
    }

    /// Whether it runs in the sandbox; `None` if that is off.
    pub fn is_sandboxed(&self) -> Option<bool> {
        self.inner.placement.is_sandboxed()
    }

    /// What it builds in was replaced, and its sandbox does not let it write to the new one.
    pub fn has_stale_sandbox(&self) -> bool {
        self.inner.placement.launch().is_some_and(|launch| launch.is_stale())
    }

    pub fn state(&self) -> LanguageServerState {
        self.inner.lock().state(Instant::now())
    }

    /// While it reads the project: its name, and how far it is. For a user.
    pub fn loading(&self) -> Option<String> {
        let LanguageServerState::Indexing { percent, .. } = self.state() else { return None };
        let percent = percent.map(|percent| format!(" ({percent} %)")).unwrap_or_default();
        Some(format!("{} reads the project{percent}", self.name()))
    }

    pub fn subscribe_state(&self) -> watch::Receiver<LanguageServerState> {
        self.inner.state.subscribe()
    }

    /// How many malformed messages it sent, and the last of them.
    pub fn malformed_messages(&self) -> Option<(u64, String)> {
        self.inner.lock().malformed.clone()
    }

    /// Sends didOpen, or didChange if the text differs. Never waits.
    pub fn sync_document(&self, subject: &CheckedDocument, language: &str) {
        self.sync_text(subject, language, None);
    }

    /// The same for a proposed text. Returns the text that the server had before, if that is the one on the disk.
    pub fn sync_proposed(&self, subject: &CheckedDocument, language: &str) -> Option<Arc<String>> {
        let clean_text = |record: &ServerRecord| {
            let document = record.documents.get(&subject.path).filter(|document| document.is_clean())?;
            Some(Arc::clone(&document.text))
        };
        let before = clean_text(&self.inner.lock());
        self.sync_text(subject, language, None);
        before
    }

    /// Restores the real text after `sync_proposed`, which returned `before`: nothing was written meanwhile.
    pub fn restore_document(&self, subject: &CheckedDocument, language: &str, before: Option<&str>) {
        self.sync_text(subject, language, before);
    }

    /// Syncs a text. If it equals `disk_text`, which was on the disk all the time, it does not count as newly saved.
    fn sync_text(&self, subject: &CheckedDocument, language: &str, disk_text: Option<&str>) {
        let quirks = &self.inner.launch.quirks;
        let ready_by = self.inner.change(|record| {
            let now = Instant::now();
            let mode = (record.capabilities.sync, &quirks.change);
            let before = record.documents.get(&subject.path).map(|document| document.disk_version);
            let messages = record.documents.sync(subject, language, mode, (now, record.tick + 1));
            for (method, params) in messages {
                if method == "textDocument/didOpen" {
                    // Earlier diagnostics are about another text.
                    record.published.forget_own_diagnostics(&subject.path);
                }
                self.peer.notify(method, &params);
            }
            record.invalidate_preamble(&subject.path, quirks);
            let document = record.documents.get(&subject.path).filter(|document| document.is_clean());
            let is_new =
                |document: &ServerDocument| before.is_some_and(|before| before != document.disk_version);
            if document.is_some_and(|document| is_new(document) && disk_text != Some(document.text.as_str()))
            {
                record.text_saved = Some(now);
            }
            record.readiness.document_opened(now);
            match record.readiness.stage(now) {
                ReadinessStage::Starting { until } => until,
                _ => None,
            }
        });
        self.wake_at(ready_by);
    }

    /// Wakes the waiting callers at this moment: the server is ready then, unless it begins to report progress.
    fn wake_at(&self, ready_by: Option<Instant>) {
        let Some(ready_by) = ready_by else { return };
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            sleep_until(ready_by).await;
            let _ = inner.upgrade().map(|inner| inner.change(|_| ()));
        });
    }

    /// The synced text was saved. If a run with an earlier cause is still due, didSave is deferred; the caller that
    /// waits for the diagnostics of the save sends it once that run has begun or is overdue.
    pub fn did_save(&self, path: &Path) {
        self.inner.change(|record| {
            let now = Instant::now();
            // One deferred save stands for all: a run checks everything that was saved.
            let version = record.documents.get(path).map(|document| document.version).unwrap_or_default();
            record.save_runs.deferred_save =
                record.save_runs.run_due_until(now).map(|_| (path.to_owned(), version));
            self.notify_saved(record, path, version, now);
        });
    }

    fn notify_saved(&self, record: &mut ServerRecord, path: &Path, version: i32, now: Instant) {
        let save = record.capabilities.save;
        let message = record.documents.did_save(path, version, save == Some(IncludeText(true)), now);
        let is_due = record.save_runs.deferred_save.is_none();
        if let (Some((method, params)), Some(_), true) = (message, save, is_due) {
            record.last_save = Some(now);
            record.save_runs.expect_run(now);
            self.peer.notify(method, &params);
        }
    }

    pub fn close(&self, path: &Path) {
        self.inner.change(|record| {
            if record.documents.get(path).is_some_and(|document| !document.is_clean()) {
                // From now on the server reads the text from the disk.
                record.disk_changed = Some(Instant::now());
            }
            if let Some((method, params)) = record.documents.close(path) {
                record.published.forget_own_diagnostics(path);
                self.peer.notify(method, &params);
            }
        });
    }

    pub fn open_paths(&self) -> Vec<PathBuf> {
        self.inner.lock().documents.all().map(|(path, _)| path.clone()).collect()
    }

    /// Whether anything was written since the last didSave. Until the next one, the diagnostics that follow a save are
    /// unknown.
    pub fn needs_save(&self) -> bool {
        let record = self.inner.lock();
        let written = record.others_changed.max(record.text_saved);
        let is_owed =
            record.save_runs.deferred_save.is_some() || (written.is_some() && written > record.last_save);
        !self.inner.launch.quirks.save_sources.is_empty() && is_owed
    }

    /// The server's verdict on the last synced text, or, for a file that it does not have open, on the disk's text if
    /// it can check that.
    pub async fn check(&self, path: &Path, until: Instant) -> Verdict {
        self.wait_for_verdict(path, until).await
    }

    /// The diagnostics that follow only a save (the compiler's own), for the synced text, which must be the saved one.
    /// `None` if the server has none; then `check` is complete.
    pub async fn check_saved(&self, path: &Path, until: Instant) -> Option<Verdict> {
        self.wait_for_save_verdict(path, until).await
    }

    /// Everything that it has published so far about files that the caller did not ask about.
    pub fn published_snapshot(&self) -> PublishedSnapshot {
        let record = self.inner.lock();
        let quirks = &self.inner.launch.quirks;
        let is_clean = |path: &Path| record.documents.get(path).is_none_or(ServerDocument::is_clean);
        let is_save_checked =
            record.is_save_checked(quirks) && !record.save_runs.has_just_ended(Instant::now());
        let saved = || record.published.with_save_diagnostics().filter(|(path, _)| is_clean(path));
        let is_pushed = quirks.publishes_closed && record.pull_options(quirks).is_empty();
        let is_ready = matches!(record.gate(Instant::now()), ReadinessGate::Open(_));
        let closed = || {
            record.published.with_own_diagnostics().filter(|(path, _)| record.documents.get(path).is_none())
        };
        PublishedSnapshot {
            on_save: is_save_checked.then(|| {
                saved().map(|(path, all)| (path.clone(), Arc::clone(&all.save_diagnostics))).collect()
            }),
            closed_files: (is_pushed && is_ready)
                .then(|| closed().map(|(path, all)| (path.clone(), Arc::clone(&all.diagnostics))).collect()),
        }
    }

    /// Diagnostics of a save since `since`, for files whose text has not changed since. Empty until the save's run is
    /// complete.
    pub fn other_files_on_save(&self, since: EventMark) -> Vec<(PathBuf, Verdict)> {
        let record = self.inner.lock();
        if !record.is_save_checked(&self.inner.launch.quirks) {
            return Vec::new();
        }
        let others = record.other_files_since(since).map(|(path, _)| path.clone());
        others
            .filter_map(|path| record.save_verdict(&path).map(|verdict| (path, verdict)))
            .take(other_files::MAX_REPORTED_FILES)
            .collect()
    }

    /// Whether the run after the last write has ended, and found no error in any file.
    pub fn is_compiled_without_errors(&self) -> bool {
        let record = self.inner.lock();
        let is_error = |item: &Diagnostic| item.severity == Severity::Error;
        record.is_save_checked(&self.inner.launch.quirks)
            && record.documents.all().all(|(_, document)| document.is_clean())
            && !record
                .published
                .with_save_diagnostics()
                .any(|(_, file)| file.save_diagnostics.iter().any(is_error))
    }

    /// Whether the server answers pulls for the files that it publishes by itself, so that no caller must wait for
    /// publishes.
    pub fn can_pull_others(&self) -> bool {
        self.inner.lock().can_pull_others(&self.inner.launch.quirks)
    }

    /// The current position, for `check_other_files`. Take it before `sync_document`.
    pub fn event_mark(&self) -> EventMark {
        EventMark(self.inner.lock().tick)
    }

    /// Verdicts since `since` on files whose text has not changed since: from publishes, related documents or pulls.
    /// Without the diagnostics that follow only a save. The caller checks the `requested` files itself, so they are not
    /// pulled here.
    pub async fn check_other_files(
        &self,
        since: EventMark,
        requested: &BTreeSet<PathBuf>,
        until: Instant,
    ) -> Vec<(PathBuf, Verdict)> {
        self.wait_for_other_files(since, requested, until).await
    }

    /// Sends `shutdown` and `exit`, SIGTERM after `grace`, and SIGKILL half of `grace` later.
    pub async fn shut_down(&self, grace: Duration) {
        self.inner.change(|record| {
            record.is_stopped = true;
            record.ended.get_or_insert_with(|| "it was stopped".to_owned());
        });
        let asked = self.peer.request("shutdown", &());
        let _ = timeout(grace / 2, asked).await;
        self.peer.notify("exit", &());
        if let Some(process) = &self.process {
            process.stop(grace / 2).await;
        }
        self.peer.close("it was stopped");
    }
}

async fn greet(inner: &ServerInner, peer: &RpcPeer) -> Result<(), ServerStartError> {
    // A server in the sandbox does not see the daemon's process, and many end when they miss it. They end with the daemon all the same.
    let daemon = inner.placement.launch().is_none().then(std::process::id);
    let asked = peer.request("initialize", &initialize::initialize_params(&inner.launch, daemon));
    let answer = match timeout(INITIALIZE_TIMEOUT, asked).await {
        Err(_) => return Err(ServerStartError::InitializeTimedOut(INITIALIZE_TIMEOUT)),
        Ok(Err(PeerError::Ended(why))) => return Err(ServerStartError::Ended { why }),
        Ok(Err(PeerError::Rpc(error))) => return Err(ServerStartError::InitializeFailed(error.to_string())),
        Ok(Ok(answer)) => answer,
    };
    let capabilities = ServerCapabilities::read(&record::parse_value(&answer));
    inner.change(|record| record.capabilities = capabilities);
    peer.notify("initialized", &json!({}));
    let settings = &inner.launch.settings;
    if settings.as_object().is_some_and(|settings| !settings.is_empty()) {
        peer.notify("workspace/didChangeConfiguration", &json!({ "settings": settings }));
    }
    Ok(())
}
