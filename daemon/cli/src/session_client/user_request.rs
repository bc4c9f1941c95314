//! An ask or questions for the user, with the channel for the reply.

use copydesk_protocol::permission::{PermissionAskInfo, PermissionReply};
use copydesk_protocol::question::{QuestionAskInfo, QuestionReply};
use tokio::sync::oneshot;

const NO_ANSWER: &str = "Nobody is there who could answer. Decide yourself, and say what you assumed.";

/// Dropped without a reply, it is left to other clients.
#[derive(Debug)]
pub(crate) enum UserRequest {
    Ask(PermissionAskInfo, oneshot::Sender<PermissionReply>),
    Questions(QuestionAskInfo, oneshot::Sender<QuestionReply>),
}

impl UserRequest {
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Ask(ask, _) => &ask.ask,
            Self::Questions(asked, _) => &asked.question,
        }
    }

    pub(crate) fn part(&self) -> &str {
        match self {
            Self::Ask(ask, _) => &ask.part,
            Self::Questions(asked, _) => &asked.part,
        }
    }

    /// Replies in an unattended run. Sending fails if the asker is gone, which then needs no reply.
    pub(crate) fn reply_unattended(self, auto: bool) {
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
