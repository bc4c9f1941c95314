//! Recognises the turn of our prompt by the prompt's id. Others may send the same text to the session.

use copydesk_protocol::event::EventInfo;

#[derive(Debug)]
pub(super) struct OwnTurn {
    prompt: String,
    is_latest: bool,
}

impl OwnTurn {
    /// `prompt` is the id from the daemon.
    pub(super) fn new(prompt: String) -> Self {
        Self { prompt, is_latest: false }
    }

    /// Whether our turn is the one that started last. It may have ended.
    pub(super) fn is_latest(&self) -> bool {
        self.is_latest
    }

    pub(super) fn is_started_by(&self, prompt: &str) -> bool {
        self.prompt == prompt
    }

    /// Whether the event belongs to our turn.
    pub(super) fn observe(&mut self, event: &EventInfo) -> bool {
        if let EventInfo::TurnStarted { prompt, .. } = event {
            self.is_latest = self.is_started_by(prompt);
        }
        self.is_latest()
    }
}

#[cfg(test)]
mod tests {
    use copydesk_protocol::event::TurnEndInfo;

    use super::*;

    #[test]
    fn only_our_own_turn_is_followed() {
        let mut own = OwnTurn::new("mine".into());
        let start = |turn, prompt: &str| EventInfo::TurnStarted { turn, prompt: prompt.into() };
        let delta = || EventInfo::Delta { part: "p".into(), text: "word".into() };
        let end = |turn| EventInfo::TurnEnded { turn, end: TurnEndInfo::Done };
        for event in [delta(), end(1), start(2, "theirs"), delta(), end(2)] {
            assert!(!own.observe(&event) && !own.is_latest(), "{event:?}");
        }
        for event in [start(3, "mine"), delta(), end(3)] {
            assert!(own.observe(&event), "{event:?}");
            assert!(own.is_latest());
        }
        assert!(!own.observe(&start(4, "theirs")));
    }
}
