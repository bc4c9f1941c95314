//! Reviews: the agent's undecided edits, and the user's decisions.
//!
//! A review is about one document. *After*: the edit is made, the text has the new lines, and clients show the old ones
//! beside them. *Before*: the call waits, the text has the old lines, and clients show the new ones. Accept and reject
//! mean the same in both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::editor::SeverityInfo;
use crate::lenient;

/// Which reviews of a session to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewListParams {
    /// The session's id.
    pub session: String,
    /// Only reviews of this document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// How many hunks of each review to skip. A list has at most 1,000 hunks of a review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<u32>,
}

/// The undecided edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewListResult {
    /// One for each document, sorted by path; two if some of its edits are made and others wait.
    pub reviews: Vec<ReviewInfo>,
    /// How many comments wait for the model's next step.
    pub comments: u32,
}

/// The undecided edits of one document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewInfo {
    /// Its id. As `hunk` of a decision it stands for the whole review.
    pub review: String,
    /// The document.
    pub uri: String,
    /// Its path for the user: relative to the session's folder if it is inside.
    pub path: String,
    /// Whether its edits are made.
    pub when: ReviewTimingInfo,
    /// The ask of the call that waits for the review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// The model still writes this inline edit. The user can decide it afterwards.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub writing: bool,
    /// The value of `expected` in a decision on the whole review.
    pub expected: String,
    /// The file itself, if the agent created, deleted or renamed it. It is one of the hunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileHunkInfo>,
    /// In text order.
    pub hunks: Vec<HunkInfo>,
    /// How many hunks of lines it has.
    pub total: u32,
    /// The number of new lines in all hunks.
    pub additions: u32,
    /// The number of old lines in all hunks.
    pub deletions: u32,
}

/// What a user did with an edit, or said about lines, that the model has not read yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackInfo {
    /// The path of the document for the user.
    pub path: String,
    /// The first line, from 1, at the time; 0 is the file itself.
    pub line: u32,
    /// How many lines.
    pub lines: u32,
    /// What happened.
    pub kind: FeedbackKindInfo,
    /// What the user said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// What a user did with an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FeedbackKindInfo {
    /// Accepted it, perhaps with changes or only in part.
    Accepted,
    /// Rejected it, or a part of it.
    Rejected,
    /// Commented on lines without a decision.
    Commented,
}

/// Whether the user reviews an edit before or after it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReviewTimingInfo {
    /// The call waits; nothing changes before the user accepts it.
    Before,
    /// The edit is made, and the turn continues.
    After,
}

/// Changed lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HunkInfo {
    /// Its id, which does not change.
    pub hunk: String,
    /// The value of `expected` in a decision on it. The daemon refuses the decision if the hunk has changed since.
    pub expected: String,
    /// Its first line in the document, from 0: of the new lines *after*, of the old ones *before*. If the document has none of
    /// them, the line before which they belong. A client whose text changed since checks that the lines are still there.
    pub line: u32,
    /// Old lines without line endings; at most 2,000, and 1 MB. A line above 8 KB is cut to its beginning.
    pub old: Vec<String>,
    /// New lines without line endings, with the same limits.
    pub new: Vec<String>,
    /// The lines of `old` that are cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub old_cut: Vec<CutLineInfo>,
    /// The lines of `new` that are cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_cut: Vec<CutLineInfo>,
    /// How many old lines there are.
    pub old_lines: u32,
    /// How many new lines there are.
    pub new_lines: u32,
    /// The differences within lines; only for short hunks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<WordDiffInfo>,
    /// The ids of the parts of the calls that made it.
    pub by: Vec<String>,
    /// The user has typed in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// The editor is carrying out a decision on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deciding: bool,
    /// The problems in its new lines that the agent's edits caused, as far as known; only if the edit is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "lenient::list")]
    pub problems: Vec<HunkProblem>,
}

/// A line of a hunk that is longer than what was sent of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CutLineInfo {
    /// The line, counted from the hunk's first line.
    pub line: u32,
    /// The length of the whole line in bytes, without its line ending.
    pub bytes: u32,
}

/// One problem in a new line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkProblem {
    /// The line, counted from the hunk's first line.
    pub line: u32,
    /// Its severity.
    pub severity: SeverityInfo,
    /// The source's code for this kind of problem, such as `E0308`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The source that reports it, such as `rust-analyzer`.
    pub source: String,
    /// What is wrong, in one line.
    pub message: String,
}

/// The differences between an old line of a hunk and the new line with the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WordDiffInfo {
    /// The line, counted from the hunk's first line, on both sides.
    pub line: u32,
    /// Start and end of each difference, in bytes of the line.
    pub old: Vec<(u32, u32)>,
    /// Start and end of each difference, in bytes of the line.
    pub new: Vec<(u32, u32)>,
}

/// A created, deleted or renamed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileHunkInfo {
    /// Its id.
    pub hunk: String,
    /// The value of `expected` in a decision on it.
    pub expected: String,
    /// What the agent did.
    pub kind: FileHunkKind,
    /// Its old path, if the agent renamed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The ids of the parts of the calls that did it.
    pub by: Vec<String>,
}

/// What the agent did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FileHunkKind {
    /// Rejecting deletes it.
    Created,
    /// Rejecting restores it.
    Deleted,
    /// Rejecting restores its old name.
    Renamed,
}

/// A changed review, for the session event `reviewChanged`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewChange {
    /// The review, with only its new and changed hunks. Without hunks and without a file it is over.
    pub review: ReviewInfo,
    /// The ids of the hunks that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
    /// Why a proposed edit was not made, for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// The user's decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDecideParams {
    /// The session's id.
    pub session: String,
    /// Each succeeds or fails by itself.
    pub decisions: Vec<ReviewDecision>,
}

/// A decision on a hunk, a file, or a whole review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDecision {
    /// The id of the hunk, or of the review.
    pub hunk: String,
    /// `expected` of the hunk or review that the user saw.
    pub expected: String,
    /// Accept or reject.
    pub verdict: ReviewVerdict,
    /// Only these lines; the rest of the hunk stays undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<HunkLines>,
    /// Accepts this text instead of the hunk's lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A comment for the model. Blank counts as missing.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::words")]
    pub comment: Option<String>,
    /// The user confirms the deletion of a created file in which they typed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirmed: bool,
}

/// Accept or reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReviewVerdict {
    /// The new lines stay, or replace the old ones.
    Accept,
    /// The old lines stay, or are restored.
    Reject,
}

/// Lines of a hunk, counted from its first line on each side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HunkLines {
    /// Old lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub old: Vec<u32>,
    /// New lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new: Vec<u32>,
}

/// The outcomes of the decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDecideResult {
    /// One for each decision, in order.
    pub decided: Vec<ReviewDecisionResult>,
}

/// The outcome of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewDecisionResult {
    /// The id in the decision.
    pub hunk: String,
    /// The outcome.
    pub outcome: ReviewDecisionOutcome,
    /// Why, for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The outcome of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ReviewDecisionOutcome {
    /// The daemon carried it out.
    Done,
    /// The hunk is gone or has changed, or the editor did not make the change. Nothing has changed.
    Refused,
    /// The user has typed in the file that the decision would delete. To delete it, send the decision again with `confirmed`.
    Confirm,
}

/// A comment on the agent's edits that does not decide them. The model reads all comments at its next step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewCommentParams {
    /// The session's id.
    pub session: String,
    /// The document.
    pub uri: String,
    /// The first line that it is about, from 0.
    pub line: u32,
    /// How many lines; by default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// The comment.
    pub text: String,
}

/// The comments that wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewCommentResult {
    /// How many comments wait for the model's next step, including this one.
    pub comments: u32,
}

/// When the user reviews the edits of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSetReviewParams {
    /// The session's id.
    pub session: String,
    /// From the next edit on; by default the permission rules decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<ReviewTimingInfo>,
}
