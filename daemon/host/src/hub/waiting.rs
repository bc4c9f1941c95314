//! What waits for a person, as clients are sent it, and that it waits no more.

use std::sync::Arc;

use copydesk_protocol::ask::{Ask, PermissionAskParams, PermissionSettledParams};
use copydesk_protocol::event::Event;
use copydesk_protocol::question::{QuestionAskParams, QuestionSettledParams, Questions};
use copydesk_session::Id;

use super::Message;

pub(super) fn ask(session: &Id, ask: &Ask) -> Message {
    Message::Ask(Arc::new(PermissionAskParams { session: session.to_string(), ask: ask.clone() }))
}

pub(super) fn question(session: &Id, questions: &Questions) -> Message {
    let (session, questions) = (session.to_string(), questions.clone());
    Message::Question(Arc::new(QuestionAskParams { session, questions }))
}

/// What a client is sent along with an event; `by` is who replied, where it was another client.
pub(super) fn message(session: &Id, event: &Event, by: Option<String>) -> Option<Message> {
    match event {
        Event::Asked(asked) => Some(ask(session, asked)),
        Event::Questioned(asked) => Some(question(session, asked)),
        Event::Settled { ask } => {
            let (session, ask) = (session.to_string(), ask.clone());
            Some(Message::Settled(PermissionSettledParams { session, ask, by }))
        }
        Event::Answered { question } => {
            let (session, question) = (session.to_string(), question.clone());
            Some(Message::Answered(QuestionSettledParams { session, question, by }))
        }
        _ => None,
    }
}
