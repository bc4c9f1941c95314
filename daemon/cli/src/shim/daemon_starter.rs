//! Finds the daemon or starts it, in a process session of its own, so that it outlives its starter.

use std::path::PathBuf;
use std::process::{Command as StdCommand, Stdio};

use copydesk_rpc::transport::{DaemonAddress, SocketConnection, TransportError};
use process_wrap::std::{CommandWrap, CommandWrapper as _, ProcessSession};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::time_limits::{CONNECT_PAUSES, START_TIMEOUT};

/// A started daemon prints one of these as its only line on standard output.
pub(crate) const READY: &str = "ready";
/// Another daemon was faster.
pub(crate) const TAKEN: &str = "taken";
/// Followed by the reason.
pub(crate) const FAILED: &str = "failed: ";

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
    pub(crate) fn new(address: DaemonAddress, program: PathBuf) -> Self {
        Self { address, program }
    }

    pub(crate) fn address(&self) -> &DaemonAddress {
        &self.address
    }

    /// Connects to the daemon, and starts it if none runs. The error is for the user.
    pub(crate) async fn connect_or_start(&self) -> Result<SocketConnection, String> {
        for pause in CONNECT_PAUSES {
            match self.address.connect().await {
                Err(TransportError::NoDaemon) => {}
                connection => return connection.map_err(|error| error.to_string()),
            }
            if self.start().await? == DaemonStartOutcome::AlreadyRunning {
                tokio::time::sleep(pause).await;
            }
        }
        self.address.connect().await.map_err(|error| format!("it ends right after each start: {error}"))
    }

    async fn start(&self) -> Result<DaemonStartOutcome, String> {
        let mut daemon = StdCommand::new(&self.program);
        // Not in the editor's folder, whose disk may be unmounted.
        daemon.args(["daemon", "--detached"]).current_dir("/");
        daemon.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Only the crate's one call between fork and exec is used.
        ProcessSession
            .pre_spawn(&mut daemon, &CommandWrap::from(StdCommand::new("")))
            .map_err(|error| error.to_string())?;
        let mut daemon = Command::from(daemon)
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", self.program.display()))?;
        let Some(output) = daemon.stdout.take() else { return Err("its output is missing".to_owned()) };
        let mut lines = BufReader::new(output).lines();
        let line = tokio::time::timeout(START_TIMEOUT, lines.next_line()).await.map_err(|_| {
            format!("it was started, but does not listen after {} seconds", START_TIMEOUT.as_secs())
        })?;
        match line.ok().flatten().as_deref() {
            Some(READY) => Ok(DaemonStartOutcome::Ready),
            Some(TAKEN) => Ok(DaemonStartOutcome::AlreadyRunning),
            Some(line) => Err(line.strip_prefix(FAILED).unwrap_or(line).to_owned()),
            None => {
                Err("it ended without a message; run `copydesk daemon` in a terminal to see why".to_owned())
            }
        }
    }
}
