//! Commands that run in the background.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A command in the background. None outlives its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobInfo {
    /// Its number, as the agent calls it.
    pub id: i32,
    /// The first line of the command.
    pub command: String,
    /// `running for 3.0 s`, `exit code 1 after 3.0 s`.
    pub state: String,
}
