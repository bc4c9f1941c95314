//! Questions: what an agent wants to know from a person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lenient;

/// Questions that are asked together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionAskInfo {
    /// Their id. The same questions may come more than once, when a client attaches again.
    pub question: String,
    /// The id of the call's part, whose event may come later than the questions.
    pub part: String,
    /// Who asks, where it is an agent that works for the session's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// At least one.
    pub questions: Vec<QuestionInfo>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionInfo {
    /// A word or two, for a tab or a title.
    pub header: String,
    /// The question.
    pub text: String,
    /// What can be chosen.
    pub options: Vec<QuestionOptionInfo>,
    /// Whether more than one may be chosen.
    pub multiple: bool,
    /// Whether the person may write an answer of their own.
    pub custom: bool,
}

/// What can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionOptionInfo {
    /// What is sent back when it is chosen.
    pub label: String,
    /// What it would mean.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// Questions and their session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionAskParams {
    /// The session's id.
    pub session: String,
    /// What is asked.
    #[serde(flatten)]
    pub questions: QuestionAskInfo,
}

/// What a person answered, or that nobody did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reply", rename_all = "camelCase")]
pub enum QuestionReply {
    /// The person answered.
    Answered {
        /// For each question, in their order: the labels that were chosen, or the person's own words.
        #[serde(deserialize_with = "lenient::list")]
        answers: Vec<Vec<String>>,
    },
    /// There is no answer. With a reason the model is told it and goes on; without one the person does not want to answer,
    /// and the turn stops.
    Rejected {
        /// What the model is told. One without words is none.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::words")]
        reason: Option<String>,
    },
    /// No reply from this client: the questions were settled, or its window was closed. They stay open for others.
    Cancelled,
}

/// Questions that need no reply any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionSettledParams {
    /// The session's id.
    pub session: String,
    /// The id of the questions.
    pub question: String,
    /// The name of the client that answered; missing where it was this one, or where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}
