//! The way of a command and of a program into the sandbox: bubblewrap's command line, and the filter of system calls that it reads.
//!
//! A command has nothing to read, so its standard input brings the filter. A program talks over it, so the filter is a file in memory that the
//! program's shell inherits. Another program that the daemon starts at the same moment may inherit it, too; it is sealed and no secret.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Seek as _, Write as _},
    os::fd::AsRawFd as _,
    path::Path,
    process::Command as StdCommand,
};

use super::{
    ProgramSpec, ShellCommand,
    sandbox::{BRIDGE_COMMAND, BRIDGE_SOCKET, SandboxedLaunch},
    spawn,
};

/// Closes descriptors that the daemon itself was given: they would lead out. Only bash closes those above 9.
macro_rules! close_inherited {
    () => {
        "for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ \"$fd\" -le 2 ] || \
         { [ -z \"$BASH_VERSION\" ] && [ \"$fd\" -gt 9 ]; } || eval \"exec $fd>&-\"; done; unset fd; "
    };
}

/// The start of every script in the sandbox, on its first line so that line numbers stay right. Its input was the filter.
const ENTER: &str = concat!("exec </dev/null; ", close_inherited!());

/// The same for a program.
const ENTER_AND_RUN: &str = concat!(close_inherited!(), "exec \"$@\"");

/// The filter, for a shell to inherit. It closes on drop.
pub(super) struct FilterFile(File);

/// Also returns what the shell waits for. bubblewrap reads the filter of system calls before it starts the shell, and fails if there is none: so
/// it sets the sandbox up while the daemon registers it.
pub(super) fn shell(
    command: &ShellCommand,
    launch: &SandboxedLaunch,
    environment: &[(OsString, OsString)],
) -> (StdCommand, Vec<u8>) {
    let mut shell = StdCommand::new(launch.program());
    shell.args(launch.arguments());
    let inner = command.shell.path();
    let filter = launch.filter();
    match (&filter, launch.bridge_program()) {
        (None, _) => shell.arg(inner).arg("-c").arg(format!("{}{}", spawn::HOLD, command.script)),
        (Some(_), None) => {
            shell.args(["--seccomp", "0", "--"]);
            shell.arg(inner).arg("-c").arg(format!("{ENTER}{}", command.script))
        }
        (Some(_), Some(bridge)) => {
            shell.args(["--seccomp", "0", "--"]);
            shell.arg(inner).arg("-c").arg(format!("{ENTER}exec \"$@\"")).arg("copydesk");
            shell.arg(bridge).args([BRIDGE_COMMAND, BRIDGE_SOCKET]).arg(inner).arg("-c").arg(&command.script)
        }
    };
    set_environment(&mut shell, launch, environment, &command.env);
    (shell, filter.unwrap_or_else(|| b"\n".to_vec()))
}

/// Appends what the held shell runs.
pub(super) fn program(
    held: &mut StdCommand,
    program: &ProgramSpec,
    launch: &SandboxedLaunch,
    environment: &[(OsString, OsString)],
) -> io::Result<Option<FilterFile>> {
    held.arg(launch.program()).args(launch.arguments());
    let filter = launch.filter().map(|filter| filter_file(&filter)).transpose()?;
    if let Some(FilterFile(file)) = &filter {
        held.args(["--seccomp", &file.as_raw_fd().to_string(), "--"]);
        let bash = ["/bin/bash", "/usr/bin/bash"].into_iter().find(|path| Path::new(path).exists());
        held.args([bash.unwrap_or("/bin/sh"), "-c", ENTER_AND_RUN, "copydesk"]);
    }
    if let Some(bridge) = launch.bridge_program() {
        held.arg(bridge).args([BRIDGE_COMMAND, BRIDGE_SOCKET]);
    }
    held.args(&program.command);
    set_environment(held, launch, environment, &program.env);
    Ok(filter)
}

#[cfg(target_os = "linux")]
fn filter_file(filter: &[u8]) -> io::Result<FilterFile> {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

    // Without `CLOEXEC`: it is to be inherited.
    let mut file = File::from(memfd_create("copydesk-filter", MemfdFlags::ALLOW_SEALING)?);
    file.write_all(filter)?;
    file.rewind()?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok(FilterFile(file))
}

/// Only Linux has filters.
#[cfg(not(target_os = "linux"))]
fn filter_file(_filter: &[u8]) -> io::Result<FilterFile> {
    Err(io::ErrorKind::Unsupported.into())
}

fn set_environment(
    command: &mut StdCommand,
    launch: &SandboxedLaunch,
    environment: &[(OsString, OsString)],
    own: &[(OsString, Option<OsString>)],
) {
    let kept: Vec<_> = environment.iter().filter(|(name, _)| !launch.withholds(name)).cloned().collect();
    let of_sandbox = launch.variables().into_iter().map(|(name, value)| (name.into(), Some(value)));
    let changes: Vec<_> = of_sandbox.chain(own.iter().cloned()).collect();
    spawn::environment(command, &kept, &changes);
}
