//! Agents that work for other agents, each in a session of its own. Who can open a session is not known here: the desk is.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};

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
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskProgress {
    /// The session that works on it.
    pub session: String,
    /// Calls that it has made.
    pub calls: usize,
    /// What it does at the moment, in a few words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub now: String,
    pub usage: TaskUsage,
    /// US dollars, where the price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

/// Tokens, of all requests together; those of tasks below it included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskUsage {
    pub input: u64,
    pub output: u64,
    pub reasoning: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

impl std::ops::AddAssign for TaskUsage {
    fn add_assign(&mut self, more: Self) {
        self.input = self.input.saturating_add(more.input);
        self.output = self.output.saturating_add(more.output);
        self.reasoning = self.reasoning.saturating_add(more.reasoning);
        self.cache_read = self.cache_read.saturating_add(more.cache_read);
        self.cache_write = self.cache_write.saturating_add(more.cache_write);
    }
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

/// A file that was changed, in the words that every call's metadata has for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChangeStats {
    pub filepath: String,
    pub additions: u64,
    pub deletions: u64,
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
