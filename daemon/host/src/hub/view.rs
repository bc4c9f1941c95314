//! What a session looks like from outside, event by event: enough to show it to a client that comes in the middle of a turn.

use std::collections::BTreeMap;

use copydesk_protocol::ask::Ask;
use copydesk_protocol::event::{Event, Job};
use copydesk_protocol::part::{Content, Part, State};
use copydesk_protocol::question::Questions;
use copydesk_session as session;

use super::convert;

#[derive(Debug)]
pub(super) struct View {
    pub(super) session: session::Session,
    /// The number of the last event.
    pub(super) seq: u64,
    pub(super) running: Option<u32>,
    /// Parts under way, with what they have so far, in the order in which they began.
    pub(super) open: Vec<Part>,
    pub(super) asks: BTreeMap<String, Ask>,
    pub(super) questions: BTreeMap<String, Questions>,
    /// What runs in the background.
    pub(super) jobs: Vec<Job>,
}

impl View {
    pub(super) fn new(session: session::Session) -> Self {
        Self {
            session,
            seq: 0,
            running: None,
            open: Vec::new(),
            asks: BTreeMap::new(),
            questions: BTreeMap::new(),
            jobs: Vec::new(),
        }
    }

    /// Takes an event in, and gives it as clients are told.
    pub(super) fn hear(&mut self, event: session::Event) -> Event {
        self.seq += 1;
        if let session::Event::Session { session } = &event {
            self.session = session.clone();
        }
        let event = convert::event(event);
        match &event {
            Event::TurnStarted { turn, .. } => self.running = Some(*turn),
            Event::Part { part } => self.part(part),
            Event::Delta { part, text } => {
                if let Some(open) = self.find(part) {
                    grow(&mut open.content, text);
                }
            }
            Event::Void { part } => self.open.retain(|open| open.id != *part),
            Event::Progress { part, metadata } => {
                if let Some(Part { content: Content::Call(call), .. }) = self.find(part) {
                    call.progress = metadata.clone();
                }
            }
            Event::Asked(ask) => drop(self.asks.insert(ask.ask.clone(), ask.clone())),
            Event::Settled { ask } => drop(self.asks.remove(ask)),
            Event::Questioned(asked) => drop(self.questions.insert(asked.question.clone(), asked.clone())),
            Event::Answered { question } => drop(self.questions.remove(question)),
            Event::Jobs { running, .. } => self.jobs.clone_from(running),
            Event::TurnEnded { .. } => {
                self.running = None;
                self.open.clear();
            }
            Event::Session { .. } | Event::ReviewChanged(_) | Event::Deleted => {}
        }
        event
    }

    /// A part that is settled is in the store; those under way are kept here.
    fn part(&mut self, part: &Part) {
        let is_open = matches!(part.state, State::Pending | State::Running);
        match self.open.iter().position(|open| open.id == part.id) {
            Some(at) if is_open => {
                if let Some(open) = self.open.get_mut(at) {
                    open.clone_from(part);
                }
            }
            Some(at) => drop(self.open.remove(at)),
            None if is_open => self.open.push(part.clone()),
            None => {}
        }
    }

    fn find(&mut self, part: &str) -> Option<&mut Part> {
        self.open.iter_mut().find(|open| open.id == part)
    }
}

fn grow(content: &mut Content, more: &str) {
    match content {
        Content::Text(text) | Content::Reasoning(text) => text.text.push_str(more),
        Content::Call(call) => call.arguments.push_str(more),
        _ => {}
    }
}
