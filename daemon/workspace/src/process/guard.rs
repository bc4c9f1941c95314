//! Kills what is left when the daemon dies, however it dies.
//!
//! A process cannot react to its own SIGKILL, and `PR_SET_PDEATHSIG` reaches only the direct child and is
//! bound to the thread that started it. So a small shell waits beside the daemon and reads from a pipe whose
//! other end only the daemon has. Each line names a group that runs now, or one that is gone. When the pipe
//! closes, for whatever reason, the shell kills the groups that are left.
//!
//! There is one guard for the whole daemon, because all its processes end with it.
//!
//! A command that the daemon was just starting when it died is not on the list yet; but it has not begun
//! either (`spawn`).

use std::{
    collections::BTreeSet,
    io::{self, PipeWriter, Write},
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
};

use super::{
    group::ProcessGroup,
    mark::{DIGITS_AFTER_DAEMON, ProcessMark, daemon_digits},
    spawn,
};

/// The list begins and ends with a space, so that each number has one on either side. An unfinished line is not read. What left its group
/// has a mark that begins with `$1` (`mark`); it may start others meanwhile, so it is killed until nothing is found, but zombies stay.
const SCRIPT: &str = r#"groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for pass in 1 2 3 4 5 6 7 8 9 10; do
  found=
  for limits in /proc/[0-9]*/limits; do
    while read -r one two three mark rest; do
      case "$one $two $three $mark" in
        "Max realtime timeout $1"*) [ "${#mark}" -eq "$2" ] && id=${limits#/proc/} && found="$found ${id%/limits}" ;;
      esac
    done <"$limits"
  done
  [ -n "$found" ] || exit
  kill -s KILL $found
done"#;

/// The guard of this process.
pub(super) static DAEMON_GUARD: ProcessGuard = ProcessGuard::new();

/// The groups that end with the daemon, and the shell that knows them.
#[derive(Debug)]
pub(super) struct ProcessGuard {
    state: Mutex<ProcessGuardState>,
}

#[derive(Debug)]
struct ProcessGuardState {
    groups: BTreeSet<ProcessGroup>,
    /// Runs from the first group on.
    shell: Option<GuardShell>,
}

impl ProcessGuard {
    const fn new() -> Self {
        Self { state: Mutex::new(ProcessGuardState { groups: BTreeSet::new(), shell: None }) }
    }

    /// When this returns, the group ends with the daemon.
    pub(super) fn add(&self, group: ProcessGroup) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.groups.insert(group);
        if let Some(shell) = &mut state.shell
            && shell.send('+', group).is_ok()
        {
            return Ok(());
        }
        // No guard runs yet, or another process killed it.
        tracing::debug!(replaced = state.shell.is_some(), "process guard started");
        if let Some(dead) = state.shell.take() {
            dead.reap();
        }
        let mut shell = GuardShell::start()?;
        for group in &state.groups {
            shell.send('+', *group)?;
        }
        state.shell = Some(shell);
        Ok(())
    }

    /// The group is gone.
    pub(super) fn forget(&self, group: ProcessGroup) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.groups.remove(&group)
            && let Some(shell) = &mut state.shell
        {
            // If this fails, the guard at worst kills a group that is gone.
            let _ = shell.send('-', group);
        }
    }
}

#[derive(Debug)]
struct GuardShell {
    pipe: PipeWriter,
    process: Child,
}

impl GuardShell {
    fn start() -> io::Result<Self> {
        let (reader, pipe) = io::pipe()?;
        let mut command = Command::new("/bin/sh");
        let digits = daemon_digits().to_string();
        let length = digits.len() + DIGITS_AFTER_DAEMON;
        command.args(["-c", SCRIPT, "copydesk", &digits, &length.to_string()]).env_clear().current_dir("/");
        command.stdin(reader).stdout(Stdio::null()).stderr(Stdio::null());
        // In its own session: a signal for the daemon, such as Ctrl-C, must not end the guard first.
        spawn::in_own_session(&mut command)?;
        let process = command.spawn()?;
        // A daemon that was itself started by a command has that command's mark. The guard must outlive both.
        if let Some(group) = ProcessGroup::of_leader(process.id()) {
            let _ = ProcessMark::remove(group.id());
        }
        Ok(Self { pipe, process })
    }

    fn send(&mut self, sign: char, group: ProcessGroup) -> io::Result<()> {
        self.pipe.write_all(format!("{sign} {}\n", group.id()).as_bytes())
    }

    /// It does not listen, so it has ended or is of no use.
    fn reap(mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;

    use super::*;

    fn sleeper() -> (Child, ProcessGroup) {
        let child = Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
        let group = ProcessGroup::of_leader(child.id()).unwrap();
        (child, group)
    }

    #[test]
    fn the_guard_kills_the_groups_that_are_left() {
        let guard = ProcessGuard::new();
        let (mut left, mut gone) = (sleeper(), sleeper());
        let mut also_left = sleeper();
        for group in [left.1, gone.1, also_left.1] {
            guard.add(group).unwrap();
        }
        guard.forget(gone.1);
        guard.forget(gone.1);
        let GuardShell { pipe, mut process } = guard.state.lock().unwrap().shell.take().unwrap();
        drop(pipe);
        process.wait().unwrap();
        left.0.wait().unwrap();
        also_left.0.wait().unwrap();
        assert_eq!(gone.0.try_wait().unwrap(), None);
        gone.0.kill().unwrap();
        gone.0.wait().unwrap();
    }

    #[test]
    fn a_guard_that_was_killed_is_replaced() {
        let guard = ProcessGuard::new();
        // No system gives out numbers as high as these.
        let groups = [i32::MAX, i32::MAX - 1].map(|id| ProcessGroup::of_leader(id.unsigned_abs()).unwrap());
        guard.add(groups[0]).unwrap();
        let first = {
            let mut state = guard.state.lock().unwrap();
            let shell = state.shell.as_mut().unwrap();
            shell.process.kill().unwrap();
            shell.process.wait().unwrap();
            // A process that another test starts holds the pipe open until it runs its program.
            while shell.send('+', groups[0]).is_ok() {
                std::thread::yield_now();
            }
            shell.process.id()
        };
        guard.add(groups[1]).unwrap();
        let mut state = guard.state.lock().unwrap();
        let shell = state.shell.as_mut().unwrap();
        assert_ne!(shell.process.id(), first);
        assert!(shell.send('+', groups[1]).is_ok());
    }
}
