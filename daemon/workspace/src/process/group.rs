//! A process group: everything that one command has started, unless it left the group on purpose.

use std::{fs, time::Duration};

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process_group, test_kill_process_group},
};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::time_limits::{KILL_TIMEOUT, TERMINATED_POLL_INTERVAL};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProcessGroup(i32);

impl ProcessGroup {
    /// The group of a process that was started as its leader.
    pub(super) fn of_leader(process: u32) -> Option<Self> {
        i32::try_from(process).ok().filter(|id| *id > 1).map(Self)
    }

    pub(super) fn id(self) -> i32 {
        self.0
    }

    /// Sends SIGTERM. Stopped processes must be continued to receive it.
    pub(super) fn terminate(self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    pub(super) fn kill(self) {
        self.signal(Signal::KILL);
    }

    fn signal(self, signal: Signal) {
        // A group that is gone needs no signal.
        if let Some(id) = Pid::from_raw(self.0) {
            let _ = kill_process_group(id, signal);
        }
    }

    /// Whether any process of it still runs. Zombies (in a container without an init they stay forever) count
    /// for the system, but not here.
    pub(super) fn is_alive(self) -> bool {
        let Some(id) = Pid::from_raw(self.0) else { return false };
        if test_kill_process_group(id) == Err(Errno::SRCH) {
            return false;
        }
        match fs::read_dir("/proc") {
            Ok(processes) => processes.flatten().any(|process| {
                let stat = fs::read_to_string(process.path().join("stat"));
                stat.is_ok_and(|stat| self.has_running(&stat))
            }),
            Err(_) => true,
        }
    }

    /// `pid (name) state parent group …`; the name may contain anything.
    fn has_running(self, stat: &str) -> bool {
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let state = fields.next().unwrap_or_default();
        let group = fields.nth(1).and_then(|group| group.parse().ok());
        group == Some(self.0) && !matches!(state, "Z" | "X")
    }

    pub(super) async fn wait_until_gone(self) {
        let mut look = interval(TERMINATED_POLL_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            if !self.is_alive() {
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
        self.kill();
        let _ = timeout(KILL_TIMEOUT, self.wait_until_gone()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_group_and_that_it_runs() {
        let group = ProcessGroup(77);
        assert!(group.has_running("78 (sh) S 1 77 77 0 -1"));
        assert!(group.has_running("78 (a) Z 1 (b) R 1 77 77"));
        assert!(!group.has_running("78 (sh) Z 1 77 77 0 -1"));
        assert!(!group.has_running("77 (sh) S 1 78 77 0 -1"));
        assert!(!group.has_running(""));
    }
}
