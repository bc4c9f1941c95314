//! Subagents, each in a session of its own. The host implements [`Subagents`], because only it can open sessions.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use copydesk_metadata::{FileChangeStats, TaskState, TaskUsage};

use crate::context::ToolContext;
use crate::outcome::ToolError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    pub name: String,
    /// When to use it, for the model.
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubagentTask {
    pub agent: String,
    /// A few words for the user.
    pub description: String,
    pub prompt: String,
    /// The session of an earlier task to continue.
    pub resumed_session: Option<String>,
}

/// How far a task is: what the user is shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TaskProgress {
    /// The session that works on it.
    pub session: String,
    pub calls: u64,
    /// What it does at the moment, in a few words.
    pub now: String,
    pub usage: TaskUsage,
    /// US dollars, if the price is known.
    pub cost: Option<f64>,
}

/// The result of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskReport {
    pub progress: TaskProgress,
    pub end: TaskEnd,
    /// The agent's last message.
    pub last_text: String,
    /// The changed files, in the order of their first change.
    pub files: Vec<FileChangeStats>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    Completed,
    /// The agent would have continued; this many steps are allowed.
    StepLimit(u32),
    /// The user cancelled it.
    Cancelled,
    /// The user rejected an ask of it without a reason, which stops it.
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

/// Knows the subagents and runs tasks.
pub trait Subagents: Send + Sync {
    /// In a stable order.
    fn agents(&self) -> &[Subagent];

    /// Runs a task to its end, or until the context is cancelled. Its asks go through the context, its edits belong to the
    /// context's call, and `show` gets its progress. An error means that the task did not begin.
    fn run_task<'a>(
        &'a self,
        task: SubagentTask,
        context: ToolContext,
        show: Box<dyn Fn(&TaskProgress) + Send + Sync>,
    ) -> TaskFuture<'a>;
}
