//! The outcome of a call that the user decided hunk by hunk.

use copydesk_workspace::reviews::{
    DecisionError, DecisionTarget, FeedbackItem, FeedbackKind, HunkVerdict, ReviewProposal, UserDecision,
};

use crate::context::{PermissionGrant, ToolContext};
use crate::outcome::{ToolError, ToolErrorKind};
use crate::review_notes::decision_lines;

pub(super) struct CallReviewOutcome {
    /// For the model.
    pub(super) summary: String,
    /// The user accepted every hunk unchanged.
    pub(super) is_fully_accepted: bool,
}

/// A reply to the call decides the hunks that are still open.
// `offline/advice.rs` looks for "the user decided:", "decided hunk by hunk:" and "Nothing was changed.".
pub(super) async fn settle_review(
    context: &ToolContext,
    proposals: &[ReviewProposal],
    allowed: Result<PermissionGrant, ToolError>,
) -> Result<CallReviewOutcome, ToolError> {
    let mut missed = String::new();
    match allowed {
        Ok(PermissionGrant::ByReview) => {}
        Ok(_) => missed = accept_rest(context, proposals).await,
        Err(failure) => {
            let told = decision_lines(&decided_items(proposals));
            let message = format!("{}\nBefore that the user decided:\n{told}", failure.message);
            return Err(ToolError { message, ..failure });
        }
    }
    let decided = decided_items(proposals);
    if decided.is_empty() {
        let message = format!("Nothing was changed.{missed}\nRead the file again.");
        return Err(ToolError::target(message));
    }
    let told = format!("The user decided hunk by hunk:\n{}{missed}", decision_lines(&decided));
    if decided.iter().all(|item| item.happened == FeedbackKind::Rejected && !item.partly) {
        let message = format!("{told}\nNothing was changed. Do not try the same again.");
        return Err(ToolError::new(ToolErrorKind::Denied, message).with_title("rejected"));
    }
    let is_accepted = decided.iter().all(|item| item.happened == FeedbackKind::Accepted && !item.partly);
    Ok(CallReviewOutcome { summary: told, is_fully_accepted: is_accepted && missed.is_empty() })
}

/// The refusal of a call on several files, if the user has typed in lines that it would change and has not decided hunk by
/// hunk. The user is told, too.
pub(super) fn refuse_conflicts(proposals: &[ReviewProposal]) -> Option<ToolError> {
    if proposals.iter().any(ReviewProposal::has_decisions)
        || !proposals.iter().any(ReviewProposal::has_conflict)
    {
        return None;
    }
    let why = DecisionError::TypedInLines;
    proposals.iter().for_each(|proposal| proposal.fail(format!("Nothing was changed: {why}.")));
    let message = "The user has typed in the same lines; nothing was changed. Read the files again.";
    Some(ToolError::target(message.to_owned()))
}

/// File by file.
fn decided_items(proposals: &[ReviewProposal]) -> Vec<FeedbackItem> {
    proposals.iter().flat_map(|proposal| proposal.decisions().items).collect()
}

async fn accept_rest(context: &ToolContext, proposals: &[ReviewProposal]) -> String {
    let open: Vec<_> = proposals.iter().filter(|proposal| proposal.decisions().undecided > 0).collect();
    let decision = |proposal: &&ReviewProposal| {
        Some(UserDecision {
            review: proposal.id(),
            target: DecisionTarget::Everything,
            expected: proposal.expected_print()?,
            verdict: HunkVerdict::Accept,
            lines: None,
            text: None,
            comment: None,
            is_confirmed: false,
        })
    };
    let decisions: Vec<_> = open.iter().filter_map(decision).collect();
    let results = context.files.decide(&context.edit_owner().session, &decisions).await;
    let mut refused = Vec::new();
    for (decision, why) in
        decisions.iter().zip(results).filter_map(|(one, result)| Some((one, result.err()?)))
    {
        let proposal = open.iter().find(|proposal| proposal.id() == decision.review);
        // The user, who has said yes, is told too.
        proposal.into_iter().for_each(|proposal| proposal.fail(format!("Not all of it was changed: {why}.")));
        refused.push(match why {
            DecisionError::TypedInLines => "the user has typed in the same lines".to_owned(),
            why => why.to_string(),
        });
    }
    if refused.is_empty() {
        String::new()
    } else {
        format!("\nThe rest could not be changed: {}.", refused.join("; "))
    }
}
