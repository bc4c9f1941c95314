//! The agent's list of things to do: `todowrite`, `todoread`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// The whole list. That of the last `todowrite` is the session's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TodoListMetadata {
    /// What is to be done, in its order.
    #[serde(deserialize_with = "lenient::objects")]
    pub todos: Vec<TodoEntryMetadata>,
    /// Whether the list has other items than the one before it; if not, only their statuses changed.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub is_new: Option<bool>,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TodoEntryMetadata {
    /// What is to be done, in a few words.
    pub content: String,
    /// How far it is.
    #[serde(deserialize_with = "lenient::or_default")]
    pub status: TodoEntryStatus,
    /// How important it is.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub priority: Option<TodoEntryPriority>,
}

/// How far a thing to do is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoEntryStatus {
    /// Not begun.
    #[default]
    Pending,
    /// The agent works on it.
    InProgress,
    /// Done.
    Completed,
    /// Given up.
    Cancelled,
}

/// How important a thing to do is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoEntryPriority {
    /// More than others.
    High,
    /// As others.
    Medium,
    /// Less than others.
    Low,
}
