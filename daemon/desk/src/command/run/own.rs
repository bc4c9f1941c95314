//! Which of a session's turns is ours: the one whose prompt has our words.
//!
//! A turn begins before its prompt is known, so its first events are kept until then.

use copydesk_protocol::event::Event;
use copydesk_protocol::part::{Content, Part};

#[derive(Debug)]
pub(super) struct Own {
    prompt: String,
    turn: Turn,
}

#[derive(Debug)]
enum Turn {
    /// None runs.
    None,
    /// One that began a moment ago; whose it is will be seen.
    New(Vec<Event>),
    Others,
    Ours(u32),
}

/// What is to be done with an event.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    Ours(Vec<Event>),
    Others,
}

impl Own {
    /// `running`: the turn that others had begun before.
    pub(super) fn new(prompt: String, running: Option<u32>) -> Self {
        Self { prompt, turn: if running.is_some() { Turn::Others } else { Turn::None } }
    }

    pub(super) fn is_running(&self) -> bool {
        self.turn().is_some()
    }

    pub(super) fn turn(&self) -> Option<u32> {
        match self.turn {
            Turn::Ours(turn) => Some(turn),
            _ => None,
        }
    }

    pub(super) fn hear(&mut self, event: Event) -> Step {
        if matches!(event, Event::TurnStarted { .. }) {
            self.turn = Turn::New(vec![event]);
            return Step::Others;
        }
        match &mut self.turn {
            Turn::Ours(_) => Step::Ours(vec![event]),
            Turn::New(events) => {
                let ours = match &event {
                    Event::Part { part } => prompt_of(part).map(|prompt| (prompt == self.prompt, part.turn)),
                    // One that failed before its prompt was kept.
                    Event::TurnEnded { turn, .. } => Some((true, *turn)),
                    _ => None,
                };
                events.push(event);
                match ours {
                    Some((true, turn)) => {
                        let events = std::mem::take(events);
                        self.turn = Turn::Ours(turn);
                        Step::Ours(events)
                    }
                    Some((false, _)) => {
                        self.turn = Turn::Others;
                        Step::Others
                    }
                    None => Step::Others,
                }
            }
            Turn::Others | Turn::None => {
                if matches!(event, Event::TurnEnded { .. }) {
                    self.turn = Turn::None;
                }
                Step::Others
            }
        }
    }
}

/// The words that a turn began with.
fn prompt_of(part: &Part) -> Option<&str> {
    match &part.content {
        Content::Prompt(prompt) if !prompt.steers => Some(&prompt.text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use copydesk_protocol::event::TurnEnd;
    use copydesk_protocol::part::{Prompt, State};

    use super::*;

    fn prompt(turn: u32, text: &str) -> Event {
        let content = Content::Prompt(Prompt { text: text.into(), steers: false });
        let (id, session, state) = ("p".to_owned(), "s".to_owned(), State::Completed);
        Event::Part {
            part: Box::new(Part { id, session, turn, step: 0, created: 0, updated: 0, state, content }),
        }
    }

    fn delta(text: &str) -> Event {
        Event::Delta { part: "p".into(), text: text.into() }
    }

    #[test]
    fn only_our_own_turn_is_followed() {
        let mut own = Own::new("mine".into(), Some(1));
        let end = |turn| Event::TurnEnded { turn, end: TurnEnd::Done };
        for event in
            [delta("a"), end(1), Event::TurnStarted { turn: 2 }, prompt(2, "theirs"), delta("b"), end(2)]
        {
            assert_eq!(own.hear(event), Step::Others);
            assert!(!own.is_running());
        }
        let begun = [Event::TurnStarted { turn: 3 }, delta("title")];
        for event in begun.clone() {
            assert_eq!(own.hear(event), Step::Others, "not yet");
        }
        let mut all = begun.to_vec();
        all.push(prompt(3, "mine"));
        assert_eq!(own.hear(prompt(3, "mine")), Step::Ours(all));
        assert_eq!(own.turn(), Some(3));
        assert_eq!(own.hear(end(3)), Step::Ours(vec![end(3)]));
    }

    #[test]
    fn a_turn_that_fails_before_its_prompt_is_kept_is_ours() {
        let mut own = Own::new("mine".into(), None);
        let end = Event::TurnEnded { turn: 1, end: TurnEnd::Failed { message: "full".into() } };
        own.hear(Event::TurnStarted { turn: 1 });
        assert_eq!(own.hear(end.clone()), Step::Ours(vec![Event::TurnStarted { turn: 1 }, end]));
    }
}
