//! One running language server: its life, the documents that it is told of, and what it says of them.
//!
//! What is sent to a server goes out in the order of the calls, and no call that sends waits. [`Server::check`] answers for the
//! text that was last held, by the rules of `freshness`: what the server said of an older text is never taken for it.
//!
//! Invariant: whatever a server sends or does not send, nothing here panics, grows without a limit, or waits past the time that
//! it was given.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use copydesk_workspace::process::{ProcessError, ProcessPipes, Processes, ProgramSpec};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use self::documents::ServerDocument;
use self::initialize::{IncludeText, ServerCapabilities};
use self::process::ServerProcess;
use self::readiness::ReadinessStage;
use self::record::{ReadinessGate, ServerRecord};
use crate::diagnostic::Diagnostic;
use crate::quirks::Quirks;
use crate::report::Verdict;
use crate::source::CheckedDocument;
use crate::time_limits::{EXIT_TIMEOUT, INITIALIZE_TIMEOUT};
use copydesk_rpc::peer::{PeerError, RpcPeer};

mod check_document;
mod clamp;
mod configuration;
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
#[cfg(test)]
mod tests;
mod tsserver;
mod uri;

pub use observed::{DocumentEvent, EXPECTED_DOCUMENT, EditorServerLaunch, ObservedTexts};

/// What is started, and how it is spoken to.
#[derive(Debug, Clone)]
pub struct ServerLaunch {
    /// As reports name it: `rust-analyzer`.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Changes to the environment: a value to set, or none to take a variable away.
    pub environment: Vec<(OsString, Option<OsString>)>,
    pub root: PathBuf,
    /// The root is one of them where it is empty.
    pub folders: Vec<PathBuf>,
    /// `initializationOptions`.
    pub initialization: Value,
    /// What `workspace/configuration` is answered from, by section.
    pub settings: Value,
    pub quirks: Quirks,
}

/// How a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LanguageServerState {
    /// It reads the project; what it says meanwhile means nothing.
    Indexing {
        /// In its own words, where it has any.
        message: Option<String>,
        percent: Option<u32>,
    },
    Ready,
    /// Its process lives, but a request of this name was not answered in a long time.
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
    /// Its process was there, and went. `why` has the last of what it printed as errors.
    #[error("it ended while it was starting: {why}")]
    Ended { why: String },
    #[error("it does not take the greeting: {0}")]
    InitializeFailed(String),
    #[error("it did not answer the greeting within {} s", .0.as_secs())]
    InitializeTimedOut(Duration),
}

/// What became of a file on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileChangeType {
    Created,
    Changed,
    Deleted,
}

/// A moment in what a server has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventMark(u64);

/// What a server has said by now. Of files that are not named it has said that nothing is wrong.
#[derive(Debug, Default)]
pub struct PublishedSnapshot {
    /// After the last save, if that is all there, and nothing was written since.
    pub on_save: Option<BTreeMap<PathBuf, Arc<Vec<Diagnostic>>>>,
    /// Of files that are closed, if it tells of them.
    pub closed_files: Option<BTreeMap<PathBuf, Arc<Vec<Diagnostic>>>>,
}

#[derive(Debug)]
pub struct LanguageServer {
    inner: Arc<ServerInner>,
    peer: RpcPeer,
    life: Option<ServerProcess>,
}

/// What is known of a server, by whoever asks and by what comes from it.
#[derive(Debug)]
struct ServerInner {
    launch: ServerLaunch,
    known: Mutex<ServerRecord>,
    /// Counts what happens, for those who wait.
    ticks: watch::Sender<u64>,
    state: watch::Sender<LanguageServerState>,
}

impl ServerInner {
    fn new(launch: ServerLaunch) -> Self {
        let known = ServerRecord::new(&launch.quirks, Instant::now());
        let state = known.state(Instant::now());
        let (ticks, state) = (watch::Sender::new(0), watch::Sender::new(state));
        Self { launch, known: Mutex::new(known), ticks, state }
    }

    fn lock(&self) -> MutexGuard<'_, ServerRecord> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happens, and those who wait look at it.
    fn change<T>(&self, change: impl FnOnce(&mut ServerRecord) -> T) -> T {
        let mut known = self.lock();
        let result = change(&mut known);
        known.tick += 1;
        self.ticks.send_replace(known.tick);
        let state = known.state(Instant::now());
        self.state.send_if_modified(|before| {
            let is_other = *before != state;
            *before = state;
            is_other
        });
        result
    }
}

impl LanguageServer {
    /// Starts the process and greets it. It is not necessarily ready then.
    pub async fn start(
        launch: ServerLaunch,
        processes: &Processes,
    ) -> Result<Arc<LanguageServer>, ServerStartError> {
        let program = ProgramSpec {
            command: launch.command.clone(),
            cwd: launch.root.clone(),
            env: launch.environment.clone(),
        };
        let (mut piped, ProcessPipes { input, output }) = processes.pipe(&program)?;
        let inner = Arc::new(ServerInner::new(launch));
        let peer = RpcPeer::start(output, input, Arc::clone(&inner));
        match greet(&inner, &peer).await {
            Ok(()) => {
                let life = Some(ServerProcess::begin(piped, Arc::clone(&inner)));
                Ok(Self::begin(inner, peer, life))
            }
            Err(ServerStartError::Ended { why }) => {
                // Its exit says more than that it is silent.
                let exit = timeout(EXIT_TIMEOUT, piped.wait()).await;
                Err(ServerStartError::Ended {
                    why: exit.map_or(why, |exit| process::describe_exit(exit, &piped.stderr())),
                })
            }
            Err(error) => Err(error),
        }
    }

    fn begin(inner: Arc<ServerInner>, peer: RpcPeer, life: Option<ServerProcess>) -> Arc<Self> {
        let server = Arc::new(Self { inner, peer, life });
        process::watch_for_hang(&server);
        server
    }

    pub fn name(&self) -> &str {
        &self.inner.launch.name
    }

    /// The number of its process group, for whoever looks at its memory.
    pub fn process_group(&self) -> Option<i32> {
        self.life.as_ref().map(|life| life.group)
    }

    pub fn state(&self) -> LanguageServerState {
        self.inner.lock().state(Instant::now())
    }

    /// Whether it looks at the project once more, and will have done so soon.
    pub fn is_reindexing_briefly(&self) -> bool {
        self.inner.lock().readiness.ready_again_by(Instant::now()).is_some()
    }

    /// Its state from now on.
    pub fn subscribe_state(&self) -> watch::Receiver<LanguageServerState> {
        self.inner.state.subscribe()
    }

    /// How often it sent something that is no message, and what that was the last time.
    pub fn malformed_messages(&self) -> Option<(u64, String)> {
        self.inner.lock().malformed.clone()
    }

    /// Opens a document, or tells of its text where that is another. Never waits.
    pub fn sync_document(&self, subject: &CheckedDocument, language: &str) {
        self.hold_after(subject, language, None);
    }

    /// The same for a text that is not the document's. Gives what it held before, where that lies on the disk.
    pub fn sync_proposed(&self, subject: &CheckedDocument, language: &str) -> Option<Arc<String>> {
        let held = |known: &ServerRecord| {
            let held = known.documents.get(&subject.path).filter(|held| held.is_clean())?;
            Some(Arc::clone(&held.text))
        };
        let before = held(&self.inner.lock());
        self.hold_after(subject, language, None);
        before
    }

    /// The true text again, after another was lent, and what `lend` gave then: nothing was written meanwhile.
    pub fn restore_document(&self, subject: &CheckedDocument, language: &str, before: Option<&str>) {
        self.hold_after(subject, language, before);
    }

    /// `there` lay on the disk all the time.
    fn hold_after(&self, subject: &CheckedDocument, language: &str, there: Option<&str>) {
        let quirks = &self.inner.launch.quirks;
        let begins = self.inner.change(|known| {
            let now = Instant::now();
            let how = (known.capabilities.sync, &quirks.change);
            let before = known.documents.get(&subject.path).map(|held| held.disk_version);
            let messages = known.documents.sync(subject, language, how, (now, known.tick + 1));
            for (method, params) in messages {
                if method == "textDocument/didOpen" {
                    // What was said while it was closed, or before, is not said of what it is now.
                    known.published.forget_own_diagnostics(&subject.path);
                }
                self.peer.notify(method, &params);
            }
            known.invalidate_preamble(&subject.path, quirks);
            let held = known.documents.get(&subject.path).filter(|held| held.is_clean());
            let is_new = |held: &ServerDocument| before.is_some_and(|before| before != held.disk_version);
            if held.is_some_and(|held| is_new(held) && there != Some(held.text.as_str())) {
                known.text_saved = Some(now);
            }
            known.readiness.document_opened(now);
            match known.readiness.stage(now) {
                ReadinessStage::Starting { until } => until,
                _ => None,
            }
        });
        self.wake_at(begins);
    }

    /// Those who wait look again at this moment: by then it is ready, if nothing has begun.
    fn wake_at(&self, begins: Option<Instant>) {
        let Some(begins) = begins else { return };
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            sleep_until(begins).await;
            let _ = inner.upgrade().map(|inner| inner.change(|_| ()));
        });
    }

    /// The text that is held of it was saved. Where something that was saved before is about to be looked at, the server is told
    /// of it when that has begun, by whoever waits for what follows.
    pub fn did_save(&self, path: &Path) {
        self.inner.change(|known| {
            let now = Instant::now();
            // One stands for all: whoever looks at what was saved looks at everything.
            let version = known.documents.get(path).map(|held| held.version).unwrap_or_default();
            known.save_runs.deferred_save =
                known.save_runs.run_due_until(now).map(|_| (path.to_owned(), version));
            self.tell_saved(known, path, version, now);
        });
    }

    fn tell_saved(&self, known: &mut ServerRecord, path: &Path, version: i32, now: Instant) {
        let save = known.capabilities.save;
        let message = known.documents.did_save(path, version, save == Some(IncludeText(true)), now);
        let is_now = known.save_runs.deferred_save.is_none();
        if let (Some((method, params)), Some(_), true) = (message, save, is_now) {
            known.last_save = Some(now);
            known.save_runs.expect_run(now);
            self.peer.notify(method, &params);
        }
    }

    pub fn close(&self, path: &Path) {
        self.inner.change(|known| {
            if known.documents.get(path).is_some_and(|held| !held.is_clean()) {
                // For the server its text is the disk's from now on.
                known.disk_changed = Some(Instant::now());
            }
            if let Some((method, params)) = known.documents.close(path) {
                known.published.forget_own_diagnostics(path);
                self.peer.notify(method, &params);
            }
        });
    }

    /// Those that are held, at this moment.
    pub fn open_paths(&self) -> Vec<PathBuf> {
        self.inner.lock().documents.all().map(|(path, _)| path.clone()).collect()
    }

    /// Files changed on the disk. Those that it did not ask to be told of are left out.
    pub fn did_change_watched_files(&self, changed: &[(PathBuf, FileChangeType)]) {
        let watches = self.inner.lock().registrations.watch_patterns();
        // Looked through before anybody is kept waiting: a command may change thousands of files.
        let wanted = changed.iter().filter(|(path, change)| watches.is_watched(path, *change));
        let change = |(path, change): &(PathBuf, FileChangeType)| {
            let kind = match change {
                FileChangeType::Created => 1,
                FileChangeType::Changed => 2,
                FileChangeType::Deleted => 3,
            };
            Some(json!({ "uri": uri::from_path(path)?, "type": kind }))
        };
        let changes: Vec<_> = wanted.filter_map(change).collect();
        self.inner.change(|known| {
            known.others_changed = Some(Instant::now());
            // One that never said what it wants to hear of may look for itself.
            if !changes.is_empty() || watches.is_empty() {
                known.disk_changed = Some(Instant::now());
            }
            if !changes.is_empty() {
                self.peer.notify("workspace/didChangeWatchedFiles", &json!({ "changes": changes }));
            }
        });
    }

    /// Folders came or went on the disk.
    pub fn note_folders_changed(&self) {
        self.inner.change(|known| known.folders_changed = Some(Instant::now()));
    }

    /// Whether something was written since it was last told of a save: what follows a save alone is not known then, until it
    /// is told of one again.
    pub fn needs_save(&self) -> bool {
        let known = self.inner.lock();
        let written = known.others_changed.max(known.text_saved);
        let is_owed =
            known.save_runs.deferred_save.is_some() || (written.is_some() && written > known.last_save);
        !self.inner.launch.quirks.saves_for.is_empty() && is_owed
    }

    /// What it says of the text that was last held. Of a file that is not held, what it says of the disk, where it can.
    pub async fn check(&self, path: &Path, until: Instant) -> Verdict {
        self.wait_for_verdict(path, until).await
    }

    /// What follows a save alone (the compiler's own diagnostics), for the text that is held, which must be the one that was
    /// saved. None where nothing follows a save; then `check` says it all.
    pub async fn check_saved(&self, path: &Path, until: Instant) -> Option<Verdict> {
        self.wait_for_save_verdict(path, until).await
    }

    /// All that it has said of files that it was not asked about, at this moment.
    pub fn published_snapshot(&self) -> PublishedSnapshot {
        let known = self.inner.lock();
        let quirks = &self.inner.launch.quirks;
        let is_clean = |path: &Path| known.documents.get(path).is_none_or(ServerDocument::is_clean);
        let is_followed = known.is_save_checked(quirks) && !known.save_runs.has_just_ended(Instant::now());
        let saved = || known.published.with_save_diagnostics().filter(|(path, _)| is_clean(path));
        let is_pushed = quirks.pushes_closed && known.pull_options(quirks).is_none();
        let is_ready = matches!(known.gate(Instant::now()), ReadinessGate::Open(_));
        let closed =
            || known.published.with_own_diagnostics().filter(|(path, _)| known.documents.get(path).is_none());
        PublishedSnapshot {
            on_save: is_followed.then(|| {
                saved().map(|(path, all)| (path.clone(), Arc::clone(&all.save_diagnostics))).collect()
            }),
            closed_files: (is_pushed && is_ready)
                .then(|| closed().map(|(path, all)| (path.clone(), Arc::clone(&all.diagnostics))).collect()),
        }
    }

    /// What followed a save, since that moment, for files whose text was not changed since then. Nothing before it is all there.
    pub fn other_files_on_save(&self, since: EventMark) -> Vec<(PathBuf, Verdict)> {
        let known = self.inner.lock();
        if !known.is_save_checked(&self.inner.launch.quirks) {
            return Vec::new();
        }
        let others = known.other_files_since(since).map(|(path, _)| path.clone());
        others
            .filter_map(|path| known.save_verdict(&path).map(|said| (path, said)))
            .take(other_files::MAX_REPORTED_FILES)
            .collect()
    }

    /// Whether it can be asked about what it tells of other files by itself, so that nobody has to wait for that.
    pub fn can_pull_others(&self) -> bool {
        self.inner.lock().can_pull_others(&self.inner.launch.quirks)
    }

    /// This moment, for `others`. Taken before `hold`.
    pub fn event_mark(&self) -> EventMark {
        EventMark(self.inner.lock().tick)
    }

    /// What it says, since that moment, of files whose text was not changed since then: by publish, as related documents, or
    /// because it is asked. Without what follows a save alone.
    pub async fn check_other_files(&self, since: EventMark, until: Instant) -> Vec<(PathBuf, Verdict)> {
        self.wait_for_other_files(since, until).await
    }

    /// Asks it to end, and ends its process after `grace` whether it does or not.
    pub async fn shut_down(&self, grace: Duration) {
        self.inner.change(|known| {
            known.is_stopped = true;
            known.ended.get_or_insert_with(|| "it was stopped".to_owned());
        });
        let asked = self.peer.request("shutdown", &());
        let _ = timeout(grace / 2, asked).await;
        self.peer.notify("exit", &());
        if let Some(life) = &self.life {
            life.stop(grace / 2).await;
        }
        self.peer.close("it was stopped");
    }
}

async fn greet(inner: &ServerInner, peer: &RpcPeer) -> Result<(), ServerStartError> {
    let asked = peer.request("initialize", &initialize::initialize_params(&inner.launch));
    let answer = match timeout(INITIALIZE_TIMEOUT, asked).await {
        Err(_) => return Err(ServerStartError::InitializeTimedOut(INITIALIZE_TIMEOUT)),
        Ok(Err(PeerError::Ended(why))) => return Err(ServerStartError::Ended { why }),
        Ok(Err(PeerError::Rpc(error))) => return Err(ServerStartError::InitializeFailed(error.to_string())),
        Ok(Ok(answer)) => answer,
    };
    let offers = ServerCapabilities::read(&record::parse_value(&answer));
    inner.change(|known| known.capabilities = offers);
    peer.notify("initialized", &json!({}));
    let settings = &inner.launch.settings;
    if settings.as_object().is_some_and(|settings| !settings.is_empty()) {
        peer.notify("workspace/didChangeConfiguration", &json!({ "settings": settings }));
    }
    Ok(())
}
