//! What a call wants to know from a person.

use crate::context::PermissionDenial;

/// One question. All texts are one line without control characters, and none is too long: whoever makes one sees to that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// A word or two.
    pub header: String,
    pub text: String,
    pub options: Vec<QuestionOption>,
    /// More than one may be chosen.
    pub multiple: bool,
    /// The person may answer in their own words.
    pub custom: bool,
}

/// What can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionOption {
    pub label: String,
    /// What it would mean. May be empty.
    pub description: String,
}

/// For each question in turn, the labels that were chosen or the person's own words; or why there are none. With a reason
/// nobody answers and the model goes on; without one the person dismissed the questions, and the turn stops.
pub type QuestionAnswers = Result<Vec<Vec<String>>, PermissionDenial>;
