//! An ask or questions for the user, with the channel for the reply.

use copydesk_protocol::permission::{PermissionAskInfo, PermissionReply};
use copydesk_protocol::question::{QuestionAskInfo, QuestionReply};
use tokio::sync::oneshot;

use super::hunk_dialog::{DecisionCounts, DialogAnswer};
use super::terminal_input::WithdrawnQuestion;

const NO_ANSWER: &str = "Nobody is there who could answer. Decide yourself, and say what you assumed.";

/// Dropped without a reply, it is left to other clients.
#[derive(Debug)]
pub(super) enum UserRequest {
    Ask(PermissionAskInfo, oneshot::Sender<PermissionReply>),
    Questions(QuestionAskInfo, oneshot::Sender<QuestionReply>),
}

/// The user's answer.
#[derive(Debug)]
pub(super) enum DialogOutcome {
    Ask(DialogAnswer, DecisionCounts),
    Answers(Result<QuestionReply, WithdrawnQuestion>),
    /// The dialog panicked.
    Nothing,
}

impl UserRequest {
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Ask(ask, _) => &ask.ask,
            Self::Questions(asked, _) => &asked.question,
        }
    }

    pub(super) fn part(&self) -> &str {
        match self {
            Self::Ask(ask, _) => &ask.part,
            Self::Questions(asked, _) => &asked.part,
        }
    }

    /// Replies in an unattended run. Sending fails if the asker is gone, which then needs no reply.
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
