//! Questions to the user.

use crate::denial::PermissionDenial;

/// One question. The maker ensures that every text is one line, capped, without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// A word or two.
    pub header: String,
    pub text: String,
    pub options: Vec<QuestionOption>,
    pub multiple: bool,
    /// The user may answer in their own words.
    pub custom: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionOption {
    pub label: String,
    /// May be empty.
    pub description: String,
}

/// For each question the chosen labels or the user's own words, or why there are none. With a reason the model continues;
/// without one the user dismissed the questions, and the turn stops.
pub type QuestionAnswers = Result<Vec<Vec<String>>, PermissionDenial>;
