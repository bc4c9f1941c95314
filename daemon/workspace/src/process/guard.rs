//! Kills what is left when the daemon dies, however it dies.
//!
//! A process cannot react to its own SIGKILL, and `PR_SET_PDEATHSIG` reaches only the direct child and is
//! bound to the thread that started it. So a small shell waits beside the daemon and reads from a pipe whose
//! other end only the daemon has. Each line lists the groups that run now. When the pipe closes, for whatever
//! reason, the shell kills the groups of the last whole line.
//!
//! A command that the daemon was just starting when it died is not on the list yet; but it has not begun
//! either (`spawn`).

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
    /// Only kept: the runtime reaps it some time after it is dropped.
    _shell: Child,
}

impl ProcessGuard {
    pub(super) fn start() -> io::Result<Self> {
        let (reader, pipe) = io::pipe()?;
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", SCRIPT]).env_clear().current_dir("/");
        command.stdin(reader).stdout(Stdio::null()).stderr(Stdio::null());
        // In its own session: a signal for the daemon, such as Ctrl-C, must not end the guard first.
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
    /// Kills the guard from outside.
    pub(super) async fn kill(&mut self) {
        self._shell.kill().await.unwrap();
    }
}
