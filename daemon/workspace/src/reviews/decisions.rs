//! The user's decisions on a hunk, a file or everything, and what has to be done for them.
//!
//! A decision takes two steps, because the document is changed elsewhere: [`ReviewTracker::decide`] says what
//! to do and marks the hunks as being decided; [`ReviewTracker::finish_decision`] records the result. Only
//! then the model hears of it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use copydesk_text::review::{
    self, DecidedHunk, HunkFingerprint, HunkId, LineSelection, Review, WholeFileRejection,
};
use copydesk_text::{Change, Edit, LineEnding};
use thiserror::Error;

use super::tracked_review::TrackedReview;
use super::{ReviewId, ReviewTracker};
use crate::review_feedback::{FeedbackItem, FeedbackKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkVerdict {
    Accept,
    Reject,
}

/// What the decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionTarget {
    /// A hunk of lines, or the file itself.
    Hunk(HunkId),
    Everything,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDecision {
    pub review: ReviewId,
    pub target: DecisionTarget,
    /// The hunk as the user saw it.
    pub expected: HunkFingerprint,
    pub verdict: HunkVerdict,
    /// Only these lines of the hunk.
    pub lines: Option<LineSelection>,
    /// Accept with this text in the place of the hunk's lines.
    pub text: Option<String>,
    pub comment: Option<String>,
    /// The user confirms that a created file may be deleted although they typed in it.
    pub is_confirmed: bool,
}

/// Why a decision was not applied.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DecisionError {
    #[error("{0}")]
    Rejected(String),
    /// What the user typed contradicts the lines that they accept.
    #[error("the lines that this hunk would replace were changed meanwhile; edit the hunk, or reject it")]
    TypedInLines,
    /// The user must confirm the decision.
    #[error("you have typed in `{0}`, which the agent created: rejecting it deletes the file")]
    NeedsConfirmation(String),
}

/// What a decision requires of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DecisionEffect {
    /// Nothing to do.
    Nothing,
    /// `change` applies to this text.
    Edit {
        text: String,
        change: Change,
    },
    Create {
        text: String,
    },
    /// Only if the file has this text; `None` for any text.
    Delete {
        text: Option<String>,
    },
    /// To this path for the user.
    Move {
        to: String,
    },
}

/// A decision that is being applied.
#[derive(Debug)]
pub(crate) struct PendingDecision {
    pub(crate) effect: DecisionEffect,
    /// The hunk that the user replaced with their own text.
    pub(crate) replaced_hunk: Option<HunkId>,
    hunks: Vec<HunkId>,
    items: Vec<FeedbackItem>,
    is_whole: bool,
}

impl ReviewTracker {
    /// Decides on hunks of one review with one verdict. Each decision succeeds or fails on its own.
    pub(crate) fn decide(
        &self,
        session: &str,
        decisions: &[&UserDecision],
    ) -> (Option<PendingDecision>, Vec<Result<(), DecisionError>>) {
        let no = |why: &DecisionError| decisions.iter().map(|_| Err(why.clone())).collect();
        let Some(first) = decisions.first() else { return (None, Vec::new()) };
        let mut state = self.lock();
        let Some(tracked) = state.find(session, first.review) else {
            return (
                None,
                no(&DecisionError::Rejected("that review is over: everything in it is decided".to_owned())),
            );
        };
        if tracked.waiting_call.as_ref().is_some_and(|proposed| proposed.is_streaming) {
            return (None, no(&DecisionError::Rejected("the model is still writing it".to_owned())));
        }
        let (carried, results) = match first.target {
            DecisionTarget::Hunk(hunk)
                if first.text.is_none() && !tracked.is_whole(hunk) && !tracked.needs_merge(first) =>
            {
                tracked.decide_lines(decisions)
            }
            _ => match tracked.decide_one(first) {
                Ok(carried) => (Some(carried), vec![Ok(())]),
                Err(refusal) => (None, no(&refusal)),
            },
        };
        if carried.is_some() {
            tracked.decisions_in_progress += 1;
            (tracked.is_changed, tracked.is_unsaved) = (true, true);
            state.session_mut(session).changed.send_modify(|count| *count += 1);
        }
        (carried, results)
    }

    /// Whether this decision can be taken together with others.
    pub(crate) fn is_batchable(&self, session: &str, decision: &UserDecision) -> bool {
        let mut state = self.lock();
        let tracked = state.find(session, decision.review);
        let DecisionTarget::Hunk(hunk) = decision.target else { return false };
        decision.text.is_none()
            && tracked.is_some_and(|tracked| !tracked.is_whole(hunk) && !tracked.needs_merge(decision))
    }

    /// Records the result. If the call still waits, its answer contains the decision; else it is feedback for
    /// the model.
    pub(crate) fn finish_decision(
        &self,
        session: &str,
        review: ReviewId,
        carried: PendingDecision,
        is_done: bool,
    ) {
        let mut state = self.lock();
        let Some(session_reviews) = state.sessions.get_mut(session) else { return };
        let Some(tracked) = session_reviews.reviews.get_mut(&review) else { return };
        let name = tracked.name.clone();
        tracked.decisions_in_progress = tracked.decisions_in_progress.saturating_sub(1);
        if is_done {
            tracked.finish(&carried);
            // A call that has continued no longer reports it.
            let waiting = tracked.waiting_call.as_mut().filter(|proposed| !proposed.is_answered);
            match waiting {
                Some(proposed) => proposed.decided.extend(carried.items),
                None => carried.items.into_iter().for_each(|item| session_reviews.feedback.add(item)),
            }
        } else {
            tracked.review.unmark_deciding(&carried.hunks);
        }
        (tracked.is_changed, tracked.is_unsaved) = (true, true);
        session_reviews.changed.send_modify(|count| *count += 1);
        drop(state);
        self.persist_document(&name);
        self.persist_feedback(session);
    }
}

impl TrackedReview {
    fn is_whole(&self, hunk: HunkId) -> bool {
        self.review.file_hunk().is_some_and(|whole| whole.id == hunk) || self.is_new_file()
    }

    /// Whether the verdict keeps the review's text; a proposal is reversed.
    fn keeps_text(&self, verdict: HunkVerdict) -> bool {
        (verdict == HunkVerdict::Accept) != self.is_proposal()
    }

    fn to_review_decision(&self, decision: &UserDecision, hunk: HunkId) -> review::HunkDecision {
        let swap = |LineSelection { old, new }: LineSelection| LineSelection { old: new, new: old };
        let lines = decision.lines.clone();
        let lines = if self.is_proposal() { lines.map(swap) } else { lines };
        review::HunkDecision { hunk, expected: decision.expected.clone(), lines }
    }

    fn decide_lines(
        &mut self,
        decisions: &[&UserDecision],
    ) -> (Option<PendingDecision>, Vec<Result<(), DecisionError>>) {
        // Of two decisions on one hunk the first counts, whatever its result.
        let mut known = HashSet::new();
        let hunks = decisions.iter().map(|decision| match decision.target {
            DecisionTarget::Hunk(hunk) => Some(hunk).filter(|hunk| known.insert(*hunk)),
            DecisionTarget::Everything => None,
        });
        let hunks: Vec<_> = hunks.collect();
        let each = || decisions.iter().zip(&hunks);
        let wanted = each().filter_map(|(decision, hunk)| Some(self.to_review_decision(decision, (*hunk)?)));
        let wanted: Vec<_> = wanted.collect();
        let Some(verdict) = decisions.first().map(|decision| decision.verdict) else {
            return (None, Vec::new());
        };
        let lines = self.first_lines();
        let text = self.review.text();
        let (order, settled, refused) = if self.keeps_text(verdict) {
            let kept = self.review.keep(&wanted);
            (DecisionEffect::Nothing, kept.decided, kept.errors)
        } else {
            let rejection = self.review.reject(&wanted);
            let change = rejection.change;
            (DecisionEffect::Edit { text, change }, rejection.decided, rejection.errors)
        };
        let settled: HashMap<_, _> = settled.iter().map(|settled| (settled.id, settled)).collect();
        let refused: HashMap<_, _> = refused.iter().map(|refused| (refused.hunk(), refused)).collect();
        let mut results = Vec::new();
        let mut items = Vec::new();
        for (decision, hunk) in each() {
            let decided = hunk.and_then(|hunk| settled.get(&hunk));
            if let Some(settled) = decided {
                let line = lines.get(&settled.id).copied().unwrap_or_default();
                items.push(self.item(decision, settled, line, None));
                results.push(Ok(()));
                continue;
            }
            let why = match hunk {
                Some(hunk) => refused.get(hunk).map(ToString::to_string),
                None => Some("an earlier decision in the same request is on this hunk".to_owned()),
            };
            results.push(Err(DecisionError::Rejected(
                why.unwrap_or_else(|| "the hunk no longer exists".to_owned()),
            )));
        }
        let hunks = settled.into_keys().collect();
        let carried = PendingDecision { effect: order, replaced_hunk: None, hunks, items, is_whole: false };
        (results.iter().any(Result::is_ok).then_some(carried), results)
    }

    /// The first line of each hunk, from 0.
    fn first_lines(&self) -> HashMap<HunkId, usize> {
        self.review.hunks_with_lines().map(|(hunk, line)| (hunk.id, line)).collect()
    }

    /// Own text and chosen lines apply to one hunk of lines; for a file that does not exist yet, own text
    /// applies to the file.
    fn check(&self, decision: &UserDecision) -> Result<(), DecisionError> {
        let whole = self.review.file_hunk().map(|whole| whole.id);
        let is_lines = matches!(decision.target, DecisionTarget::Hunk(hunk) if Some(hunk) != whole);
        let is_new = self.is_new_file();
        let why = match (&decision.text, &decision.lines, decision.verdict) {
            (Some(_), _, HunkVerdict::Reject) => "a rejected hunk takes no text; omit the text",
            (Some(_), Some(_), _) => "your own text replaces a whole hunk, not some of its lines",
            (Some(_), None, _) if !is_lines && !is_new => "your own text replaces one hunk of lines",
            (None, Some(_), _) if !is_lines => "you can choose lines of one hunk only",
            (None, Some(_), HunkVerdict::Reject) if is_new => {
                "the file does not exist yet: accept the lines that you want"
            }
            _ => return Ok(()),
        };
        Err(DecisionError::Rejected(why.to_owned()))
    }

    /// Decides on everything, on the file, or with the user's own text.
    fn decide_one(&mut self, decision: &UserDecision) -> Result<PendingDecision, DecisionError> {
        self.check(decision)?;
        let whole = self.review.file_hunk().map(|whole| whole.id);
        match (decision.target, whole) {
            (DecisionTarget::Everything, _) if self.review.fingerprint() != decision.expected => {
                Err(DecisionError::Rejected(format!(
                    "`{}` has changed since it was shown; look at it again",
                    self.display_path
                )))
            }
            (_, Some(whole)) if self.is_new_file() => self.decide_new_file(decision, whole),
            (DecisionTarget::Everything, Some(whole)) => self.decide_file(decision, whole, true),
            (DecisionTarget::Hunk(hunk), Some(whole)) if hunk == whole => {
                self.decide_file(decision, whole, false)
            }
            (DecisionTarget::Hunk(hunk), _) => self.decide_text(decision, hunk),
            (DecisionTarget::Everything, None) => self.decide_all(decision),
        }
    }

    fn decide_all(&mut self, decision: &UserDecision) -> Result<PendingDecision, DecisionError> {
        let (all, text) = (self.review.all_decisions(), self.review.text());
        let lines = self.first_lines();
        let (order, settled) = if self.keeps_text(decision.verdict) {
            (DecisionEffect::Nothing, self.review.keep(&all).decided)
        } else {
            let rejection = self.review.reject(&all);
            (DecisionEffect::Edit { text, change: rejection.change }, rejection.decided)
        };
        let hunks = settled.iter().map(|settled| settled.id).collect();
        let line = |settled: &DecidedHunk| lines.get(&settled.id).copied().unwrap_or_default();
        let items = settled.iter().map(|settled| self.item(decision, settled, line(settled), None));
        let mut items: Vec<_> = items.collect();
        // Report the comment once.
        items.iter_mut().skip(1).for_each(|item| item.comment = None);
        Ok(PendingDecision { effect: order, replaced_hunk: None, hunks, items, is_whole: false })
    }

    /// Replaces the hunk's lines with the user's own text, or with what they typed there and the proposed lines.
    fn decide_text(
        &mut self,
        decision: &UserDecision,
        hunk: HunkId,
    ) -> Result<PendingDecision, DecisionError> {
        let no = |why: review::HunkDecisionError| DecisionError::Rejected(why.to_string());
        let settled = self.review.check_decision(&self.to_review_decision(decision, hunk)).map_err(no)?;
        let merged = || self.merged_lines(hunk).filter(|_| decision.lines.is_none());
        let text = decision.text.clone().or_else(merged);
        let text = text.ok_or(DecisionError::TypedInLines)?;
        let place = self.review.hunks_with_lines().find(|(known, _)| known.id == hunk);
        let place: Option<(Range<usize>, usize)> = place.map(|(hunk, line)| (hunk.text.clone(), line));
        let Some((range, line)) = place else {
            return Err(DecisionError::Rejected("the hunk no longer exists".to_owned()));
        };
        let whole = self.review.text();
        let is_last = range.end == whole.len() && !whole.ends_with('\n');
        let text = if text.is_empty() || text.ends_with('\n') || is_last { text } else { text + "\n" };
        // The user typed it without seeing the file's line endings.
        let text = LineEnding::detect(&whole).apply_to(&text).into_owned();
        let item = self.item(decision, &settled, line, Some(&text));
        let change = Change::between(whole.get(range.clone()).unwrap_or_default(), &text);
        let moved = change.edits().iter().map(|edit| Edit {
            range: edit.range.start + range.start..edit.range.end + range.start,
            text: edit.text.clone(),
        });
        let change = Change::from_unchecked_edits(&whole, moved.collect())
            .map_err(|why| DecisionError::Rejected(why.to_string()))?;
        let order = DecisionEffect::Edit { text: whole, change };
        self.review.mark_deciding(hunk);
        Ok(PendingDecision {
            effect: order,
            replaced_hunk: Some(hunk),
            hunks: vec![hunk],
            items: vec![item],
            is_whole: false,
        })
    }

    /// Decides on a file that the agent created, deleted or renamed.
    fn decide_file(
        &mut self,
        decision: &UserDecision,
        whole: HunkId,
        is_all: bool,
    ) -> Result<PendingDecision, DecisionError> {
        let mut wanted = self.to_review_decision(decision, whole);
        if let Some(print) = self.review.file_fingerprint().filter(|_| is_all) {
            wanted.expected = print;
        }
        let item = self.file_item(decision);
        let no = |why: review::HunkDecisionError| DecisionError::Rejected(why.to_string());
        let order = if decision.verdict == HunkVerdict::Accept {
            self.review.keep_file(&wanted).map_err(no)?;
            DecisionEffect::Nothing
        } else {
            match self.review.reject_file(&wanted, decision.is_confirmed).map_err(no)? {
                WholeFileRejection::Delete => {
                    DecisionEffect::Delete { text: (!decision.is_confirmed).then(|| self.review.text()) }
                }
                WholeFileRejection::Restore(text) => DecisionEffect::Create { text },
                WholeFileRejection::NeedsConfirmation(_) => {
                    return Err(DecisionError::NeedsConfirmation(self.display_path.clone()));
                }
                WholeFileRejection::Rename { to } => DecisionEffect::Move { to },
            }
        };
        Ok(PendingDecision {
            effect: order,
            replaced_hunk: None,
            hunks: vec![whole],
            items: vec![item],
            is_whole: true,
        })
    }

    /// Decides on a file that a call wants to create, delete or move. Deciding on its lines decides on the file.
    fn decide_new_file(
        &mut self,
        decision: &UserDecision,
        whole: HunkId,
    ) -> Result<PendingDecision, DecisionError> {
        let (mut text, expected) = (self.review.text(), self.review.file_fingerprint());
        if self.review.file_hunk().is_some_and(|whole| whole.rejecting) {
            return Err(DecisionError::Rejected(format!("`{}` is being decided already", self.display_path)));
        }
        if let DecisionTarget::Hunk(hunk) = decision.target {
            if hunk == whole {
                if expected.as_ref() != Some(&decision.expected) {
                    return Err(DecisionError::Rejected(format!(
                        "`{}` has changed since it was shown",
                        self.display_path
                    )));
                }
            } else {
                let wanted = review::HunkDecision {
                    hunk,
                    expected: decision.expected.clone(),
                    lines: decision.lines.clone(),
                };
                let no = |why: review::HunkDecisionError| DecisionError::Rejected(why.to_string());
                let settled = self.review.check_decision(&wanted).map_err(no)?;
                if let Some(lines) = settled.lines {
                    let wanted: HashSet<_> = lines.new.into_iter().collect();
                    let chosen = settled.new.split_inclusive('\n').enumerate();
                    text = chosen.filter(|(at, _)| wanted.contains(at)).map(|(_, line)| line).collect();
                }
            }
        }
        let kind = self.review.file_hunk().map(|whole| whole.kind.clone());
        let order = match (decision.verdict, kind) {
            (HunkVerdict::Reject, _) => DecisionEffect::Nothing,
            (HunkVerdict::Accept, Some(review::WholeFileChange::Deleted)) => {
                DecisionEffect::Delete { text: Some(self.review.base()) }
            }
            (HunkVerdict::Accept, Some(review::WholeFileChange::Renamed { .. })) => {
                DecisionEffect::Move { to: self.display_path.clone() }
            }
            (HunkVerdict::Accept, _) => {
                DecisionEffect::Create { text: decision.text.clone().unwrap_or(text) }
            }
        };
        let mut item = self.file_item(decision);
        if let (DecisionEffect::Create { text }, true) =
            (&order, decision.text.is_some() || decision.lines.is_some())
        {
            (item.happened, item.text) = (FeedbackKind::AcceptedEdited, Some(text.clone()));
        }
        self.review.mark_deciding(whole);
        Ok(PendingDecision {
            effect: order,
            replaced_hunk: None,
            hunks: vec![whole],
            items: vec![item],
            is_whole: true,
        })
    }

    fn finish(&mut self, carried: &PendingDecision) {
        if carried.is_whole && self.is_proposal() {
            // Whatever it was, nothing is left to decide.
            self.review = Review::new("");
        }
        if let DecisionEffect::Edit { .. } = carried.effect {
            self.review.settle_final_newline(&carried.hunks);
        }
    }

    fn item(
        &self,
        decision: &UserDecision,
        settled: &DecidedHunk,
        line: usize,
        text: Option<&str>,
    ) -> FeedbackItem {
        let (old, new) =
            if self.is_proposal() { (&settled.new, &settled.old) } else { (&settled.old, &settled.new) };
        let is_edited = text.is_some() || settled.edited && !self.is_proposal() || settled.lines.is_some();
        let happened = match decision.verdict {
            HunkVerdict::Accept if is_edited => FeedbackKind::AcceptedEdited,
            HunkVerdict::Accept => FeedbackKind::Accepted,
            HunkVerdict::Reject => FeedbackKind::Rejected,
        };
        let in_the_end = match (happened, text) {
            (FeedbackKind::AcceptedEdited, Some(text)) => Some(text.to_owned()),
            (FeedbackKind::AcceptedEdited, None) if settled.lines.is_none() => Some(new.clone()),
            _ => None,
        };
        FeedbackItem {
            shown: self.display_path.clone(),
            line: line + 1,
            lines: new.lines().count().max(old.lines().count()),
            happened,
            partly: settled.lines.is_some(),
            comment: decision.comment.clone(),
            text: in_the_end,
            by: settled.calls.clone(),
        }
    }

    fn file_item(&self, decision: &UserDecision) -> FeedbackItem {
        let happened = match decision.verdict {
            HunkVerdict::Accept => FeedbackKind::Accepted,
            HunkVerdict::Reject => FeedbackKind::Rejected,
        };
        let (shown, comment) = (self.display_path.clone(), decision.comment.clone());
        let by = self.review.file_hunk().map(|whole| whole.by.clone()).unwrap_or_default();
        FeedbackItem { shown, line: 0, lines: 0, happened, partly: false, comment, text: None, by }
    }
}
