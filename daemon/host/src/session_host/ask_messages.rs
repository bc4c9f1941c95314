//! Messages to clients about asks and questions: opened, settled.

use std::sync::Arc;

use copydesk_protocol::event::EventInfo;
use copydesk_protocol::permission::{PermissionAskInfo, PermissionAskParams, PermissionSettledParams};
use copydesk_protocol::question::{QuestionAskInfo, QuestionAskParams, QuestionSettledParams};
use copydesk_session::Id;

use super::OutboxMessage;

pub(super) fn ask_message(session: &Id, ask: &PermissionAskInfo) -> OutboxMessage {
    OutboxMessage::Ask(Arc::new(PermissionAskParams { session: session.to_string(), ask: ask.clone() }))
}

pub(super) fn question_message(session: &Id, questions: &QuestionAskInfo) -> OutboxMessage {
    let (session, questions) = (session.to_string(), questions.clone());
    OutboxMessage::Question(Arc::new(QuestionAskParams { session, questions }))
}

/// The message that accompanies an event. `by` names the other client that replied.
pub(super) fn message_for_event(
    session: &Id,
    event: &EventInfo,
    by: Option<String>,
) -> Option<OutboxMessage> {
    match event {
        EventInfo::Asked(asked) => Some(ask_message(session, asked)),
        EventInfo::Questioned(asked) => Some(question_message(session, asked)),
        EventInfo::Settled { ask } => {
            let (session, ask) = (session.to_string(), ask.clone());
            Some(OutboxMessage::AskSettled(PermissionSettledParams { session, ask, by }))
        }
        EventInfo::Answered { question } => {
            let (session, question) = (session.to_string(), question.clone());
            Some(OutboxMessage::QuestionSettled(QuestionSettledParams { session, question, by }))
        }
        _ => None,
    }
}
