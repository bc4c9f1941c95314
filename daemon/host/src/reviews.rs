//! Translates reviews and decisions between the protocol and the workspace.

use std::path::Path;

use copydesk_protocol::editor::SeverityInfo;
use copydesk_protocol::review::{
    CutLineInfo, FeedbackInfo, FeedbackKindInfo, FileHunkInfo, FileHunkKind, HunkInfo, HunkProblem,
    ReviewDecision, ReviewDecisionOutcome, ReviewDecisionResult, ReviewInfo, ReviewTimingInfo, ReviewVerdict,
    WordDiffInfo,
};
use copydesk_text::review::{CutLine, HunkFingerprint, HunkId, HunkView, LineSelection, WholeFileChange};
use copydesk_workspace::files::WorkspaceFiles;
use copydesk_workspace::reviews::{
    self, DecisionError, DecisionTarget, FeedbackItem, FeedbackKind, ReviewDiagnostic, ReviewId,
    ReviewSnapshot, UserDecision,
};

/// The undecided reviews of a session, against the documents as they are now.
pub async fn list(
    files: &WorkspaceFiles,
    session: &str,
    name: Option<&Path>,
    skip: usize,
) -> Vec<ReviewInfo> {
    match name {
        Some(name) => files.refresh_document_reviews(session, name).await,
        None => files.refresh_reviews(session).await,
    }
    files.reviews().list_reviews(session, name, skip).into_iter().map(review).collect()
}

/// Results in the order of the decisions. The caller settles asks that have nothing undecided left.
pub async fn decide(
    files: &WorkspaceFiles,
    session: &str,
    decisions: Vec<ReviewDecision>,
) -> Vec<ReviewDecisionResult> {
    files.load_reviews(session).await;
    let mut results = Vec::with_capacity(decisions.len());
    let mut known = Vec::new();
    for written in decisions {
        let hunk = written.hunk.clone();
        let decision = decision(written);
        let message = decision.is_none().then(|| format!("there is no hunk `{hunk}`"));
        known.extend(decision);
        results.push(ReviewDecisionResult { hunk, outcome: ReviewDecisionOutcome::Refused, message });
    }
    let mut outcomes = files.decide(session, &known).await.into_iter();
    for result in results.iter_mut().filter(|result| result.message.is_none()) {
        match outcomes.next() {
            Some(Ok(())) => result.outcome = ReviewDecisionOutcome::Done,
            Some(Err(refusal)) => {
                result.message = Some(refusal.to_string());
                if matches!(refusal, DecisionError::NeedsConfirmation(_)) {
                    result.outcome = ReviewDecisionOutcome::Confirm;
                }
            }
            None => {}
        }
    }
    results
}

/// `None` for what is no decision and no comment of the user.
pub fn feedback(item: FeedbackItem) -> Option<FeedbackInfo> {
    let kind = match item.happened {
        FeedbackKind::Accepted | FeedbackKind::AcceptedEdited => FeedbackKindInfo::Accepted,
        FeedbackKind::Rejected => FeedbackKindInfo::Rejected,
        FeedbackKind::Commented => FeedbackKindInfo::Commented,
        FeedbackKind::Edited | FeedbackKind::Open | FeedbackKind::Lost => return None,
    };
    let (line, lines) = (to_u32(item.line), to_u32(item.lines));
    Some(FeedbackInfo { path: item.shown, line, lines, kind, comment: item.comment })
}

pub fn hunk_id(review: ReviewId, hunk: HunkId) -> String {
    format!("{}.{}", review.0, hunk.0)
}

/// `None` if it names no possible hunk.
fn decision(written: ReviewDecision) -> Option<UserDecision> {
    let (review, target) = match written.hunk.split_once('.') {
        Some((review, hunk)) => (review, DecisionTarget::Hunk(HunkId(hunk.parse().ok()?))),
        None => (written.hunk.as_str(), DecisionTarget::Everything),
    };
    let wide = |lines: Vec<u32>| lines.into_iter().map(|line| line as usize).collect();
    Some(UserDecision {
        review: ReviewId(review.parse().ok()?),
        target,
        expected: HunkFingerprint::from(written.expected),
        verdict: match written.verdict {
            ReviewVerdict::Accept => reviews::HunkVerdict::Accept,
            ReviewVerdict::Reject => reviews::HunkVerdict::Reject,
        },
        lines: written.lines.map(|lines| LineSelection { old: wide(lines.old), new: wide(lines.new) }),
        text: written.text,
        comment: written.comment,
        is_confirmed: written.confirmed,
    })
}

pub fn review(mut view: ReviewSnapshot) -> ReviewInfo {
    let id = view.id;
    let uri = url::Url::from_file_path(&view.name);
    let (when, ask) = match view.timing {
        reviews::ReviewTiming::Before { ask } => (ReviewTimingInfo::Before, ask),
        reviews::ReviewTiming::After => (ReviewTimingInfo::After, None),
    };
    let file = view.whole.map(|(whole, print)| {
        let (kind, from) = match whole.kind {
            WholeFileChange::Created => (FileHunkKind::Created, None),
            WholeFileChange::Deleted => (FileHunkKind::Deleted, None),
            WholeFileChange::Renamed { from } => (FileHunkKind::Renamed, Some(from)),
        };
        let by = whole.by.iter().map(ToString::to_string).collect();
        FileHunkInfo { hunk: hunk_id(id, whole.id), expected: print.as_str().to_owned(), kind, from, by }
    });
    ReviewInfo {
        review: id.0.to_string(),
        uri: uri.map_or_else(|()| view.name.to_string_lossy().into_owned(), String::from),
        path: view.display_path,
        when,
        ask,
        writing: view.is_streaming,
        expected: view.print.as_str().to_owned(),
        file,
        hunks: view
            .hunks
            .into_iter()
            .map(|one| {
                let problems = view.diagnostics.remove(&one.id).unwrap_or_default();
                hunk(id, one, problems)
            })
            .collect(),
        total: to_u32(view.total),
        additions: to_u32(view.additions),
        deletions: to_u32(view.deletions),
    }
}

fn hunk(review: ReviewId, view: HunkView, problems: Vec<ReviewDiagnostic>) -> HunkInfo {
    let ranges = |ranges: Vec<std::ops::Range<usize>>| {
        ranges.into_iter().map(|range| (to_u32(range.start), to_u32(range.end))).collect()
    };
    let cut = |lines: Vec<CutLine>| {
        lines
            .into_iter()
            .map(|cut| CutLineInfo { line: to_u32(cut.line), bytes: to_u32(cut.bytes) })
            .collect()
    };
    let words = view.words.into_iter().map(|words| WordDiffInfo {
        line: to_u32(words.line),
        old: ranges(words.old),
        new: ranges(words.new),
    });
    HunkInfo {
        hunk: hunk_id(review, view.id),
        expected: view.fingerprint.as_str().to_owned(),
        line: to_u32(view.line),
        old: view.old,
        new: view.new,
        old_cut: cut(view.old_cut),
        new_cut: cut(view.new_cut),
        old_lines: to_u32(view.old_lines),
        new_lines: to_u32(view.new_lines),
        words: words.collect(),
        by: view.calls.iter().map(ToString::to_string).collect(),
        edited: view.edited,
        deciding: view.rejecting,
        problems: problems.into_iter().map(problem).collect(),
    }
}

fn problem(problem: ReviewDiagnostic) -> HunkProblem {
    HunkProblem {
        line: to_u32(problem.line),
        severity: match problem.severity {
            reviews::ReviewSeverity::Error => SeverityInfo::Error,
            reviews::ReviewSeverity::Warning => SeverityInfo::Warning,
            reviews::ReviewSeverity::Information => SeverityInfo::Information,
            reviews::ReviewSeverity::Hint => SeverityInfo::Hint,
        },
        code: problem.code,
        source: problem.source,
        message: problem.message,
    }
}

pub fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
