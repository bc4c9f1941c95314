//! Tasks that other agents work on: `task`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// A task, while the agent works on it and when it is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskMetadata {
    /// The agent's name.
    pub agent: String,
    /// The task in a few words.
    pub description: String,
    /// The id of the session that works on it.
    pub session: String,
    /// How many calls the agent has made.
    pub calls: u64,
    /// What it does at the moment, in a few words; missing before it begins and after it is done.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub now: Option<String>,
    /// The tokens that it has used, those of its own tasks included.
    pub usage: TaskUsage,
    /// US dollars, if the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub cost: Option<f64>,
    /// How it ended; missing while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub state: Option<TaskState>,
    /// The files that it changed, when it is done; missing if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::objects")]
    pub files: Vec<FileChangeStats>,
}

/// Tokens of all requests of a task together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskUsage {
    /// Read by the model, without what a cache had or took.
    pub input: u64,
    /// Written by the model, its reasoning included.
    pub output: u64,
    /// Written as reasoning.
    pub reasoning: u64,
    /// Read from a cache.
    pub cache_read: u64,
    /// Written to a cache.
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

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TaskState {
    /// The agent is done.
    #[serde(rename = "completed")]
    Completed,
    /// The agent would have continued, but may not take more steps.
    #[serde(rename = "out of steps")]
    OutOfSteps,
    /// The user cancelled it.
    #[serde(rename = "cancelled")]
    Cancelled,
    /// The user rejected an ask of it, and so stopped it.
    #[serde(rename = "rejected")]
    Rejected,
    /// It failed.
    #[serde(rename = "failed")]
    Failed,
}

/// A file that a task changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChangeStats {
    /// Its absolute path.
    pub filepath: String,
    /// Lines that were added.
    pub additions: u64,
    /// Lines that were removed.
    pub deletions: u64,
}
