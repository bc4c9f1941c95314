//! One command, from its start to its end.
//!
//! The end is the shell's exit, not the end of its pipe: a process in the background keeps that open. By then
//! the output of the shell and of everything it waited for is in the pipe. The system tells how many bytes
//! that are, and exactly those are read, so no wait is needed.

use std::{io, os::unix::process::ExitStatusExt, process::ExitStatus, sync::Arc, time::Duration};

use rustix::io::Errno;
use tokio::{
    io::AsyncReadExt,
    net::unix::pipe::Receiver,
    process::Child,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    CommandOutput, ProcessError, ProcessExit, ProcessesState, ShellCommand, background,
    group::ProcessGroup,
    output::OutputCollector,
    owned_group::OwnedGroup,
    spawn::{self, SpawnedShell},
};
use crate::time_limits::KILL_TIMEOUT;

/// The capacity of a pipe on Linux.
const BLOCK: usize = 64 * 1024;

pub(super) struct CommandEnd {
    pub(super) exit: ProcessExit,
    pub(super) output: CommandOutput,
    pub(super) left: Option<i32>,
}

pub(super) async fn run(
    shared: &Arc<ProcessesState>,
    command: ShellCommand,
    cancel: CancellationToken,
    mut live: impl FnMut(&str) + Send,
) -> Result<CommandEnd, ProcessError> {
    if cancel.is_cancelled() && !shared.registry.is_closed() {
        let output = OutputCollector::new(command.limits).finish(&mut live).await;
        return Ok(CommandEnd { exit: ProcessExit::Cancelled, output, left: None });
    }
    let running = start(shared, &command)?;
    run_to_end(running, command, cancel, live).await
}

pub(super) fn start(
    shared: &Arc<ProcessesState>,
    command: &ShellCommand,
) -> Result<RunningCommand, ProcessError> {
    if shared.registry.is_closed() {
        return Err(ProcessError::Ended);
    }
    RunningCommand::start(shared, command)
}

/// Runs a started command to its end.
pub(super) async fn run_to_end(
    mut running: RunningCommand,
    command: ShellCommand,
    cancel: CancellationToken,
    mut live: impl FnMut(&str) + Send,
) -> Result<CommandEnd, ProcessError> {
    let deadline = command.timeout.map(|time| running.started + time);
    running.collector.begin().await;
    let exit = loop {
        let timed_out = async {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // In this order, so that a command that prints endlessly can still be cancelled.
            biased;
            () = cancel.cancelled() => break ProcessExit::Cancelled,
            () = timed_out => break ProcessExit::TimedOut,
            status = running.child.wait() => break exit(status?),
            read = running.pipe.read(&mut running.block), if running.is_open => running.take(read, &mut live).await,
        }
    };
    if matches!(exit, ProcessExit::Cancelled | ProcessExit::TimedOut) {
        running.end(command.grace, &mut live).await;
    }
    running.drain(&mut live).await;
    let (group, ms) = (running.id(), running.started.elapsed().as_millis());
    let (output, left) = running.finish(command.script, &mut live).await;
    tracing::debug!(group, ?exit, ms, leaves_processes = left.is_some(), "command ended");
    Ok(CommandEnd { exit, output, left })
}

pub(super) fn exit(status: ExitStatus) -> ProcessExit {
    match (status.code(), status.signal()) {
        (Some(code), _) => ProcessExit::Code(code),
        (None, signal) => ProcessExit::Signal(signal.unwrap_or_default()),
    }
}

/// A running command and its output.
pub(super) struct RunningCommand {
    started: Instant,
    owned: OwnedGroup,
    child: Child,
    pipe: Receiver,
    is_open: bool,
    block: Vec<u8>,
    collector: OutputCollector,
}

impl RunningCommand {
    /// The number of its group.
    pub(super) fn id(&self) -> i32 {
        self.owned.group.id()
    }

    fn start(shared: &Arc<ProcessesState>, command: &ShellCommand) -> Result<Self, ProcessError> {
        let started = Instant::now();
        let SpawnedShell { child, output: pipe, gate: held } = spawn::spawn(command, &shared.environment())?;
        let group = child.id().and_then(ProcessGroup::of_leader);
        let group = group.ok_or_else(|| io::Error::other("the shell has no process number"))?;
        let group = group
            .marked(shared.registry.next_mark())
            .sandboxed(command.sandbox.as_ref().is_some_and(|launch| launch.has_own_processes()));
        let owned = OwnedGroup { shared: Arc::clone(shared), group, kills_on_drop: true, has_ended: false };
        shared.registry.add(group)?;
        held.release();
        tracing::debug!(group = group.id(), "command started");
        let collector = OutputCollector::new(command.limits.clone());
        Ok(Self { started, owned, child, pipe, is_open: true, block: vec![0; BLOCK], collector })
    }

    async fn take(&mut self, read: io::Result<usize>, live: &mut (impl FnMut(&str) + Send)) {
        let bytes = self.block.get(..read.unwrap_or_default()).unwrap_or_default();
        self.is_open = !bytes.is_empty();
        self.collector.push(bytes, live).await;
    }

    /// Terminates the whole group, reads what it still prints, and kills it after the grace period.
    async fn end(&mut self, grace: Duration, live: &mut (impl FnMut(&str) + Send)) {
        let group = self.owned.group;
        group.terminate();
        let (kill, mut is_running) = (Instant::now() + grace, true);
        let gone = group.wait_until_gone();
        tokio::pin!(gone);
        loop {
            tokio::select! {
                biased;
                () = sleep_until(kill) => break,
                _ = self.child.wait(), if is_running => is_running = false,
                () = &mut gone => break,
                read = self.pipe.read(&mut self.block), if self.is_open => self.take(read, live).await,
            }
        }
        // The leader disappears only once it has been waited for.
        let _ = tokio::join!(group.kill_and_wait(), timeout(KILL_TIMEOUT, self.child.wait()));
    }

    /// Reads what is in the pipe now. Bypasses the runtime, which may not have noticed it yet.
    async fn drain(&mut self, live: &mut (impl FnMut(&str) + Send)) {
        let mut waiting = rustix::io::ioctl_fionread(&self.pipe).unwrap_or_default();
        while waiting > 0 && self.is_open {
            let size = usize::try_from(waiting).unwrap_or(BLOCK).min(BLOCK);
            let read = match rustix::io::read(&self.pipe, self.block.get_mut(..size).unwrap_or_default()) {
                Err(Errno::INTR) => continue,
                Err(_) => return,
                Ok(read) => read,
            };
            self.take(Ok(read), live).await;
            waiting = waiting.saturating_sub(read as u64);
        }
    }

    async fn finish(
        mut self,
        script: String,
        live: &mut (impl FnMut(&str) + Send),
    ) -> (CommandOutput, Option<i32>) {
        let output = self.collector.finish(live).await;
        let (group, registry) = (self.owned.group, &self.owned.shared.registry);
        let is_left = group.is_alive();
        self.owned.kills_on_drop = false;
        if !is_left {
            registry.forget(group);
        }
        if is_left || self.is_open {
            let tail = registry.move_to_background(group, script);
            background::watch(&self.owned.shared, is_left.then_some(group), self.pipe, tail);
        }
        (output, is_left.then(|| group.id()))
    }
}
