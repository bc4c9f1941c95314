//! A program that is spoken to over its standard streams for as long as it runs, such as a language server.
//!
//! It begins as a command does: in a session of its own, and not before the guard knows its group. The word that lets it go is
//! the first line of its standard input; the program itself gets what comes after. Of what it prints as errors the last is held.

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
    group::{LAST_WAIT, ProcessGroup},
    output::OutputTail,
    owned_group::OwnedGroup,
    run::exit,
    spawn,
    utf8_decoder::Utf8Decoder,
};

#[cfg(test)]
mod tests;

/// The shell reads no further than this line of the pipe; a program that is never let go never begins.
const HOLD: &str = "read -r copydesk_word || exit; unset copydesk_word; exec \"$@\"";
/// How much is held of what it prints as errors.
const KEPT: usize = 4 * 1024;
/// What it printed as errors is there shortly after its end, unless something that it started holds the pipe.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// What is run, and how.
#[derive(Debug, Clone)]
pub struct ProgramSpec {
    /// The program, which is looked for in the `PATH` that it is given, and its arguments. No shell reads them.
    pub command: Vec<OsString>,
    pub cwd: PathBuf,
    /// Changes to the environment: a value to set, or none to take a variable away.
    pub env: Vec<(OsString, Option<OsString>)>,
}

/// A program that runs. Dropped, it is killed with all that it started.
#[derive(Debug)]
pub struct PipedProcess {
    owned: OwnedGroup,
    child: Child,
    errors: StderrTail,
    reading: JoinHandle<()>,
}

/// The two ends that are ours.
#[derive(Debug)]
pub struct ProcessPipes {
    /// What is written here it reads.
    pub input: Sender,
    /// What it prints.
    pub output: Receiver,
}

/// The last of what a program printed as errors.
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
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(&text, KEPT);
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
        shell.args(["-c", HOLD, "copydesk"]).args(&program.command).current_dir(&program.cwd);
        spawn::environment(&mut shell, &shared.environment(), &program.env);
        shell.stdin(input).stdout(Stdio::from(printed)).stderr(Stdio::from(complained));
        spawn::in_own_session(&mut shell)?;
        let child = TokioCommand::from(shell).spawn()?;
        let group = child.id().and_then(ProcessGroup::of_leader);
        let group = group.ok_or_else(|| io::Error::other("the program has no process number"))?;
        let owned = OwnedGroup { shared: Arc::clone(shared), group, kills_on_drop: true };
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
        Ok((Self { owned, child, errors: said, reading }, pipes))
    }

    /// The number of its process group, which is that of the program itself.
    pub fn id(&self) -> i32 {
        self.owned.group.id()
    }

    pub fn stderr(&self) -> StderrTail {
        self.errors.clone()
    }

    /// Its own end. What it printed as errors until then is held.
    pub async fn wait(&mut self) -> ProcessExit {
        let exit = self.child.wait().await.map_or(ProcessExit::Signal(0), exit);
        let _ = timeout(LAST_WORDS, &mut self.reading).await;
        tracing::debug!(group = self.id(), ?exit, "program exited");
        exit
    }

    /// Asks it and all that it started to end, and kills what has not after `grace`.
    pub async fn end(&mut self, grace: Duration) {
        tracing::debug!(group = self.id(), grace_ms = grace.as_millis(), "program is asked to end");
        // Its leader is not gone until it has been waited for.
        let _ = tokio::join!(self.owned.group.end(grace), timeout(grace + LAST_WAIT, self.child.wait()));
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
