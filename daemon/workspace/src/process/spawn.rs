//! Starts a shell: checks its inputs, sets its environment, and holds it until it is released.

use std::{
    ffi::{OsStr, OsString},
    io::{self, PipeWriter, Write as _},
    os::unix::ffi::OsStrExt,
    path::Path,
    process::Command as StdCommand,
};

use process_wrap::std::{CommandWrap, CommandWrapper, ProcessSession};
use tokio::{
    net::unix::pipe::Receiver,
    process::{Child, Command as TokioCommand},
};

use super::{ProcessError, ShellCommand, sandboxed_spawn};
use crate::real_file::FolderHandle;

/// The start of every script, on its first line so that line numbers stay right: the script continues once it
/// has read a line, and ends if there is none. After that it has nothing to read.
pub(super) const HOLD: &str = "read -r copydesk_word || exit; unset copydesk_word; exec </dev/null; ";

pub(super) struct SpawnedShell {
    pub(super) child: Child,
    /// The one pipe for the output of the shell and of everything it starts.
    pub(super) output: Receiver,
    pub(super) gate: StartGate,
}

/// A shell that has not begun. If this is dropped, it never begins.
pub(super) struct StartGate {
    pipe: PipeWriter,
    /// What releases it.
    word: Vec<u8>,
}

impl StartGate {
    /// A shell that is gone already needs no release.
    pub(super) fn release(mut self) {
        let _ = self.pipe.write_all(&self.word);
    }
}

pub(super) fn spawn(
    command: &ShellCommand,
    environment: &[(OsString, OsString)],
) -> Result<SpawnedShell, ProcessError> {
    reject_nul("the script", OsStr::new(&command.script))?;
    check(&command.cwd, &command.env)?;
    // The shell starts in the folder that is opened here, whatever has its name by then.
    let folder =
        FolderHandle::open(&command.cwd).map_err(|_| ProcessError::NotAFolder(command.cwd.clone()))?;
    let cwd = folder.descriptor_path().unwrap_or_else(|| command.cwd.clone());
    let (reader, writer) = io::pipe()?;
    let output = Receiver::from_owned_fd(reader.into())?;
    let (held, letting_go) = io::pipe()?;
    let (mut shell, word) = match &command.sandbox {
        None => (plain_shell(command, environment), b"\n".to_vec()),
        Some(launch) => sandboxed_spawn::shell(command, launch, environment),
    };
    shell.current_dir(&cwd).stdin(held).stdout(writer.try_clone()?).stderr(writer);
    in_own_session(&mut shell)?;
    // Our write ends go with the command, so that the pipe closes when the last process is done with it.
    let child = TokioCommand::from(shell).spawn();
    child.map(|child| SpawnedShell { child, output, gate: StartGate { pipe: letting_go, word } }).map_err(
        |error| match error.kind() {
            io::ErrorKind::ArgumentListTooLong => ProcessError::TooLong(command.script.len()),
            _ => ProcessError::Shell { shell: command.shell.path().into(), error },
        },
    )
}

fn plain_shell(command: &ShellCommand, environment: &[(OsString, OsString)]) -> StdCommand {
    let mut shell = StdCommand::new(command.shell.path());
    // This prefix also keeps a script from being read as options.
    shell.arg("-c").arg(format!("{HOLD}{}", command.script));
    self::environment(&mut shell, environment, &command.env);
    shell
}

/// Uses only the crate's call between fork and exec; waiting is done here.
pub(super) fn in_own_session(command: &mut StdCommand) -> io::Result<()> {
    ProcessSession.pre_spawn(command, &CommandWrap::from(StdCommand::new("")))
}

/// Sets the whole environment of a command: the session's, and the command's own changes.
pub(super) fn environment(
    command: &mut StdCommand,
    whole: &[(OsString, OsString)],
    changes: &[(OsString, Option<OsString>)],
) {
    command.env_clear().envs(whole.iter().map(|(name, value)| (name, value)));
    for (name, value) in changes {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

pub(super) fn reject_nul(what: &str, text: &OsStr) -> Result<(), ProcessError> {
    match text.as_bytes().contains(&0) {
        true => Err(ProcessError::Nul(what.to_owned())),
        false => Ok(()),
    }
}

pub(super) fn check(cwd: &Path, env: &[(OsString, Option<OsString>)]) -> Result<(), ProcessError> {
    reject_nul("the folder", cwd.as_os_str())?;
    for (name, value) in env {
        let shown = name.to_string_lossy();
        reject_nul("the name of a variable", name)?;
        reject_nul(&format!("the variable `{shown}`"), value.as_deref().unwrap_or_default())?;
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return Err(ProcessError::Variable(shown.into_owned()));
        }
    }
    folder(cwd)
}

/// For a missing folder the system would say "not found", just as for a missing shell.
fn folder(cwd: &Path) -> Result<(), ProcessError> {
    match cwd.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(ProcessError::NoFolder(cwd.into())),
        _ => Err(ProcessError::NotAFolder(cwd.into())),
    }
}
