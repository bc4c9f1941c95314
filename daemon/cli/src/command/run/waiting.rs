//! What waits for the person: an ask or questions, with the way back to whoever asks.

use copydesk_protocol::ask::{Ask, PermissionReply};
use copydesk_protocol::question::{QuestionReply, Questions};
use tokio::sync::oneshot;

use super::hunks::{Answer, Tally};
use super::typed::TakenBack;

const NO_ANSWER: &str = "Nobody is there who could answer. Decide yourself, and say what you assumed.";

/// Dropped, it is left to others.
#[derive(Debug)]
pub(super) enum Waiting {
    Ask(Ask, oneshot::Sender<PermissionReply>),
    Questions(Questions, oneshot::Sender<QuestionReply>),
}

/// What the person said to it.
#[derive(Debug)]
pub(super) enum Said {
    Ask(Answer, Tally),
    Answers(Result<QuestionReply, TakenBack>),
    /// The dialog broke down.
    Nothing,
}

impl Waiting {
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Ask(ask, _) => &ask.ask,
            Self::Questions(asked, _) => &asked.question,
        }
    }

    /// The part of the call.
    pub(super) fn part(&self) -> &str {
        match self {
            Self::Ask(ask, _) => &ask.part,
            Self::Questions(asked, _) => &asked.part,
        }
    }

    /// Replies where there is no person. Whoever asked may be gone; then nobody waits.
    pub(super) fn nobody(self, auto: bool) {
        match self {
            Self::Ask(_, answer) => {
                let _ = answer.send(if auto { PermissionReply::Once } else { PermissionReply::Nobody });
            }
            Self::Questions(_, answer) => {
                let _ = answer.send(QuestionReply::Rejected { reason: Some(NO_ANSWER.to_owned()) });
            }
        }
    }
}
