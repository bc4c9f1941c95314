//! Questions to the user, changes of the agent, and skills.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// What `question` asked the user, and the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionsMetadata {
    /// The questions.
    #[serde(deserialize_with = "lenient::objects")]
    pub questions: Vec<AskedQuestionMetadata>,
    /// For each question the labels that were chosen, or the user's own words; empty where there is no answer.
    pub answers: Vec<Vec<String>>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskedQuestionMetadata {
    /// A word or two; may be empty.
    pub header: String,
    /// The question itself.
    pub text: String,
}

/// The agent that the session continues as after `plan_enter` or `plan_exit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentSwitchMetadata {
    /// The plan that the user approved, for `plan_exit`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::optional")]
    pub path: Option<String>,
    /// The agent's name.
    pub agent: String,
}

/// A skill that `skill` loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillMetadata {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// Whether it comes from the repository, not from the user's own folders.
    pub foreign: bool,
    /// The files beside it, relative to its folder.
    pub files: Vec<String>,
}
