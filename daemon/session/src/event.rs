//! Everything that can happen in a session, as its views see it. Closed: terminal, editors and tests are only readers.

use std::sync::Arc;

use copydesk_metadata::{CallMetadata, PermissionAskMetadata};
use copydesk_tool::Question;

use crate::data::{Part, Session};
use crate::id::Id;

#[derive(Debug, Clone)]
pub enum SessionEvent {
    SessionChanged {
        session: Session,
    },
    TurnStarted {
        turn: u32,
        /// The part of the prompt that it begins with, which follows unless it cannot be kept.
        prompt: Id,
    },
    /// A part that is new or has changed. One that is completed is on the disk.
    PartChanged {
        part: Arc<Part>,
    },
    /// A part that is being written has grown.
    PartDelta {
        part: Id,
        text: String,
    },
    /// A part that will not be: the attempt it belonged to failed.
    PartDiscarded {
        part: Id,
    },
    /// A running call has something to show.
    CallProgress {
        part: Id,
        metadata: CallMetadata,
    },
    AskOpened(AskEvent),
    /// Somebody replied, or nobody needs to any more.
    AskSettled {
        ask: Id,
    },
    QuestionOpened(QuestionEvent),
    /// Somebody answered, or nobody needs to any more.
    QuestionSettled {
        question: Id,
    },
    /// A command in the background has begun or ended: those that run now, and those that ended since the last word of them.
    JobsChanged {
        running: Vec<JobSnapshot>,
        ended: Vec<JobSnapshot>,
    },
    TurnEnded {
        turn: u32,
        end: TurnEnd,
    },
    /// Something the user should know about the session's setup. It does not stop the work.
    Warning {
        message: String,
    },
}

/// A command in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobSnapshot {
    pub id: i32,
    /// The first line of it.
    pub command: String,
    /// `running for 3.0 s`, `exit code 1 after 3.0 s`
    pub state: String,
}

/// A call waits for a person's word.
#[derive(Debug, Clone, PartialEq)]
pub struct AskEvent {
    pub ask: Id,
    /// The part of the call.
    pub part: Id,
    pub key: String,
    pub patterns: Vec<String>,
    /// What "always" would allow; empty where that cannot be said.
    pub always: Vec<String>,
    pub title: String,
    pub metadata: PermissionAskMetadata,
}

/// A call waits for a person's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionEvent {
    pub question: Id,
    /// The part of the call.
    pub part: Id,
    /// Who asks, where it is one that works for this session; with those in between.
    pub agent: Option<String>,
    pub questions: Vec<Question>,
}

/// Why a turn is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    Done,
    Cancelled,
    /// A person said no without a word to go on with.
    Rejected,
    /// The model would have gone on; this many steps are allowed.
    StepLimit {
        steps: u32,
    },
    Failed {
        message: String,
    },
}
