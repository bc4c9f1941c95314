//! Questions of an agent to the user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// Questions that the agent asks together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionAskInfo {
    /// Their id. A client that attaches again gets the same questions again.
    pub question: String,
    /// The id of the call's part, whose event may arrive after the questions.
    pub part: String,
    /// The subagent that asks; missing if it is the session's own agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// At least one.
    pub questions: Vec<QuestionInfo>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionInfo {
    /// One or two words for a tab or a title.
    pub header: String,
    /// The question.
    pub text: String,
    /// The options.
    pub options: Vec<QuestionOptionInfo>,
    /// Whether the user may choose more than one.
    pub multiple: bool,
    /// Whether the user may write their own answer.
    pub custom: bool,
}

/// An option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionOptionInfo {
    /// The answer that stands for it.
    pub label: String,
    /// What it means.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Questions and their session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionAskParams {
    /// The session's id.
    pub session: String,
    /// The questions.
    #[serde(flatten)]
    pub questions: QuestionAskInfo,
}

/// The user's answers, or why there are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reply", rename_all = "camelCase")]
pub enum QuestionReply {
    /// The user answered.
    Answered {
        /// For each question, in order: the chosen labels, or the user's own words.
        #[serde(deserialize_with = "lenient::list")]
        answers: Vec<Vec<String>>,
    },
    /// The user does not answer. With a reason, the model is told and continues; without one, the turn stops.
    Rejected {
        /// For the model. Blank counts as missing.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::words")]
        reason: Option<String>,
    },
    /// No reply from this client: the questions were settled, or the user closed their window. They stay open for other clients.
    Cancelled,
}

/// Settled questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionSettledParams {
    /// The session's id.
    pub session: String,
    /// The id of the questions.
    pub question: String,
    /// The name of the client that answered; missing if it was this one or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}
