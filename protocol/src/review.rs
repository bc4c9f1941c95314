//! Review: what of the agent's edits nobody has decided yet, and what a person decides.
//!
//! A review is of one document. *After*: the edit is made, the new lines stand in the text, and the old ones are shown
//! beside them. *Before*: a call waits, the old lines stand in the text, and the new ones are shown. Accepting and
//! rejecting mean the same in both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::editor::SeverityInfo;
use crate::lenient;

/// Which reviews of a session to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewListParams {
    /// The session's id.
    pub session: String,
    /// Only those of this document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Passes over so many hunks of each review: a list has at most 1,000 of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<u32>,
}

/// What is undecided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewListResult {
    /// One for each document, sorted by path; two where some of its edits are made and others wait.
    pub reviews: Vec<ReviewInfo>,
    /// How many comments wait for the model's next step.
    pub comments: u32,
}

/// The undecided edits of one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewInfo {
    /// Its id. As `hunk` of a decision it stands for everything in it.
    pub review: String,
    /// The document.
    pub uri: String,
    /// The same for a person: relative to the session's folder where it lies in it.
    pub path: String,
    /// Whether its edits are made.
    pub when: ReviewTimingInfo,
    /// The ask of the call that waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// An inline edit whose model is still at work. It can be decided when that is over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub writing: bool,
    /// What a decision on everything in it expects.
    pub expected: String,
    /// The file itself, where the agent created, deleted or renamed it. It is one of the hunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileHunkInfo>,
    /// In the order of the text.
    pub hunks: Vec<HunkInfo>,
    /// How many hunks of lines it has altogether.
    pub total: u32,
    /// New lines of all hunks.
    pub additions: u32,
    /// Old lines of all hunks.
    pub deletions: u32,
}

/// Whether an edit is reviewed before it is made or after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReviewTimingInfo {
    /// The call waits; nothing is changed before somebody accepts it.
    Before,
    /// The edit is made, and the turn goes on.
    After,
}

/// Lines that are others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HunkInfo {
    /// Its id, which it keeps as long as it lives.
    pub hunk: String,
    /// What a decision on it expects: it is refused where the hunk is another by then.
    pub expected: String,
    /// The first of its lines in the document, from 0: the new lines after, the old ones before. Where it has none there,
    /// the line before which they belong. A client that has typed since looks whether the lines still stand there.
    pub line: u32,
    /// Old lines, without their ends; at most 2,000.
    pub old: Vec<String>,
    /// New lines, without their ends; at most 2,000.
    pub new: Vec<String>,
    /// How many old lines there are.
    pub old_lines: u32,
    /// How many new lines there are.
    pub new_lines: u32,
    /// What differs within lines; only in hunks that are not long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<WordDiffInfo>,
    /// The ids of the parts of the calls that made it.
    pub by: Vec<String>,
    /// A person has typed in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// A decision on it is on its way through the editor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deciding: bool,
    /// What is said to be wrong in its new lines, and was not before the agent's edits, as far as that is known; only of edits
    /// that are made.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub problems: Vec<HunkProblem>,
}

/// One problem in a new line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkProblem {
    /// Counted from the hunk's first line.
    pub line: u32,
    /// How bad.
    pub severity: SeverityInfo,
    /// The source's name for this kind of problem, such as `E0308`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Who says so, such as `rust-analyzer`.
    pub source: String,
    /// What is wrong, in one line.
    pub message: String,
}

/// What differs in an old line and in the new line at the same place of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WordDiffInfo {
    /// Counted from the hunk's first line, on both sides.
    pub line: u32,
    /// From where to where, in bytes of the line.
    pub old: Vec<(u32, u32)>,
    /// From where to where, in bytes of the line.
    pub new: Vec<(u32, u32)>,
}

/// A file that came, went, or has another name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileHunkInfo {
    /// Its id.
    pub hunk: String,
    /// What a decision on it expects.
    pub expected: String,
    /// What the agent did.
    pub kind: FileHunkKind,
    /// The path it had, where it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The ids of the parts of the calls that did it.
    pub by: Vec<String>,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileHunkKind {
    /// Rejecting deletes it.
    Created,
    /// Rejecting restores it.
    Deleted,
    /// Rejecting gives it its name back.
    Renamed,
}

/// A review as it has become. The session event `reviewChanged` has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewChange {
    /// Of its hunks only those that are new or others than before. One without hunks and without a file is over.
    pub review: ReviewInfo,
    /// The ids of the hunks that are no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// Why an inline edit came to nothing, for the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDecideParams {
    /// The session's id.
    pub session: String,
    /// Each stands or falls by itself.
    pub decisions: Vec<ReviewDecision>,
}

/// A decision on a hunk, a file, or everything in a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDecision {
    /// The id of the hunk, or of the review.
    pub hunk: String,
    /// As the screen has it.
    pub expected: String,
    /// Yes or no.
    pub verdict: ReviewVerdict,
    /// Only these lines; the rest of the hunk stays undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<HunkLines>,
    /// Accepted with this text in the place of the hunk's lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the model is told with it. One without words is none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::words")]
    pub comment: Option<String>,
    /// The person knows that a created file they have typed in is going to be deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirmed: bool,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReviewVerdict {
    /// The new lines stay, or come.
    Accept,
    /// The old lines stay, or come back.
    Reject,
}

/// Lines of a hunk, counted from its first one on either side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkLines {
    /// Old lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub old: Vec<u32>,
    /// New lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<u32>,
}

/// What became of the decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDecideResult {
    /// One for each decision, in their order.
    pub decided: Vec<ReviewDecisionResult>,
}

/// What became of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDecisionResult {
    /// As in the decision.
    pub hunk: String,
    /// What became of it.
    pub outcome: ReviewDecisionOutcome,
    /// Why, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What became of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReviewDecisionOutcome {
    /// It is carried out.
    Done,
    /// The hunk is gone or another by now, or the editor did not make the change. Nothing has happened.
    Refused,
    /// A person has typed in the file that would be deleted: to be decided again, with `confirmed`.
    Confirm,
}

/// Something to say to the model about its edits, without deciding them. It is told at its next step; several go together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewCommentParams {
    /// The session's id.
    pub session: String,
    /// The document.
    pub uri: String,
    /// The first of the lines that it is about, from 0.
    pub line: u32,
    /// How many lines; where it is missing, one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// What to say.
    pub text: String,
}

/// What waits to be said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewCommentResult {
    /// How many comments wait for the model's next step, this one included.
    pub comments: u32,
}

/// When the edits of a session are reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSetReviewParams {
    /// The session's id.
    pub session: String,
    /// From the next edit on; where it is missing, as the rules say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewTimingInfo>,
}
