//! One command, from its start to its end.
//!
//! The shell's exit is the end, not the end of its pipe, which whatever it left in the background holds open. What the
//! shell and those it waited for have printed is in the pipe by then: the system tells how many bytes that are, exactly
//! those are read, and that is all there was. No time needs to pass for it.

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
    Command, Exit, Output, ProcessError, Shared, background,
    group::{Group, LAST_WAIT},
    output::Collector,
    owned::Owned,
    spawn::{self, Spawned},
};

/// As much as a pipe holds on Linux.
const BLOCK: usize = 64 * 1024;

pub(super) struct Ended {
    pub(super) exit: Exit,
    pub(super) output: Output,
    pub(super) left: Option<i32>,
}

pub(super) async fn run(
    shared: &Arc<Shared>,
    command: Command,
    cancel: CancellationToken,
    mut live: impl FnMut(&str) + Send,
) -> Result<Ended, ProcessError> {
    if cancel.is_cancelled() && !shared.registry.is_closed() {
        let output = Collector::new(command.keep).finish(&mut live).await;
        return Ok(Ended { exit: Exit::Cancelled, output, left: None });
    }
    let running = start(shared, &command)?;
    follow(running, command, cancel, live).await
}

pub(super) fn start(shared: &Arc<Shared>, command: &Command) -> Result<Running, ProcessError> {
    if shared.registry.is_closed() {
        return Err(ProcessError::Ended);
    }
    Running::start(shared, command)
}

/// From the start of a command to its end.
pub(super) async fn follow(
    mut running: Running,
    command: Command,
    cancel: CancellationToken,
    mut live: impl FnMut(&str) + Send,
) -> Result<Ended, ProcessError> {
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
            // In this order, so that a command that prints without end is still cancelled.
            biased;
            () = cancel.cancelled() => break Exit::Cancelled,
            () = timed_out => break Exit::TimedOut,
            status = running.child.wait() => break exit(status?),
            read = running.pipe.read(&mut running.block), if running.is_open => running.take(read, &mut live).await,
        }
    };
    if matches!(exit, Exit::Cancelled | Exit::TimedOut) {
        running.end(command.grace, &mut live).await;
    }
    running.drain(&mut live).await;
    let (output, left) = running.finish(command.script, &mut live).await;
    Ok(Ended { exit, output, left })
}

pub(super) fn exit(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or_default()),
    }
}

/// A command that runs, and what it has printed.
pub(super) struct Running {
    started: Instant,
    owned: Owned,
    child: Child,
    pipe: Receiver,
    is_open: bool,
    block: Vec<u8>,
    collector: Collector,
}

impl Running {
    /// The number of its group.
    pub(super) fn id(&self) -> i32 {
        self.owned.group.id()
    }

    fn start(shared: &Arc<Shared>, command: &Command) -> Result<Self, ProcessError> {
        let started = Instant::now();
        let Spawned { child, output: pipe, held } = spawn::spawn(command, &shared.environment())?;
        let group = child.id().and_then(Group::of_leader);
        let group = group.ok_or_else(|| io::Error::other("the shell has no process number"))?;
        let owned = Owned { shared: Arc::clone(shared), group, is_held: true };
        shared.registry.add(group)?;
        held.let_go();
        let collector = Collector::new(command.keep.clone());
        Ok(Self { started, owned, child, pipe, is_open: true, block: vec![0; BLOCK], collector })
    }

    async fn take(&mut self, read: io::Result<usize>, live: &mut (impl FnMut(&str) + Send)) {
        let bytes = self.block.get(..read.unwrap_or_default()).unwrap_or_default();
        self.is_open = !bytes.is_empty();
        self.collector.push(bytes, live).await;
    }

    /// Asks the whole group to end, hears what it has to say about that, and kills it after the grace period.
    async fn end(&mut self, grace: Duration, live: &mut (impl FnMut(&str) + Send)) {
        let group = self.owned.group;
        group.terminate();
        let (kill, mut is_running) = (Instant::now() + grace, true);
        let gone = group.gone();
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
        // Its leader is not gone until it has been waited for.
        let _ = tokio::join!(group.kill_and_wait(), timeout(LAST_WAIT, self.child.wait()));
    }

    /// Reads what is in the pipe at this moment. Past the runtime, which may not have heard of it yet.
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

    async fn finish(mut self, script: String, live: &mut (impl FnMut(&str) + Send)) -> (Output, Option<i32>) {
        let output = self.collector.finish(live).await;
        let (group, registry) = (self.owned.group, &self.owned.shared.registry);
        let is_left = group.is_alive();
        self.owned.is_held = false;
        if !is_left {
            registry.forget(group);
        }
        if is_left || self.is_open {
            let tail = registry.leave(group, script);
            background::watch(&self.owned.shared, is_left.then_some(group), self.pipe, tail);
        }
        (output, is_left.then(|| group.id()))
    }
}
