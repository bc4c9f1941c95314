//! One running language server: its life, the documents that it is told of, and what it says of them.
//!
//! What is sent to a server goes out in the order of the calls, and no call that sends waits. [`Server::check`] answers for the
//! text that was last held, by the rules of `fresh`: what the server said of an older text is never taken for it.
//!
//! Invariant: whatever a server sends or does not send, nothing here panics, grows without a limit, or waits past the time that
//! it was given.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use copydesk_workspace::process::{Pipes, ProcessError, Processes, Program};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use self::documents::Held;
use self::greeting::{IncludeText, Offers};
use self::known::{Gate, Known};
use self::life::Life;
use self::readiness::Stage;
use crate::diagnostic::Diagnostic;
use crate::quirks::Quirks;
use crate::report::Said;
use crate::source::Subject;
use copydesk_rpc::peer::{Peer, PeerError};

mod checking;
mod clamp;
mod documents;
mod following;
mod form;
mod fresh;
mod greeting;
mod ground;
mod inbox;
mod known;
mod life;
mod others;
mod parse;
mod published;
mod readiness;
mod registered;
mod saves;
mod settings;
#[cfg(test)]
mod tests;
mod tsserver;
mod uri;

/// How long a server may take to answer the greeting; some are written in Java.
const GREETING: Duration = Duration::from_secs(60);
/// After the end of its output its exit is to be expected.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What is started, and how it is spoken to.
#[derive(Debug, Clone)]
pub struct Launch {
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
pub enum State {
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
pub enum StartError {
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// Its process was there, and went. `why` has the last of what it printed as errors.
    #[error("it ended while it was starting: {why}")]
    Ended { why: String },
    #[error("it does not take the greeting: {0}")]
    Refused(String),
    #[error("it did not answer the greeting within {} s", .0.as_secs())]
    Silent(Duration),
}

/// What became of a file on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnDisk {
    Created,
    Changed,
    Deleted,
}

/// A moment in what a server has said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

/// What a server has said by now. Of files that are not named it has said that nothing is wrong.
#[derive(Debug, Default)]
pub struct Past {
    /// After the last save, if that is all there, and nothing was written since.
    pub saved: Option<BTreeMap<PathBuf, Arc<Vec<Diagnostic>>>>,
    /// Of files that are closed, if it tells of them.
    pub closed: Option<BTreeMap<PathBuf, Arc<Vec<Diagnostic>>>>,
}

#[derive(Debug)]
pub struct Server {
    inner: Arc<Inner>,
    peer: Peer,
    life: Option<Life>,
}

/// What is known of a server, by whoever asks and by what comes from it.
#[derive(Debug)]
struct Inner {
    launch: Launch,
    known: Mutex<Known>,
    /// Counts what happens, for those who wait.
    ticks: watch::Sender<u64>,
    state: watch::Sender<State>,
}

impl Inner {
    fn new(launch: Launch) -> Self {
        let known = Known::new(&launch.quirks, Instant::now());
        let state = known.state(Instant::now());
        let (ticks, state) = (watch::Sender::new(0), watch::Sender::new(state));
        Self { launch, known: Mutex::new(known), ticks, state }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something happens, and those who wait look at it.
    fn change<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
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

impl Server {
    /// Starts the process and greets it. It is not necessarily ready then.
    pub async fn start(launch: Launch, processes: &Processes) -> Result<Arc<Server>, StartError> {
        let program = Program {
            command: launch.command.clone(),
            cwd: launch.root.clone(),
            env: launch.environment.clone(),
        };
        let (mut piped, Pipes { input, output }) = processes.pipe(&program)?;
        let inner = Arc::new(Inner::new(launch));
        let peer = Peer::start(output, input, Arc::clone(&inner));
        match greet(&inner, &peer).await {
            Ok(()) => {
                let life = Some(Life::begin(piped, Arc::clone(&inner)));
                Ok(Self::begin(inner, peer, life))
            }
            Err(StartError::Ended { why }) => {
                // Its exit says more than that it is silent.
                let exit = timeout(LAST_WORDS, piped.wait()).await;
                Err(StartError::Ended { why: exit.map_or(why, |exit| life::ended(exit, &piped.errors())) })
            }
            Err(error) => Err(error),
        }
    }

    fn begin(inner: Arc<Inner>, peer: Peer, life: Option<Life>) -> Arc<Self> {
        let server = Arc::new(Self { inner, peer, life });
        life::watch(&server);
        server
    }

    pub fn name(&self) -> &str {
        &self.inner.launch.name
    }

    /// The number of its process group, for whoever looks at its memory.
    pub fn group(&self) -> Option<i32> {
        self.life.as_ref().map(|life| life.group)
    }

    pub fn state(&self) -> State {
        self.inner.lock().state(Instant::now())
    }

    /// Whether it looks at the project once more, and will have done so soon.
    pub fn is_back_soon(&self) -> bool {
        self.inner.lock().readiness.back(Instant::now()).is_some()
    }

    /// Its state from now on.
    pub fn states(&self) -> watch::Receiver<State> {
        self.inner.state.subscribe()
    }

    /// How often it sent something that is no message, and what that was the last time.
    pub fn garbage(&self) -> Option<(u64, String)> {
        self.inner.lock().garbage.clone()
    }

    /// Opens a document, or tells of its text where that is another. Never waits.
    pub fn hold(&self, subject: &Subject, language: &str) {
        self.hold_after(subject, language, None);
    }

    /// The same for a text that is not the document's. Gives what it held before, where that lies on the disk.
    pub fn lend(&self, subject: &Subject, language: &str) -> Option<Arc<String>> {
        let held = |known: &Known| {
            let held = known.documents.get(&subject.path).filter(|held| held.is_clean())?;
            Some(Arc::clone(&held.text))
        };
        let before = held(&self.inner.lock());
        self.hold_after(subject, language, None);
        before
    }

    /// The true text again, after another was lent, and what `lend` gave then: nothing was written meanwhile.
    pub fn give_back(&self, subject: &Subject, language: &str, before: Option<&str>) {
        self.hold_after(subject, language, before);
    }

    /// `there` lay on the disk all the time.
    fn hold_after(&self, subject: &Subject, language: &str, there: Option<&str>) {
        let quirks = &self.inner.launch.quirks;
        let begins = self.inner.change(|known| {
            let now = Instant::now();
            let how = (known.offers.sync, &quirks.change);
            let before = known.documents.get(&subject.path).map(|held| held.on_disk);
            let messages = known.documents.hold(subject, language, how, (now, known.tick + 1));
            for (method, params) in messages {
                if method == "textDocument/didOpen" {
                    // What was said while it was closed, or before, is not said of what it is now.
                    known.published.forget_own(&subject.path);
                }
                self.peer.notify(method, &params);
            }
            known.changed_head(&subject.path, quirks);
            let held = known.documents.get(&subject.path).filter(|held| held.is_clean());
            let is_new = |held: &Held| before.is_some_and(|before| before != held.on_disk);
            if held.is_some_and(|held| is_new(held) && there != Some(held.text.as_str())) {
                known.landed = Some(now);
            }
            known.readiness.opened(now);
            match known.readiness.stage(now) {
                Stage::Starting { until } => until,
                _ => None,
            }
        });
        if let Some(begins) = begins {
            // By then it is ready, if nothing has begun.
            let inner = Arc::downgrade(&self.inner);
            tokio::spawn(async move {
                sleep_until(begins).await;
                let _ = inner.upgrade().map(|inner| inner.change(|_| ()));
            });
        }
    }

    /// The text that is held of it was saved. Where something that was saved before is about to be looked at, the server is told
    /// of it when that has begun, by whoever waits for what follows.
    pub fn saved(&self, path: &Path) {
        self.inner.change(|known| {
            let now = Instant::now();
            // One stands for all: whoever looks at what was saved looks at everything.
            let version = known.documents.get(path).map(|held| held.version).unwrap_or_default();
            known.saves.held_back = known.saves.due(now).map(|_| (path.to_owned(), version));
            self.tell_saved(known, path, version, now);
        });
    }

    fn tell_saved(&self, known: &mut Known, path: &Path, version: i32, now: Instant) {
        let save = known.offers.save;
        let message = known.documents.saved(path, version, save == Some(IncludeText(true)), now);
        let is_now = known.saves.held_back.is_none();
        if let (Some((method, params)), Some(_), true) = (message, save, is_now) {
            known.saved = Some(now);
            known.saves.cause(now);
            self.peer.notify(method, &params);
        }
    }

    pub fn close(&self, path: &Path) {
        self.inner.change(|known| {
            if known.documents.get(path).is_some_and(|held| !held.is_clean()) {
                // For the server its text is the disk's from now on.
                known.disk = Some(Instant::now());
            }
            if let Some((method, params)) = known.documents.close(path) {
                known.published.forget_own(path);
                self.peer.notify(method, &params);
            }
        });
    }

    /// Those that are held, at this moment.
    pub fn held(&self) -> Vec<PathBuf> {
        self.inner.lock().documents.all().map(|(path, _)| path.clone()).collect()
    }

    /// Files changed on the disk. Those that it did not ask to be told of are left out.
    pub fn watched(&self, changed: &[(PathBuf, OnDisk)]) {
        let watches = self.inner.lock().registered.watches();
        // Looked through before anybody is kept waiting: a command may change thousands of files.
        let wanted = changed.iter().filter(|(path, change)| watches.is_watched(path, *change));
        let change = |(path, change): &(PathBuf, OnDisk)| {
            let kind = match change {
                OnDisk::Created => 1,
                OnDisk::Changed => 2,
                OnDisk::Deleted => 3,
            };
            Some(json!({ "uri": uri::of(path)?, "type": kind }))
        };
        let changes: Vec<_> = wanted.filter_map(change).collect();
        self.inner.change(|known| {
            known.beside = Some(Instant::now());
            // One that never said what it wants to hear of may look for itself.
            if !changes.is_empty() || watches.is_empty() {
                known.disk = Some(Instant::now());
            }
            if !changes.is_empty() {
                self.peer.notify("workspace/didChangeWatchedFiles", &json!({ "changes": changes }));
            }
        });
    }

    /// Folders came or went on the disk.
    pub fn folders_changed(&self) {
        self.inner.change(|known| known.folders = Some(Instant::now()));
    }

    /// Whether something was written since it was last told of a save: what follows a save alone is not known then, until it
    /// is told of one again.
    pub fn wants_save(&self) -> bool {
        let known = self.inner.lock();
        let written = known.beside.max(known.landed);
        let is_owed = known.saves.held_back.is_some() || (written.is_some() && written > known.saved);
        !self.inner.launch.quirks.saves_for.is_empty() && is_owed
    }

    /// What it says of the text that was last held. Of a file that is not held, what it says of the disk, where it can.
    pub async fn check(&self, path: &Path, until: Instant) -> Said {
        self.wait_for(path, until).await
    }

    /// What follows a save alone (the compiler's own diagnostics), for the text that is held, which must be the one that was
    /// saved. None where nothing follows a save; then `check` says it all.
    pub async fn check_saved(&self, path: &Path, until: Instant) -> Option<Said> {
        self.wait_for_saved(path, until).await
    }

    /// All that it has said of files that it was not asked about, at this moment.
    pub fn past(&self) -> Past {
        let known = self.inner.lock();
        let quirks = &self.inner.launch.quirks;
        let is_clean = |path: &Path| known.documents.get(path).is_none_or(Held::is_clean);
        let is_followed = known.is_followed(quirks) && !known.saves.is_fresh(Instant::now());
        let saved = || known.published.saved().filter(|(path, _)| is_clean(path));
        let is_pushed = quirks.pushes_closed && known.pull(quirks).is_none();
        let is_ready = matches!(known.gate(Instant::now()), Gate::Open(_));
        let closed = || known.published.own().filter(|(path, _)| known.documents.get(path).is_none());
        Past {
            saved: is_followed
                .then(|| saved().map(|(path, all)| (path.clone(), Arc::clone(&all.saved))).collect()),
            closed: (is_pushed && is_ready)
                .then(|| closed().map(|(path, all)| (path.clone(), Arc::clone(&all.diagnostics))).collect()),
        }
    }

    /// What followed a save, since that moment, for files whose text was not changed since then. Nothing before it is all there.
    pub fn others_saved(&self, since: Mark) -> Vec<(PathBuf, Said)> {
        let known = self.inner.lock();
        if !known.is_followed(&self.inner.launch.quirks) {
            return Vec::new();
        }
        let others = known.others_since(since).map(|(path, _)| path.clone());
        others
            .filter_map(|path| known.saved_of(&path).map(|said| (path, said)))
            .take(others::MOST_TOLD)
            .collect()
    }

    /// Whether it can be asked about what it tells of other files by itself, so that nobody has to wait for that.
    pub fn is_asked_instead(&self) -> bool {
        self.inner.lock().is_asked_instead(&self.inner.launch.quirks)
    }

    /// This moment, for `others`. Taken before `hold`.
    pub fn mark(&self) -> Mark {
        Mark(self.inner.lock().tick)
    }

    /// What it says, since that moment, of files whose text was not changed since then: by publish, as related documents, or
    /// because it is asked. Without what follows a save alone.
    pub async fn others(&self, since: Mark, until: Instant) -> Vec<(PathBuf, Said)> {
        self.wait_for_others(since, until).await
    }

    /// Asks it to end, and ends its process after `grace` whether it does or not.
    pub async fn end(&self, grace: Duration) {
        self.inner.change(|known| {
            known.is_stopped = true;
            known.ended.get_or_insert_with(|| "it was stopped".to_owned());
        });
        let asked = self.peer.request("shutdown", &());
        let _ = timeout(grace / 2, asked).await;
        self.peer.notify("exit", &());
        if let Some(life) = &self.life {
            life.end(grace / 2).await;
        }
        self.peer.close("it was stopped");
    }
}

async fn greet(inner: &Inner, peer: &Peer) -> Result<(), StartError> {
    let asked = peer.request("initialize", &greeting::greeting(&inner.launch));
    let answer = match timeout(GREETING, asked).await {
        Err(_) => return Err(StartError::Silent(GREETING)),
        Ok(Err(PeerError::Ended(why))) => return Err(StartError::Ended { why }),
        Ok(Err(PeerError::Rpc(error))) => return Err(StartError::Refused(error.to_string())),
        Ok(Ok(answer)) => answer,
    };
    let offers = Offers::read(&known::value(&answer));
    inner.change(|known| known.offers = offers);
    peer.notify("initialized", &json!({}));
    let settings = &inner.launch.settings;
    if settings.as_object().is_some_and(|settings| !settings.is_empty()) {
        peer.notify("workspace/didChangeConfiguration", &json!({ "settings": settings }));
    }
    Ok(())
}
