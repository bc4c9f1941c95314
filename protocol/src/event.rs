//! The events of a session, as its attached clients get them.

use copydesk_metadata::CallMetadata;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::job::JobInfo;
use crate::part::PartInfo;
use crate::permission::PermissionAskInfo;
use crate::question::QuestionAskInfo;
use crate::review::{FeedbackInfo, ReviewChange};
use crate::session::SessionInfo;
pub use crate::turn_end::TurnEndInfo;

/// An event and its number among the events of its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventParams {
    /// The session's id.
    pub session: String,
    /// Increases by one with every event of the session while the daemon runs. A client that sees a gap loads again.
    pub seq: u64,
    /// What happened.
    pub event: EventInfo,
}

/// An event. A client ignores events that it does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "camelCase")]
pub enum EventInfo {
    /// The session's title, agent, model or time changed.
    Session {
        /// Its present state.
        session: SessionInfo,
    },
    /// A turn starts.
    TurnStarted {
        /// Its number, from 1.
        turn: u32,
        /// The id of the prompt that started it. Its part follows, unless the store rejects it.
        prompt: String,
    },
    /// A part is new or has changed; a known id replaces the client's copy.
    Part {
        /// The whole part.
        part: Box<PartInfo>,
    },
    /// An unfinished part has grown.
    Delta {
        /// The part's id.
        part: String,
        /// To append to the `text` of a text or reasoning, or to the `arguments` of a call.
        text: String,
    },
    /// A part is dropped, because its attempt failed. The client removes it.
    Void {
        /// The part's id.
        part: String,
    },
    /// A running call shows something; it replaces what it showed before.
    Progress {
        /// The part's id.
        part: String,
        /// What the user is shown.
        metadata: CallMetadata,
    },
    /// A call waits for the user. Clients reply to the request `copydesk/permission/ask`, not to this event.
    Asked(PermissionAskInfo),
    /// A client replied, or the ask needs no reply any more.
    Settled {
        /// The ask's id.
        ask: String,
    },
    /// The agent waits for answers. Clients reply to the request `copydesk/question/ask`, not to this event.
    Questioned(QuestionAskInfo),
    /// A client answered, or the questions need no answer any more.
    Answered {
        /// The id of the questions.
        question: String,
    },
    /// The undecided hunks changed: the agent edited, or the user decided or typed.
    ReviewChanged(Box<ReviewChange>),
    /// Decisions and comments that the model has not read yet: all of them, at most the last 50. A note tells the model at its next
    /// step; then there are none.
    Feedback {
        /// The oldest first.
        items: Vec<FeedbackInfo>,
    },
    /// A background command started or ended, in a turn or between two.
    Jobs {
        /// Those that run now.
        running: Vec<JobInfo>,
        /// Those that have ended since the last such event.
        ended: Vec<JobInfo>,
    },
    /// A turn ended. Exactly one for every `turnStarted`.
    TurnEnded {
        /// Its number.
        turn: u32,
        /// Why.
        end: TurnEndInfo,
    },
    /// A warning about the session's setup, such as an ignored configuration key or instructions that could not be fetched. The
    /// work continues.
    Warning {
        /// For the user.
        message: String,
    },
    /// The session was deleted. This is its last event, and all clients are detached.
    Deleted,
}
