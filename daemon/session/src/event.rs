//! The events of a session. A closed list; terminal, editors and tests only read them.

use std::sync::Arc;

use copydesk_metadata::{CallMetadata, PermissionAskMetadata};
use copydesk_tool::Question;

use crate::data::{Part, Session, TurnEnd};
use crate::id::Id;

#[derive(Debug, Clone)]
pub enum SessionEvent {
    SessionChanged {
        session: Session,
    },
    TurnStarted {
        turn: u32,
        /// The part of its first prompt, which follows unless it cannot be stored.
        prompt: Id,
    },
    /// A part is new or has changed. A completed one is on the disk.
    PartChanged {
        part: Arc<Part>,
    },
    /// A part that is being written has grown.
    PartDelta {
        part: Id,
        text: String,
    },
    /// A part is withdrawn: its attempt failed.
    PartDiscarded {
        part: Id,
    },
    /// A running call has something to show.
    CallProgress {
        part: Id,
        metadata: CallMetadata,
    },
    AskOpened(AskEvent),
    /// A reply came, or none is needed any more.
    AskSettled {
        ask: Id,
    },
    QuestionOpened(QuestionEvent),
    /// The answers came, or none are needed any more.
    QuestionSettled {
        question: Id,
    },
    /// A background command began or ended: those that run now, and those that ended since the last such event.
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

/// A background command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobSnapshot {
    pub id: i32,
    pub command: String,
    /// `running for 3.0 s`, `exit code 1 after 3.0 s`
    pub state: String,
}

/// A call waits for the user's reply.
#[derive(Debug, Clone, PartialEq)]
pub struct AskEvent {
    pub ask: Id,
    /// The part of the call.
    pub part: Id,
    pub key: String,
    pub patterns: Vec<String>,
    /// What "always" would allow; empty if it is not offered.
    pub always: Vec<String>,
    /// Whether "always" may count for the project.
    pub project_always: bool,
    pub title: String,
    /// The rule that asks, and where it stands.
    pub why: Option<String>,
    pub metadata: PermissionAskMetadata,
}

/// A call waits for the user's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionEvent {
    pub question: Id,
    /// The part of the call.
    pub part: Id,
    /// The subagent that asks, with those between it and this session.
    pub agent: Option<String>,
    pub questions: Vec<Question>,
}
