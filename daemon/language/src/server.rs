//! One running language server: its life, the documents that it is told of, and what it says of them.
//!
//! What is sent to a server goes out in the order of the calls, and no call that sends waits. [`Server::check`] answers for the
//! text that was last held, by the rules of `fresh`: what the server said of an older text is never taken for it.
//!
//! Invariant: whatever a server sends or does not send, nothing here panics, grows without a limit, or waits past the time that
//! it was given.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use copydesk_workspace::process::{ProcessError, Processes};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::quirks::Quirks;
use crate::report::Said;
use crate::source::Subject;

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

#[derive(Debug)]
pub struct Server {
    name: String,
    state: watch::Sender<State>,
}

impl Server {
    /// Starts the process and greets it. It is not necessarily ready then.
    pub async fn start(launch: Launch, processes: &Processes) -> Result<Arc<Server>, StartError> {
        let _ = processes;
        Err(StartError::Ended { why: format!("`{}` is not spoken to yet", launch.name) })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of its process group, for whoever looks at its memory.
    pub fn group(&self) -> i32 {
        0
    }

    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Its state from now on.
    pub fn states(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Opens a document, or tells of its text where that is another. Never waits.
    pub fn hold(&self, subject: &Subject, language: &str) {
        let _ = (subject, language);
    }

    /// The text that is held of it was saved.
    pub fn saved(&self, path: &Path) {
        let _ = path;
    }

    pub fn close(&self, path: &Path) {
        let _ = path;
    }

    /// Those that are held, at this moment.
    pub fn held(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Files changed on the disk. Those that it did not ask to be told of are left out.
    pub fn watched(&self, changed: &[(PathBuf, OnDisk)]) {
        let _ = changed;
    }

    /// What it says of the text that was last held. Of a file that is not held, what it says of the disk, where it can.
    pub async fn check(&self, path: &Path, until: Instant) -> Said {
        let _ = (path, until);
        Said::Unknown { why: "it has ended".to_owned() }
    }

    /// What follows a save alone (the compiler's own diagnostics), for the text that is held, which must be the one that was
    /// saved. None where this server has no such thing; then `check` says it all.
    pub async fn check_saved(&self, path: &Path, until: Instant) -> Option<Said> {
        let _ = (path, until);
        None
    }

    /// This moment, for `others`. Taken before `hold`.
    pub fn mark(&self) -> Mark {
        Mark(0)
    }

    /// What it says, since that moment, of files whose text was not changed since then: by publish, as related documents, or
    /// because it is asked.
    pub async fn others(&self, since: Mark, until: Instant) -> Vec<(PathBuf, Said)> {
        let _ = (since, until);
        Vec::new()
    }

    /// Asks it to end, and ends its process after `grace` whether it does or not.
    pub async fn end(&self, grace: Duration) {
        let _ = grace;
    }
}
