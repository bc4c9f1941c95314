//! A program that talks over its standard streams for as long as it runs, such as a language server.
//!
//! Like a command, it runs in its own session and starts only after the guard knows its group. The first line
//! of its standard input releases it; the program itself reads what follows. The tail of its standard error
//! is kept. In the sandbox, the released shell becomes bubblewrap, which starts the program.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Command as StdCommand, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::AsyncReadExt as _,
    net::unix::pipe::{Receiver, Sender},
    process::{Child, Command as TokioCommand},
    task::JoinHandle,
    time::timeout,
};

use super::{
    ProcessError, ProcessExit, ProcessesState,
    group::ProcessGroup,
    output::OutputTail,
    owned_group::OwnedGroup,
    run::exit,
    sandbox::SandboxedLaunch,
    sandboxed_spawn::{self, FilterFile},
    spawn,
    utf8_decoder::Utf8Decoder,
};
use crate::time_limits::{KILL_TIMEOUT, STDERR_DRAIN_TIMEOUT};

#[cfg(test)]
mod tests;

/// The shell reads only this line of the pipe; a program that is never released never starts.
const HOLD: &str = "read -r copydesk_word || exit; unset copydesk_word; exec \"$@\"";
/// How much of its standard error is kept.
const MAX_STDERR_BYTES: usize = 4 * 1024;

#[derive(Debug, Clone)]
pub struct ProgramSpec {
    /// The program, found in the `PATH` of its environment, and its arguments. No shell reads them.
    pub command: Vec<OsString>,
    pub cwd: PathBuf,
    /// Changes to the environment: `Some` sets a variable, `None` removes it.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Its way into the sandbox. Without one it runs with all that the user may do.
    pub sandbox: Option<Arc<SandboxedLaunch>>,
}

/// A running program. Dropping it kills it with everything it started.
#[derive(Debug)]
pub struct PipedProcess {
    owned: OwnedGroup,
    child: Child,
    errors: StderrTail,
    reading: JoinHandle<()>,
    /// It must live as long as the program.
    _sandbox: Option<Arc<SandboxedLaunch>>,
}

/// Our ends of its pipes.
#[derive(Debug)]
pub struct ProcessPipes {
    /// Its standard input.
    pub input: Sender,
    /// Its standard output.
    pub output: Receiver,
}

/// The tail of a program's standard error.
#[derive(Debug, Clone, Default)]
pub struct StderrTail(Arc<Mutex<OutputTail>>);

impl StderrTail {
    pub fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    async fn read(self, mut pipe: Receiver) {
        let (mut decoder, mut block) = (Utf8Decoder::default(), vec![0; 4 * 1024]);
        while let Ok(length @ 1..) = pipe.read(&mut block).await {
            let text = decoder.push(block.get(..length).unwrap_or_default());
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(&text, MAX_STDERR_BYTES);
        }
    }
}

impl PipedProcess {
    pub(super) fn start(
        shared: &Arc<ProcessesState>,
        program: &ProgramSpec,
    ) -> Result<(Self, ProcessPipes), ProcessError> {
        if shared.registry.is_closed() {
            return Err(ProcessError::Ended);
        }
        check(program)?;
        let (input, mut let_go) = io::pipe()?;
        let (output, printed) = io::pipe()?;
        let (errors, complained) = io::pipe()?;
        let mut shell = StdCommand::new("/bin/sh");
        shell.args(["-c", HOLD, "copydesk"]).current_dir(&program.cwd);
        // Open until the shell has it.
        let mut filter: Option<FilterFile> = None;
        match &program.sandbox {
            None => {
                shell.args(&program.command);
                spawn::environment(&mut shell, &shared.environment(), &program.env);
            }
            Some(launch) => {
                filter = sandboxed_spawn::program(&mut shell, program, launch, &shared.environment())?;
            }
        }
        shell.stdin(input).stdout(Stdio::from(printed)).stderr(Stdio::from(complained));
        spawn::in_own_session(&mut shell)?;
        let child = TokioCommand::from(shell).spawn()?;
        drop(filter);
        let group = child.id().and_then(ProcessGroup::of_leader);
        let group = group.ok_or_else(|| io::Error::other("the program has no process number"))?;
        let group = group
            .marked(shared.registry.next_mark())
            .sandboxed(program.sandbox.as_ref().is_some_and(|launch| launch.has_own_processes()));
        let owned = OwnedGroup { shared: Arc::clone(shared), group, kills_on_drop: true, has_ended: false };
        shared.registry.add(group)?;
        let_go.write_all(b"\n")?;
        let name = program.command.first().and_then(|path| Path::new(path).file_name()).unwrap_or_default();
        tracing::debug!(group = group.id(), program = %name.display(), "program started");
        let pipes = ProcessPipes {
            input: Sender::from_owned_fd(let_go.into())?,
            output: Receiver::from_owned_fd(output.into())?,
        };
        let (said, errors) = (StderrTail::default(), Receiver::from_owned_fd(errors.into())?);
        let (reading, closed) = (said.clone().read(errors), shared.registry.closed());
        let reading = tokio::spawn(async move {
            closed.run_until_cancelled(reading).await;
        });
        Ok((Self { owned, child, errors: said, reading, _sandbox: program.sandbox.clone() }, pipes))
    }

    /// The number of its process group, which is the program's own process id.
    pub fn id(&self) -> i32 {
        self.owned.group.id()
    }

    pub fn stderr(&self) -> StderrTail {
        self.errors.clone()
    }

    /// Waits for its end. Its standard error up to then is kept.
    pub async fn wait(&mut self) -> ProcessExit {
        let exit = self.child.wait().await.map_or(ProcessExit::Signal(0), exit);
        self.owned.has_ended = true;
        let _ = timeout(STDERR_DRAIN_TIMEOUT, &mut self.reading).await;
        tracing::debug!(group = self.id(), ?exit, "program exited");
        exit
    }

    /// Sends SIGTERM to it and everything it started, and SIGKILL after `grace`.
    pub async fn end(&mut self, grace: Duration) {
        tracing::debug!(group = self.id(), grace_ms = grace.as_millis(), "program is asked to end");
        // The leader disappears only once it has been waited for.
        let _ = tokio::join!(self.owned.group.end(grace), timeout(grace + KILL_TIMEOUT, self.child.wait()));
    }
}

impl Drop for PipedProcess {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

fn check(program: &ProgramSpec) -> Result<(), ProcessError> {
    if program.command.first().is_none_or(|name| name.is_empty()) {
        return Err(ProcessError::NoProgram);
    }
    for argument in &program.command {
        spawn::reject_nul("an argument of the program", OsStr::new(argument))?;
    }
    spawn::check(&program.cwd, &program.env)
}
