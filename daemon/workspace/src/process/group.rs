//! A process group: everything that one command has started. What left the group is found by its mark.

use std::{fs, time::Duration};

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process, kill_process_group, test_kill_process, test_kill_process_group},
};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::mark::ProcessMark;
use crate::time_limits::{KILL_TIMEOUT, TERMINATED_POLL_INTERVAL};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProcessGroup {
    id: i32,
    mark: Option<ProcessMark>,
    /// Its leader is bubblewrap, with which everything in the sandbox ends at once.
    is_sandboxed: bool,
}

impl ProcessGroup {
    /// The group of a process that was started as its leader.
    pub(super) fn of_leader(process: u32) -> Option<Self> {
        i32::try_from(process).ok().filter(|id| *id > 1).map(|id| Self {
            id,
            mark: None,
            is_sandboxed: false,
        })
    }

    /// The same group, whose processes bear a mark.
    pub(super) fn marked(self, mark: ProcessMark) -> Self {
        if let Err(error) = mark.set(self.id) {
            tracing::warn!(group = self.id, %error, "a command's processes cannot be marked");
        }
        Self { mark: Some(mark), ..self }
    }

    /// The same group, in a sandbox.
    pub(super) fn sandboxed(self, is_sandboxed: bool) -> Self {
        Self { is_sandboxed, ..self }
    }

    pub(super) fn id(self) -> i32 {
        self.id
    }

    /// Sends SIGTERM. Stopped processes must be continued to receive it.
    pub(super) fn terminate(self) {
        if self.is_sandboxed {
            return self.terminate_inside();
        }
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
        if let Some(mark) = self.mark {
            mark.terminate();
        }
    }

    /// SIGTERM ends bubblewrap and kills the sandbox, so only what runs inside it gets one. Bubblewrap itself is the leader and the
    /// leader's child.
    fn terminate_inside(self) {
        for (process, stat) in processes() {
            let parent = stat.split(' ').nth(1).and_then(|parent| parent.parse().ok());
            if self.has_running(&stat)
                && process != self.id
                && parent != Some(self.id)
                && let Some(process) = Pid::from_raw(process)
            {
                let _ = kill_process(process, Signal::TERM);
                let _ = kill_process(process, Signal::CONT);
            }
        }
    }

    /// Kills the group, and not what left it.
    pub(super) fn kill_group(self) {
        self.signal(Signal::KILL);
    }

    pub(super) fn kill(self) {
        self.kill_group();
        if let Some(mark) = self.mark {
            mark.kill();
        }
    }

    fn signal(self, signal: Signal) {
        // A group that is gone needs no signal.
        if let Some(id) = Pid::from_raw(self.id) {
            let _ = kill_process_group(id, signal);
        }
    }

    /// Whether any process of it still runs. Zombies (in a container without an init they stay forever) count
    /// for the system, but not here.
    pub(super) fn is_alive(self) -> bool {
        let Some(id) = Pid::from_raw(self.id) else { return false };
        // What bubblewrap leaves are processes that are being killed. Listing all processes takes milliseconds.
        if self.is_sandboxed && test_kill_process(id) == Err(Errno::SRCH) {
            return false;
        }
        if test_kill_process_group(id) == Err(Errno::SRCH) {
            return false;
        }
        fs::metadata("/proc/self").is_err() || processes().any(|(_, stat)| self.has_running(&stat))
    }

    /// `state parent group …`
    fn has_running(self, stat: &str) -> bool {
        let mut fields = stat.split(' ');
        let state = fields.next().unwrap_or_default();
        let group = fields.nth(1).and_then(|group| group.parse().ok());
        group == Some(self.id) && !matches!(state, "Z" | "X")
    }

    pub(super) async fn wait_until_gone(self) {
        let mut look = interval(TERMINATED_POLL_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            if !self.is_alive() && !self.mark.is_some_and(ProcessMark::is_alive) {
                return;
            }
        }
    }

    /// Sends SIGTERM, and SIGKILL after `grace`.
    pub(super) async fn end(self, grace: Duration) {
        self.terminate();
        if timeout(grace, self.wait_until_gone()).await.is_err() {
            self.kill_and_wait().await;
        }
    }

    /// A process that waits for a broken disk may never disappear, so this wait has a timeout.
    pub(super) async fn kill_and_wait(self) {
        self.kill_group();
        if let Some(mark) = self.mark {
            mark.kill_and_wait().await;
        }
        let _ = timeout(KILL_TIMEOUT, self.wait_until_gone()).await;
    }
}

/// Every process with its `state parent group …`. Its name stands before that, and may contain anything.
fn processes() -> impl Iterator<Item = (i32, String)> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|process| {
        let id = process.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        Some((id, stat.rsplit(") ").next()?.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_group_and_that_it_runs() {
        let group = ProcessGroup::of_leader(77).unwrap();
        assert!(group.has_running("S 1 77 77 0 -1"));
        assert!(!group.has_running("Z 1 77 77 0 -1"));
        assert!(!group.has_running("S 1 78 77 0 -1"));
        assert!(!group.has_running(""));
    }
}
