//! The answer of a call that a person has decided piece by piece.

use copydesk_workspace::reviews::{Decision, Happened, Item, Proposal, Subject, Verdict};

use crate::context::{Allowed, Context};
use crate::decided::lines;
use crate::outcome::{Failure, FailureKind};

/// What came of it.
pub(super) struct Reviewed {
    /// For the model.
    pub(super) told: String,
    /// All of it was accepted as it was.
    pub(super) is_whole: bool,
}

/// Whoever says yes to the call after deciding some of it says yes to the rest, who says no to it no.
pub(super) async fn rest(
    context: &Context,
    proposals: &[Proposal],
    allowed: Result<Allowed, Failure>,
) -> Result<Reviewed, Failure> {
    let mut missed = String::new();
    match allowed {
        Ok(Allowed::ByReview) => {}
        Ok(_) => missed = accept_rest(context, proposals).await,
        Err(failure) => {
            let told = lines(&decided(proposals));
            let message = format!("{}\nBefore that the person decided:\n{told}", failure.message);
            return Err(Failure { message, ..failure });
        }
    }
    let decided = decided(proposals);
    let told = format!("The person decided hunk by hunk:\n{}{missed}", lines(&decided));
    if decided.iter().all(|item| item.happened == Happened::Rejected && !item.partly) {
        let message = format!("{told}\nNothing was changed. Do not try the same again.");
        return Err(Failure::new(FailureKind::Denied, message));
    }
    let is_accepted = decided.iter().all(|item| item.happened == Happened::Accepted && !item.partly);
    Ok(Reviewed { told, is_whole: is_accepted && missed.is_empty() })
}

/// File by file.
fn decided(proposals: &[Proposal]) -> Vec<Item> {
    proposals.iter().flat_map(|proposal| proposal.decided().items).collect()
}

async fn accept_rest(context: &Context, proposals: &[Proposal]) -> String {
    let open = proposals.iter().filter(|proposal| proposal.decided().open > 0);
    let decision = |proposal: &Proposal| {
        Some(Decision {
            review: proposal.id(),
            subject: Subject::Everything,
            expected: proposal.print()?,
            verdict: Verdict::Accept,
            lines: None,
            text: None,
            comment: None,
            confirmed: false,
        })
    };
    let decisions: Vec<_> = open.filter_map(decision).collect();
    let results = context.files.decide(&context.owner().session, &decisions).await;
    let refused: Vec<_> = results.into_iter().filter_map(Result::err).map(|why| why.to_string()).collect();
    if refused.is_empty() {
        String::new()
    } else {
        format!("\nThe rest could not be changed: {}.", refused.join("; "))
    }
}
