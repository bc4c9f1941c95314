//! Kills what is left when this process dies, however it dies.
//!
//! A process cannot act on its own SIGKILL, and asking the kernel to (`PR_SET_PDEATHSIG`) reaches only the direct child and
//! is bound to the thread that started it. So a small shell waits beside us, reading from a pipe whose other end only we
//! hold. Each line is the list of groups that run now. When the pipe ends, for whatever reason, it kills those of the
//! last whole line.
//!
//! A command that is started in the very moment of our death is not on the list yet; nor has it begun (`spawn`).

use std::{
    io::{self, PipeWriter, Write},
    process::Stdio,
};

use tokio::process::{Child, Command};

use super::{group::ProcessGroup, spawn};

const SCRIPT: &str =
    "while read -r line; do groups=$line; done; for group in $groups; do kill -s KILL -- \"-$group\"; done";

#[derive(Debug)]
pub(super) struct ProcessGuard {
    pipe: PipeWriter,
    /// Only held: the runtime collects it some time after it is dropped.
    _shell: Child,
}

impl ProcessGuard {
    pub(super) fn start() -> io::Result<Self> {
        let (reader, pipe) = io::pipe()?;
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", SCRIPT]).env_clear().current_dir("/");
        command.stdin(reader).stdout(Stdio::null()).stderr(Stdio::null());
        // Not in our session: what is meant for us, such as a Ctrl-C, must not take the guard away first.
        spawn::in_own_session(&mut command)?;
        Ok(Self { pipe, _shell: Command::from(command).spawn()? })
    }

    pub(super) fn send_groups(&mut self, groups: impl Iterator<Item = ProcessGroup>) -> io::Result<()> {
        let mut line = String::new();
        for group in groups {
            line += &format!("{} ", group.id());
        }
        line.push('\n');
        self.pipe.write_all(line.as_bytes())
    }
}

#[cfg(test)]
impl ProcessGuard {
    /// As somebody from outside may.
    pub(super) async fn kill(&mut self) {
        self._shell.kill().await.unwrap();
    }
}
