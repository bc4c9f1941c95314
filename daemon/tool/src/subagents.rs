//! Agents that work for other agents, each in a session of its own. Who can open a session is not known here: the desk is.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use copydesk_metadata::{FileChangeStats, TaskState, TaskUsage};

use crate::context::ToolContext;
use crate::outcome::ToolError;

/// An agent that may be given a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    pub name: String,
    /// When to use it, for the model.
    pub description: String,
}

/// What an agent is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentTask {
    pub agent: String,
    /// A few words for the person.
    pub description: String,
    pub prompt: String,
    /// The session of an earlier task to go on with.
    pub resumed_session: Option<String>,
}

/// What a task has come to so far: what the person is shown of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskProgress {
    /// The session that works on it.
    pub session: String,
    /// Calls that it has made.
    pub calls: u64,
    /// What it does at the moment, in a few words.
    pub now: String,
    pub usage: TaskUsage,
    /// US dollars, where the price is known.
    pub cost: Option<f64>,
}

/// What came of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskReport {
    pub progress: TaskProgress,
    pub end: TaskEnd,
    /// The agent's last words.
    pub last_text: String,
    /// What it changed, in the order in which it was changed first.
    pub files: Vec<FileChangeStats>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    Completed,
    /// It would have gone on; this many steps are allowed.
    StepLimit(u32),
    /// The person ended it.
    Cancelled,
    /// The person said no to something in it, and meant stop.
    Rejected,
    Failed(String),
}

impl TaskEnd {
    pub(crate) fn state(&self) -> TaskState {
        match self {
            Self::Completed => TaskState::Completed,
            Self::StepLimit(_) => TaskState::OutOfSteps,
            Self::Cancelled => TaskState::Cancelled,
            Self::Rejected => TaskState::Rejected,
            Self::Failed(_) => TaskState::Failed,
        }
    }
}

impl fmt::Display for TaskEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "completed",
            Self::StepLimit(_) => "out of steps",
            Self::Cancelled => "cancelled",
            Self::Rejected => "rejected",
            Self::Failed(_) => "failed",
        })
    }
}

pub type TaskFuture<'a> = Pin<Box<dyn Future<Output = Result<TaskReport, ToolError>> + Send + 'a>>;

/// Whoever has agents, and can open sessions for them.
pub trait Subagents: Send + Sync {
    /// In a stable order.
    fn agents(&self) -> &[Subagent];

    /// Works on a task to its end, which a cancelled context brings about. What is asked there is asked through the context,
    /// what is done to files belongs to its call, and `show` is told what happens. An error is a task that did not begin.
    fn run_task<'a>(
        &'a self,
        task: SubagentTask,
        context: ToolContext,
        show: Box<dyn Fn(&TaskProgress) + Send + Sync>,
    ) -> TaskFuture<'a>;
}
