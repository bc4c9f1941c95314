//! What follows a save alone: when the run that a save began has ended.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

/// A run that another save breaks off ends, and the next begins within this time.
const AGAIN: Duration = Duration::from_millis(200);

/// Runs at one time; more are not looked at.
const MOST: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Saves {
    /// Beginnings of the tokens of its runs.
    tokens: Vec<String>,
    running: BTreeSet<String>,
    /// When the last run began.
    begun: Option<Instant>,
    /// When a run last ended.
    ended: Option<Instant>,
}

/// What became of a save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Followed {
    /// A run that began after it has ended: all that follows it is there.
    Done,
    /// Wait; at this moment it is judged again.
    Wait(Option<Instant>),
    /// This server has never begun a run: none is to be expected.
    Nothing,
    /// It has begun runs before, and this one is overdue.
    Late,
}

/// Where it has begun runs before, the next one is waited for so many times as long: the machine may be busy.
const PATIENCE: u32 = 3;

impl Saves {
    pub(super) fn new(tokens: Vec<String>) -> Self {
        Self { tokens, ..Self::default() }
    }

    pub(super) fn progress(&mut self, token: &str, value: &Value, now: Instant) {
        if !self.tokens.iter().any(|start| token.starts_with(start.as_str())) {
            return;
        }
        match value.get("kind").and_then(Value::as_str) {
            Some("begin") if self.running.len() < MOST => {
                self.running.insert(token.to_owned());
                self.begun = Some(now);
            }
            Some("end") => {
                self.running.remove(token);
                self.ended = Some(now);
            }
            _ => {}
        }
    }

    /// When the last run began.
    pub(super) fn begun(&self) -> Option<Instant> {
        self.begun
    }

    pub(super) fn followed(&self, saved: Instant, begins: Duration, now: Instant) -> Followed {
        match self.begun {
            _ if !self.running.is_empty() => Followed::Wait(None),
            // It may have been the run of the save before, which begins late and is broken off.
            Some(begun) if begun >= saved => match self.ended.map(|ended| ended + AGAIN) {
                Some(sure) if sure > now => Followed::Wait(Some(sure)),
                _ => Followed::Done,
            },
            Some(_) if saved + begins * PATIENCE > now => Followed::Wait(Some(saved + begins * PATIENCE)),
            Some(_) => Followed::Late,
            None if saved + begins > now => Followed::Wait(Some(saved + begins)),
            None => Followed::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_save_is_followed_by_the_run_that_began_after_it() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let begins = Duration::from_millis(500);
        let mut saves = Saves::new(vec!["check/".into()]);
        saves.progress("check/0", &json!({ "kind": "begin" }), at(0));
        assert_eq!(
            saves.followed(at(10), begins, at(20)),
            Followed::Wait(None),
            "the run is of an older save"
        );
        saves.progress("check/0", &json!({ "kind": "end" }), at(30));
        assert_eq!(saves.followed(at(10), begins, at(30)), Followed::Wait(Some(at(1510))));
        saves.progress("other", &json!({ "kind": "begin" }), at(40));
        saves.progress("check/1", &json!({ "kind": "begin" }), at(50));
        saves.progress("check/1", &json!({ "kind": "report" }), at(60));
        assert_eq!(saves.followed(at(10), begins, at(60)), Followed::Wait(None));
        saves.progress("check/1", &json!({ "kind": "end" }), at(70));
        assert_eq!(saves.followed(at(10), begins, at(70)), Followed::Wait(Some(at(270))), "broken off?");
        assert_eq!(saves.followed(at(10), begins, at(270)), Followed::Done);
        assert_eq!(saves.followed(at(60), begins, at(70)), Followed::Wait(Some(at(1560))));
        assert_eq!(saves.followed(at(60), begins, at(1560)), Followed::Late);
        let never = Saves::new(vec!["check/".into()]);
        assert_eq!(never.followed(at(60), begins, at(70)), Followed::Wait(Some(at(560))));
        assert_eq!(never.followed(at(60), begins, at(560)), Followed::Nothing);
    }
}
