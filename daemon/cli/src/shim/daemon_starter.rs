//! Finding the daemon, or starting it: in a session of its own, so that it outlives whoever needed it first.

use std::path::PathBuf;
use std::process::{Command as StdCommand, Stdio};
use std::time::Duration;

use process_wrap::std::{CommandWrap, CommandWrapper as _, ProcessSession};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use copydesk_rpc::transport::{DaemonAddress, SocketConnection, TransportError};

/// What a daemon that was started here says on its standard output, as its only line.
pub(crate) const READY: &str = "ready";
/// Another one was faster.
pub(crate) const TAKEN: &str = "taken";
/// Followed by the reason.
pub(crate) const FAILED: &str = "failed: ";

/// Between tries. Another daemon may be about to listen, or about to end.
const PAUSES: [u64; 7] = [5, 20, 100, 200, 400, 800, 1600];

/// A daemon listens at once, or something is wrong.
const PATIENCE: Duration = Duration::from_secs(10);

/// Knows where the daemon is, and what to run where there is none.
#[derive(Debug, Clone)]
pub(crate) struct DaemonStarter {
    address: DaemonAddress,
    program: PathBuf,
}

#[derive(Debug, PartialEq, Eq)]
enum DaemonStartOutcome {
    Ready,
    AlreadyRunning,
}

impl DaemonStarter {
    pub(crate) fn new(place: DaemonAddress, program: PathBuf) -> Self {
        Self { address: place, program }
    }

    pub(crate) fn address(&self) -> &DaemonAddress {
        &self.address
    }

    /// A connection to the daemon, whoever started it; or why there is none, for a person.
    pub(crate) async fn connect_or_start(&self) -> Result<SocketConnection, String> {
        for pause in PAUSES {
            match self.address.connect().await {
                Err(TransportError::NoDaemon) => {}
                connection => return connection.map_err(|error| error.to_string()),
            }
            if self.start().await? == DaemonStartOutcome::AlreadyRunning {
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        }
        self.address.connect().await.map_err(|error| format!("it ends as soon as it is started: {error}"))
    }

    async fn start(&self) -> Result<DaemonStartOutcome, String> {
        let mut daemon = StdCommand::new(&self.program);
        // Not in the editor's folder, which may be on a disk that is to be taken out.
        daemon.args(["daemon", "--detached"]).current_dir("/");
        daemon.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Of the crate only its one call between fork and exec is wanted.
        ProcessSession
            .pre_spawn(&mut daemon, &CommandWrap::from(StdCommand::new("")))
            .map_err(|error| error.to_string())?;
        let mut daemon = Command::from(daemon)
            .spawn()
            .map_err(|error| format!("{} cannot be started: {error}", self.program.display()))?;
        let Some(output) = daemon.stdout.take() else { return Err("its output is missing".to_owned()) };
        let mut lines = BufReader::new(output).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.map_err(|_| {
            format!("it was started, and does not listen after {} seconds", PATIENCE.as_secs())
        })?;
        match line.ok().flatten().as_deref() {
            Some(READY) => Ok(DaemonStartOutcome::Ready),
            Some(TAKEN) => Ok(DaemonStartOutcome::AlreadyRunning),
            Some(line) => Err(line.strip_prefix(FAILED).unwrap_or(line).to_owned()),
            None => Err("it ended without a word; `copydesk daemon` in a terminal tells more".to_owned()),
        }
    }
}
