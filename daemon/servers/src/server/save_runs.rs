//! Tracks the runs that saves cause (a compiler's check, for example), and when they end.
//!
//! A run does not name its save. So the daemon sends a didSave only once every run that was due before it has begun:
//! the next run to begin is then the save's own, whatever became of the others.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::time_limits::RERUN_GAP;

/// Cap on runs at one time; the rest is ignored.
const MAX_RUNS: usize = 64;

/// Cap on the characters of a message.
const MAX_MESSAGE_CHARS: usize = 300;

/// The daemon waits this many times as long as a run usually takes to begin: the machine may be busy.
const PATIENCE: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct SaveRuns {
    /// Prefixes of the tokens of its runs.
    tokens: Vec<String>,
    /// How long a run usually takes to begin, at most.
    begins: Duration,
    running: BTreeSet<String>,
    /// All tokens ever seen.
    seen: BTreeSet<String>,
    /// When the server first and last had a cause for a run: a save, or the end of reading the project.
    first_cause: Option<Instant>,
    last_cause: Option<Instant>,
    /// How many runs have begun, now and at the last cause.
    count: u64,
    count_at_cause: u64,
    last_begun_at: Option<Instant>,
    ended: Option<Instant>,
    /// The server's last message about an error during a run, or right after it.
    problem: Option<(Instant, String)>,
    /// The file whose didSave waits for runs that are due, and the saved version.
    pub(super) deferred_save: Option<(PathBuf, i32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaveRunStatus {
    /// A run that began after the save has ended.
    Done,
    /// Wait for an event, or judge again at this moment.
    Wait(Option<Instant>),
    /// The run is overdue.
    Late,
}

impl SaveRuns {
    pub(super) fn new(tokens: Vec<String>, begins: Duration) -> Self {
        Self { tokens, begins, ..Self::default() }
    }

    pub(super) fn progress(&mut self, token: &str, value: &Value, now: Instant) {
        if !self.tokens.iter().any(|start| token.starts_with(start.as_str())) {
            return;
        }
        match value.get("kind").and_then(Value::as_str) {
            Some("begin") if self.running.len() < MAX_RUNS => {
                if self.seen.len() < MAX_RUNS {
                    self.seen.insert(token.to_owned());
                }
                self.running.insert(token.to_owned());
                self.last_begun_at = Some(now);
                self.count += 1;
            }
            Some("end") => {
                self.running.remove(token);
                self.ended = Some(now);
            }
            _ => {}
        }
    }

    /// The server shows an error to the user: if a run is going on, it failed.
    pub(super) fn note_error(&mut self, message: &str, now: Instant) {
        if self.is_running_or_just_ended(now) {
            self.problem = Some((now, message.chars().take(MAX_MESSAGE_CHARS).collect()));
        }
    }

    /// Why the last run failed: then it found nothing because it did not run.
    pub(super) fn problem(&self) -> Option<&str> {
        let (at, message) = self.problem.as_ref()?;
        (Some(*at) >= self.last_begun_at).then_some(message.as_str())
    }

    /// The server has a cause for a run.
    pub(super) fn expect_run(&mut self, now: Instant) {
        self.first_cause.get_or_insert(now);
        self.last_cause = Some(now);
        self.count_at_cause = self.count;
    }

    pub(super) fn last_begun(&self) -> Option<Instant> {
        self.last_begun_at
    }

    /// Until when a run may begin that belongs to an earlier cause.
    pub(super) fn run_due_until(&self, now: Instant) -> Option<Instant> {
        let last_cause = self.last_cause.filter(|_| self.count == self.count_at_cause)?;
        Some(last_cause + self.patience(now)).filter(|until| *until > now && !self.tokens.is_empty())
    }

    pub(super) fn status_after(&self, saved: Instant, now: Instant) -> SaveRunStatus {
        let overdue = saved + self.patience(now);
        match self.last_begun_at {
            _ if !self.running.is_empty() => SaveRunStatus::Wait(None),
            Some(last_begun_at)
                if last_begun_at >= saved
                    && (self.last_cause.is_none() || self.count > self.count_at_cause) =>
            {
                match self.ended.map(|ended| ended + RERUN_GAP) {
                    Some(sure) if sure > now && self.seen.len() > 1 => SaveRunStatus::Wait(Some(sure)),
                    _ => SaveRunStatus::Done,
                }
            }
            _ if overdue > now => SaveRunStatus::Wait(Some(overdue)),
            _ => SaveRunStatus::Late,
        }
    }

    pub(super) fn is_running_or_just_ended(&self, now: Instant) -> bool {
        !self.running.is_empty() || self.has_just_ended(now)
    }

    /// Whether a run has just ended: its diagnostics may still be on their way.
    pub(super) fn has_just_ended(&self, now: Instant) -> bool {
        self.ended.is_some_and(|ended| ended + RERUN_GAP > now)
    }

    /// A server that began no run in all that time after its first cause is not waited for again.
    fn patience(&self, now: Instant) -> Duration {
        let longest = self.begins * PATIENCE;
        let is_silent = self.last_begun_at.is_none()
            && self.first_cause.is_some_and(|first_cause| first_cause + longest <= now);
        if is_silent { Duration::ZERO } else { longest }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct SaveTestClock(Instant);

    impl SaveTestClock {
        fn ms(&self, ms: u64) -> Instant {
            self.0 + Duration::from_millis(ms)
        }
    }

    fn new_runs() -> (SaveRuns, SaveTestClock) {
        (SaveRuns::new(vec!["check/".into()], Duration::from_millis(500)), SaveTestClock(Instant::now()))
    }

    fn run(saves: &mut SaveRuns, token: &str, kind: &str, at: Instant) {
        saves.progress(token, &json!({ "kind": kind }), at);
    }

    #[test]
    fn an_error_during_a_run_means_that_it_failed() {
        let (mut saves, at) = new_runs();
        saves.note_error("no workspace", at.ms(0));
        run(&mut saves, "check/0", "begin", at.ms(10));
        assert_eq!(saves.problem(), None, "the message was about something else");
        saves.note_error("no such crate", at.ms(20));
        run(&mut saves, "check/0", "end", at.ms(30));
        assert_eq!(saves.problem(), Some("no such crate"));
        run(&mut saves, "check/0", "begin", at.ms(40));
        assert_eq!(saves.problem(), None);
    }

    #[test]
    fn the_first_run_after_a_save_belongs_to_it() {
        let (mut saves, at) = new_runs();
        run(&mut saves, "check/0", "begin", at.ms(0));
        let followed = |saves: &SaveRuns, saved, now| saves.status_after(at.ms(saved), at.ms(now));
        assert_eq!(followed(&saves, 10, 20), SaveRunStatus::Wait(None), "the run belongs to an older save");
        run(&mut saves, "check/0", "end", at.ms(30));
        assert_eq!(followed(&saves, 10, 30), SaveRunStatus::Wait(Some(at.ms(1510))));
        run(&mut saves, "other", "begin", at.ms(40));
        run(&mut saves, "check/0", "begin", at.ms(50));
        run(&mut saves, "check/0", "report", at.ms(60));
        assert_eq!(followed(&saves, 10, 60), SaveRunStatus::Wait(None));
        run(&mut saves, "check/0", "end", at.ms(70));
        assert_eq!(followed(&saves, 10, 70), SaveRunStatus::Done);
        assert_eq!(followed(&saves, 60, 70), SaveRunStatus::Wait(Some(at.ms(1560))));
        assert_eq!(followed(&saves, 60, 1560), SaveRunStatus::Late);
        run(&mut saves, "check/1", "begin", at.ms(1600));
        run(&mut saves, "check/1", "end", at.ms(1700));
        assert_eq!(
            followed(&saves, 60, 1700),
            SaveRunStatus::Wait(Some(at.ms(1900))),
            "with two tokens, another run may follow"
        );
        assert_eq!(followed(&saves, 60, 1900), SaveRunStatus::Done);
    }

    #[test]
    fn a_run_is_due_until_it_begins_or_is_overdue() {
        let (mut saves, at) = new_runs();
        assert_eq!(saves.run_due_until(at.ms(0)), None);
        saves.expect_run(at.ms(0));
        assert_eq!(saves.run_due_until(at.ms(10)), Some(at.ms(1500)));
        run(&mut saves, "check/0", "begin", at.ms(90));
        assert_eq!(saves.run_due_until(at.ms(90)), None);
        saves.expect_run(at.ms(100));
        run(&mut saves, "check/0", "end", at.ms(110));
        assert_eq!(saves.run_due_until(at.ms(110)), Some(at.ms(1600)));
        assert_eq!(saves.run_due_until(at.ms(1600)), None);
    }

    #[test]
    fn a_server_without_runs_is_waited_for_once() {
        let (mut saves, at) = new_runs();
        saves.expect_run(at.ms(0));
        assert_eq!(saves.status_after(at.ms(0), at.ms(10)), SaveRunStatus::Wait(Some(at.ms(1500))));
        saves.expect_run(at.ms(1600));
        assert_eq!(saves.status_after(at.ms(1600), at.ms(1600)), SaveRunStatus::Late);
        assert_eq!(saves.run_due_until(at.ms(1600)), None);
        run(&mut saves, "check/0", "begin", at.ms(5000));
        run(&mut saves, "check/0", "end", at.ms(5100));
        assert_eq!(saves.status_after(at.ms(1600), at.ms(5100)), SaveRunStatus::Done);
        assert_eq!(saves.status_after(at.ms(5200), at.ms(5300)), SaveRunStatus::Wait(Some(at.ms(6700))));
    }
}
