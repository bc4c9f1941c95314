//! What waits for the person: an ask or questions, with the way back to whoever asks.

use copydesk_protocol::permission::{PermissionAskInfo, PermissionReply};
use copydesk_protocol::question::{QuestionAskInfo, QuestionReply};
use tokio::sync::oneshot;

use super::hunk_dialog::{DecisionCounts, DialogAnswer};
use super::terminal_input::WithdrawnQuestion;

const NO_ANSWER: &str = "Nobody is there who could answer. Decide yourself, and say what you assumed.";

/// Dropped, it is left to others.
#[derive(Debug)]
pub(super) enum UserRequest {
    Ask(PermissionAskInfo, oneshot::Sender<PermissionReply>),
    Questions(QuestionAskInfo, oneshot::Sender<QuestionReply>),
}

/// What the person said to it.
#[derive(Debug)]
pub(super) enum DialogOutcome {
    Ask(DialogAnswer, DecisionCounts),
    Answers(Result<QuestionReply, WithdrawnQuestion>),
    /// The dialog broke down.
    Nothing,
}

impl UserRequest {
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
    pub(super) fn reply_unattended(self, auto: bool) {
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
