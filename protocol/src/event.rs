//! Everything that can happen in a session, as the clients that are attached to it are told.

use copydesk_metadata::CallMetadata;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::job::JobInfo;
use crate::part::PartInfo;
use crate::permission::PermissionAskInfo;
use crate::question::QuestionAskInfo;
use crate::review::ReviewChange;
use crate::session::SessionInfo;

/// An event and its place among the events of its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventParams {
    /// The session's id.
    pub session: String,
    /// Counts up by one with every event of the session, as long as the desk runs. A client that sees a gap loads again.
    pub seq: u64,
    /// What happened.
    pub event: EventInfo,
}

/// Something that happened. A client passes over events that it does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "camelCase")]
pub enum EventInfo {
    /// The session's title, agent, model or time has changed.
    Session {
        /// As it is now.
        session: SessionInfo,
    },
    /// A turn begins.
    TurnStarted {
        /// Its number, from 1.
        turn: u32,
        /// The id of the prompt that it begins with. Its part follows, unless it cannot be kept.
        prompt: String,
    },
    /// A part is new or has changed; a known id replaces what the client has.
    Part {
        /// The whole of it.
        part: Box<PartInfo>,
    },
    /// A part that is being written has grown.
    Delta {
        /// The part's id.
        part: String,
        /// To be added to `text` of a text or reasoning, to `arguments` of a call.
        text: String,
    },
    /// A part will not be: the attempt it belonged to failed. The client takes it away.
    Void {
        /// The part's id.
        part: String,
    },
    /// A running call has something to show; it replaces what it showed before.
    Progress {
        /// The part's id.
        part: String,
        /// What the user is shown.
        metadata: CallMetadata,
    },
    /// A call waits for a person. The request `copydesk/permission/ask` is what is answered.
    Asked(PermissionAskInfo),
    /// Somebody replied, or nobody needs to any more.
    Settled {
        /// The ask's id.
        ask: String,
    },
    /// The agent waits for answers. The request `copydesk/question/ask` is what is answered.
    Questioned(QuestionAskInfo),
    /// Somebody answered, or nobody needs to any more.
    Answered {
        /// The id of the questions.
        question: String,
    },
    /// What is undecided has changed: the agent edited, a person decided or typed.
    ReviewChanged(Box<ReviewChange>),
    /// A command in the background has begun or ended, in a turn or between two.
    Jobs {
        /// Those that run now.
        running: Vec<JobInfo>,
        /// Those that have ended since the last such event.
        ended: Vec<JobInfo>,
    },
    /// A turn is over. Exactly one for every `turnStarted`.
    TurnEnded {
        /// Its number.
        turn: u32,
        /// Why.
        end: TurnEndInfo,
    },
    /// Something the user should know about the session's setup: a key of the configuration that is left out, instructions that
    /// could not be fetched. It does not stop the work.
    Warning {
        /// For the user.
        message: String,
    },
    /// The session was deleted. It is the last event; nobody is attached any more.
    Deleted,
}

/// Why a turn is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum TurnEndInfo {
    /// The model has said what it wanted to say.
    Done,
    /// A person cancelled it, or the desk stopped.
    Cancelled,
    /// A person rejected an ask without a reason to go on with.
    Rejected,
    /// The model would have gone on, but no more steps are allowed.
    StepLimit {
        /// So many are.
        steps: u32,
    },
    /// It could not go on.
    Failed {
        /// Why, for a person.
        message: String,
    },
}
