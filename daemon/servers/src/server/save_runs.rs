//! What follows a save alone: when the run that a save began has ended.
//!
//! A run names no save. So a save is told only when every run that was to begin before it has begun: the next one that begins is then
//! its own, whatever became of the others.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use crate::time_limits::RERUN_GAP;

/// Runs at one time; more are not looked at.
const MOST: usize = 64;

/// So many times as long as it usually takes a run is waited for: the machine may be busy.
const PATIENCE: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct SaveRuns {
    /// Beginnings of the tokens of its runs.
    tokens: Vec<String>,
    /// How long a run usually takes to begin, at most.
    begins: Duration,
    running: BTreeSet<String>,
    /// The tokens that there were ever.
    seen: BTreeSet<String>,
    /// When it first had a reason to begin a run, and when it last had one: a save, or that it had read the project.
    first: Option<Instant>,
    caused: Option<Instant>,
    /// Runs that have begun, and those of them that had when it last had a reason.
    count: u64,
    counted: u64,
    /// When the last run began.
    begun: Option<Instant>,
    /// When a run last ended.
    ended: Option<Instant>,
    /// The file whose save is told when nothing is to begin before, and the version that was saved.
    pub(super) deferred_save: Option<(PathBuf, i32)>,
}

/// What became of a save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SaveRunStatus {
    /// A run that began after it has ended.
    Done,
    /// Wait; at this moment it is judged again.
    Wait(Option<Instant>),
    /// It is overdue.
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
            Some("begin") if self.running.len() < MOST => {
                if self.seen.len() < MOST {
                    self.seen.insert(token.to_owned());
                }
                self.running.insert(token.to_owned());
                self.begun = Some(now);
                self.count += 1;
            }
            Some("end") => {
                self.running.remove(token);
                self.ended = Some(now);
            }
            _ => {}
        }
    }

    /// It has a reason to begin a run.
    pub(super) fn expect_run(&mut self, now: Instant) {
        self.first.get_or_insert(now);
        self.caused = Some(now);
        self.counted = self.count;
    }

    /// When the last run began.
    pub(super) fn last_begun(&self) -> Option<Instant> {
        self.begun
    }

    /// Until when a run may begin that has nothing to do with what is saved now.
    pub(super) fn run_due_until(&self, now: Instant) -> Option<Instant> {
        let caused = self.caused.filter(|_| self.count == self.counted)?;
        Some(caused + self.patience(now)).filter(|until| *until > now && !self.tokens.is_empty())
    }

    pub(super) fn status_after(&self, saved: Instant, now: Instant) -> SaveRunStatus {
        let overdue = saved + self.patience(now);
        match self.begun {
            _ if !self.running.is_empty() => SaveRunStatus::Wait(None),
            Some(begun) if begun >= saved && (self.caused.is_none() || self.count > self.counted) => {
                match self.ended.map(|ended| ended + RERUN_GAP) {
                    Some(sure) if sure > now && self.seen.len() > 1 => SaveRunStatus::Wait(Some(sure)),
                    _ => SaveRunStatus::Done,
                }
            }
            _ if overdue > now => SaveRunStatus::Wait(Some(overdue)),
            _ => SaveRunStatus::Late,
        }
    }

    /// Whether a run has ended just now: what it found may still be on its way.
    pub(super) fn has_just_ended(&self, now: Instant) -> bool {
        self.ended.is_some_and(|ended| ended + RERUN_GAP > now)
    }

    /// One that was silent for all that time after it first had a reason is not waited for again.
    fn patience(&self, now: Instant) -> Duration {
        let longest = self.begins * PATIENCE;
        let is_silent = self.begun.is_none() && self.first.is_some_and(|first| first + longest <= now);
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

    fn begun() -> (SaveRuns, SaveTestClock) {
        (SaveRuns::new(vec!["check/".into()], Duration::from_millis(500)), SaveTestClock(Instant::now()))
    }

    fn run(saves: &mut SaveRuns, token: &str, kind: &str, at: Instant) {
        saves.progress(token, &json!({ "kind": kind }), at);
    }

    #[test]
    fn a_save_is_followed_by_the_run_that_began_after_it() {
        let (mut saves, at) = begun();
        run(&mut saves, "check/0", "begin", at.ms(0));
        let followed = |saves: &SaveRuns, saved, now| saves.status_after(at.ms(saved), at.ms(now));
        assert_eq!(followed(&saves, 10, 20), SaveRunStatus::Wait(None), "the run is of an older save");
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
            "which of them is it?"
        );
        assert_eq!(followed(&saves, 60, 1900), SaveRunStatus::Done);
    }

    #[test]
    fn what_is_to_begin_is_known_until_it_has_begun_or_is_overdue() {
        let (mut saves, at) = begun();
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
    fn one_that_never_begins_is_waited_for_once() {
        let (mut saves, at) = begun();
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
