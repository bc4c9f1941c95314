//! A mark that a command's processes cannot lose: they bear it after `setsid`, double forks, and with another environment.
//!
//! The mark is a limit that Linux lets a process inherit, and that is of no effect at this size: how many microseconds a realtime process may
//! run on. It is set on a shell that has not begun yet (`spawn`), so everything that the shell starts has it. `/proc/PID/limits` shows it.
//! Its digits name the daemon, the session and the command. Without Linux nothing is marked.
//!
//! Limit: a process that another program starts for the command (a service manager, a container engine) has no mark; neither has one that
//! takes the mark off on purpose. The sandbox holds those.

use std::{
    fs,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io,
    ops::RangeInclusive,
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::time_limits::{KILL_TIMEOUT, TERMINATED_POLL_INTERVAL};

/// The marks of one session, and of one daemon.
const COMMANDS: u64 = 1_000_000;
const SESSIONS: u64 = 100_000;
/// How many digits of a mark follow those of the daemon.
pub(super) const DIGITS_AFTER_DAEMON: usize = 11;

/// Eight digits, so that a mark has nineteen and is below the largest limit that Linux knows.
static DAEMON: LazyLock<u64> =
    LazyLock::new(|| 10_000_000 + RandomState::new().build_hasher().finish() % 80_000_000);

/// The digits that the marks of this daemon begin with.
pub(super) fn daemon_digits() -> u64 {
    *DAEMON
}

/// The marks of a session's processes.
#[derive(Debug)]
pub(super) struct SessionMarks {
    first: u64,
    next: AtomicU64,
}

impl Default for SessionMarks {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let session = NEXT.fetch_add(1, Ordering::Relaxed) % SESSIONS;
        Self { first: (*DAEMON * SESSIONS + session) * COMMANDS, next: AtomicU64::new(0) }
    }
}

impl SessionMarks {
    /// A mark for one command.
    pub(super) fn next(&self) -> ProcessMark {
        let mark = self.first + self.next.fetch_add(1, Ordering::Relaxed) % COMMANDS;
        ProcessMark { first: mark, last: mark }
    }

    /// Whatever the session started.
    pub(super) fn all(&self) -> ProcessMark {
        ProcessMark { first: self.first, last: self.first + COMMANDS - 1 }
    }
}

/// The mark of one command, or all marks of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProcessMark {
    first: u64,
    last: u64,
}

impl ProcessMark {
    fn range(self) -> RangeInclusive<u64> {
        self.first..=self.last
    }

    /// Marks a process and what it starts from now on.
    pub(super) fn set(self, process: i32) -> io::Result<()> {
        set_limit(process, Some(self.first))
    }

    /// Takes a mark off that the daemon itself may have inherited.
    pub(super) fn remove(process: i32) -> io::Result<()> {
        set_limit(process, None)
    }

    fn processes(self) -> Vec<Pid> {
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = all.filter_map(|process| process.file_name().to_str()?.parse::<i32>().ok());
        let marked =
            ids.filter(|id| mark_of(*id).is_some_and(|mark| self.range().contains(&mark)) && is_running(*id));
        marked.filter_map(Pid::from_raw).collect()
    }

    pub(super) fn is_alive(self) -> bool {
        !self.processes().is_empty()
    }

    fn signal(self, signal: Signal) {
        for process in self.processes() {
            let _ = kill_process(process, signal);
        }
    }

    pub(super) fn terminate(self) {
        self.signal(Signal::TERM);
        self.signal(Signal::CONT);
    }

    pub(super) fn kill(self) {
        self.signal(Signal::KILL);
    }

    /// Sends SIGTERM, and after `grace` SIGKILL until nothing is left.
    pub(super) async fn end(self, grace: Duration) {
        self.terminate();
        if timeout(grace, self.wait_until_gone(|| {})).await.is_err() {
            self.kill_and_wait().await;
        }
    }

    /// A process may start another one while the list is read, so they are killed again and again.
    pub(super) async fn kill_and_wait(self) {
        self.kill();
        let _ = timeout(KILL_TIMEOUT, self.wait_until_gone(|| self.kill())).await;
    }

    async fn wait_until_gone(self, on_look: impl Fn()) {
        let mut look = interval(TERMINATED_POLL_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            if !self.is_alive() {
                return;
            }
            on_look();
        }
    }
}

/// `Max realtime timeout      SOFT      HARD      us`
fn mark_of(process: i32) -> Option<u64> {
    let limits = fs::read_to_string(format!("/proc/{process}/limits")).ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max realtime timeout"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Zombies do not count: in a container without an init they stay forever.
fn is_running(process: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|fields| fields.chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

#[cfg(target_os = "linux")]
fn set_limit(process: i32, soft: Option<u64>) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
    let maximum = getrlimit(Resource::Rttime).maximum;
    let process = Pid::from_raw(process).ok_or(io::ErrorKind::InvalidInput)?;
    prlimit(Some(process), Resource::Rttime, Rlimit { current: soft.or(maximum), maximum })?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn set_limit(_process: i32, _soft: Option<u64>) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn sleeper() -> Child {
        Command::new("sleep").arg("1000").spawn().unwrap()
    }

    fn id(child: &Child) -> i32 {
        i32::try_from(child.id()).unwrap()
    }

    #[test]
    fn a_mark_names_its_session_and_its_daemon() {
        let (session, other) = (SessionMarks::default(), SessionMarks::default());
        let (one, two, foreign) = (session.next(), session.next(), other.next());
        assert!(session.all().range().contains(&one.first) && session.all().range().contains(&two.first));
        assert!(one != two && !session.all().range().contains(&foreign.first));
        let digits = one.first.to_string();
        assert_eq!((digits.len(), digits.starts_with(&daemon_digits().to_string())), (19, true));
        assert_eq!(digits.len() - daemon_digits().to_string().len(), DIGITS_AFTER_DAEMON);
        assert!(i64::try_from(session.all().last).is_ok());
    }

    #[tokio::test]
    async fn only_what_is_marked_is_ended() {
        let session = SessionMarks::default();
        let (mut marked, mut unmarked, mut relieved) = (sleeper(), sleeper(), sleeper());
        let mark = session.next();
        for child in [&marked, &relieved] {
            mark.set(id(child)).unwrap();
        }
        ProcessMark::remove(id(&relieved)).unwrap();
        assert!(mark.is_alive() && session.all().is_alive() && !session.next().is_alive());
        session.all().end(Duration::ZERO).await;
        assert!(!mark.is_alive());
        marked.wait().unwrap();
        for child in [&mut unmarked, &mut relieved] {
            assert_eq!(child.try_wait().unwrap(), None);
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}
