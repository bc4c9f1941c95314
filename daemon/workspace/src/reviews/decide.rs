//! Decisions: what a person said to a hunk, a file or everything, and what has to be done for it.
//!
//! A decision is taken in two steps, because what it changes is changed elsewhere: [`Reviews::decide`] says what is to be
//! done and marks the hunks as being decided; [`Reviews::carried`] says how that went, and only then the model will hear
//! of it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use copydesk_text::review::{self, HunkId, Print, Review, Selection, Settled, WholeRejection};
use copydesk_text::{Change, Edit, Ending};
use thiserror::Error;

use super::news::{Happened, Item};
use super::tracked::Tracked;
use super::{ReviewId, Reviews};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Accept,
    Reject,
}

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Lines, or the file itself.
    Hunk(HunkId),
    Everything,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub review: ReviewId,
    pub subject: Subject,
    /// As the screen has it.
    pub expected: Print,
    pub verdict: Verdict,
    /// Only these lines of the hunk.
    pub lines: Option<Selection>,
    /// Accepted with this text in the place of the hunk's lines.
    pub text: Option<String>,
    pub comment: Option<String>,
    /// A created file may go although a person has typed in it.
    pub confirmed: bool,
}

/// Why nothing came of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("{0}")]
    No(String),
    /// Only if the person says so once more.
    #[error("you have typed in `{0}`, which the agent created: rejecting it deletes the file")]
    Confirm(String),
}

/// What a decision asks of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Order {
    /// It is as it should be.
    Nothing,
    /// For this text.
    Edit {
        text: String,
        change: Change,
    },
    Create {
        text: String,
    },
    /// Only if it holds this; without a text whatever it holds.
    Delete {
        text: Option<String>,
    },
}

/// A decision that is being carried out.
#[derive(Debug)]
pub(crate) struct Carried {
    pub(crate) order: Order,
    /// The hunk in the place of which a person has put their own text.
    pub(crate) written: Option<HunkId>,
    hunks: Vec<HunkId>,
    items: Vec<Item>,
    is_whole: bool,
}

impl Reviews {
    /// Decisions on one review with one verdict. Each stands or falls by itself.
    pub(crate) fn decide(
        &self,
        session: &str,
        decisions: &[&Decision],
    ) -> (Option<Carried>, Vec<Result<(), Refusal>>) {
        let no = |why: &Refusal| decisions.iter().map(|_| Err(why.clone())).collect();
        let Some(first) = decisions.first() else { return (None, Vec::new()) };
        let mut state = self.lock();
        let Some(tracked) = state.find(session, first.review) else {
            return (None, no(&Refusal::No("that review is over: everything in it is decided".to_owned())));
        };
        if tracked.proposed.as_ref().is_some_and(|proposed| proposed.is_written) {
            return (None, no(&Refusal::No("the model is still writing it".to_owned())));
        }
        let (carried, results) = match first.subject {
            Subject::Hunk(hunk) if first.text.is_none() && !tracked.is_whole(hunk) => {
                tracked.decide_lines(decisions)
            }
            _ => match tracked.decide_one(first) {
                Ok(carried) => (Some(carried), vec![Ok(())]),
                Err(refusal) => (None, no(&refusal)),
            },
        };
        if carried.is_some() {
            tracked.carrying += 1;
            (tracked.is_changed, tracked.is_unsaved) = (true, true);
            state.of(session).changed.send_modify(|count| *count += 1);
        }
        (carried, results)
    }

    /// Whether decisions can be taken together.
    pub(crate) fn is_simple(&self, session: &str, decision: &Decision) -> bool {
        let mut state = self.lock();
        let tracked = state.find(session, decision.review);
        let Subject::Hunk(hunk) = decision.subject else { return false };
        decision.text.is_none() && tracked.is_some_and(|tracked| !tracked.is_whole(hunk))
    }

    /// How it went. What was decided before the call waits in its answer; after, it is news for the model.
    pub(crate) fn carried(&self, session: &str, review: ReviewId, carried: Carried, is_done: bool) {
        let mut state = self.lock();
        let Some(of) = state.sessions.get_mut(session) else { return };
        let Some(tracked) = of.reviews.get_mut(&review) else { return };
        let name = tracked.name.clone();
        tracked.carrying = tracked.carrying.saturating_sub(1);
        if is_done {
            tracked.finish(&carried);
            // A call that has gone on without it does not say it any more.
            let waiting = tracked.proposed.as_mut().filter(|proposed| !proposed.is_answered);
            match waiting {
                Some(proposed) => proposed.decided.extend(carried.items),
                None => carried.items.into_iter().for_each(|item| of.news.add(item)),
            }
        } else {
            tracked.review.release(&carried.hunks);
        }
        (tracked.is_changed, tracked.is_unsaved) = (true, true);
        of.changed.send_modify(|count| *count += 1);
        drop(state);
        self.keep(&name);
        self.keep_news(session);
    }
}

impl Tracked {
    fn is_whole(&self, hunk: HunkId) -> bool {
        self.review.whole_hunk().is_some_and(|whole| whole.id == hunk) || self.is_new_file()
    }

    /// Which way round the review's own words are meant.
    fn keeps(&self, verdict: Verdict) -> bool {
        (verdict == Verdict::Accept) != self.is_before()
    }

    fn wanted(&self, decision: &Decision, hunk: HunkId) -> review::Decision {
        let swap = |Selection { old, new }: Selection| Selection { old: new, new: old };
        let lines = decision.lines.clone();
        let lines = if self.is_before() { lines.map(swap) } else { lines };
        review::Decision { hunk, expected: decision.expected.clone(), lines }
    }

    fn decide_lines(&mut self, decisions: &[&Decision]) -> (Option<Carried>, Vec<Result<(), Refusal>>) {
        // Of two decisions on one hunk the first counts, whatever comes of it.
        let mut known = HashSet::new();
        let hunks = decisions.iter().map(|decision| match decision.subject {
            Subject::Hunk(hunk) => Some(hunk).filter(|hunk| known.insert(*hunk)),
            Subject::Everything => None,
        });
        let hunks: Vec<_> = hunks.collect();
        let each = || decisions.iter().zip(&hunks);
        let wanted = each().filter_map(|(decision, hunk)| Some(self.wanted(decision, (*hunk)?)));
        let wanted: Vec<_> = wanted.collect();
        let Some(verdict) = decisions.first().map(|decision| decision.verdict) else {
            return (None, Vec::new());
        };
        let lines = self.first_lines();
        let text = self.review.text();
        let (order, settled, refused) = if self.keeps(verdict) {
            let kept = self.review.keep(&wanted);
            (Order::Nothing, kept.settled, kept.refused)
        } else {
            let rejection = self.review.reject(&wanted);
            let change = rejection.change;
            (Order::Edit { text, change }, rejection.settled, rejection.refused)
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
                None => Some("it is decided already, earlier in the same list".to_owned()),
            };
            results.push(Err(Refusal::No(why.unwrap_or_else(|| "it is gone".to_owned()))));
        }
        let hunks = settled.into_keys().collect();
        let carried = Carried { order, written: None, hunks, items, is_whole: false };
        (results.iter().any(Result::is_ok).then_some(carried), results)
    }

    /// Where the hunks begin, from 0.
    fn first_lines(&self) -> HashMap<HunkId, usize> {
        self.review.lines().map(|(hunk, line)| (hunk.id, line)).collect()
    }

    /// A text and chosen lines are for one hunk of lines; of a file that is not there yet a text is for the file.
    fn check(&self, decision: &Decision) -> Result<(), Refusal> {
        let whole = self.review.whole_hunk().map(|whole| whole.id);
        let is_lines = matches!(decision.subject, Subject::Hunk(hunk) if Some(hunk) != whole);
        let is_new = self.is_new_file();
        let why = match (&decision.text, &decision.lines, decision.verdict) {
            (Some(_), _, Verdict::Reject) => "a rejected hunk has no text of its own; leave the text out",
            (Some(_), Some(_), _) => "a text of one's own is for a whole hunk, not for some lines of it",
            (Some(_), None, _) if !is_lines && !is_new => "a text of one's own is for one hunk of lines",
            (None, Some(_), _) if !is_lines => "lines can be chosen of one hunk only",
            (None, Some(_), Verdict::Reject) if is_new => {
                "the file is not there yet: accept those lines of it that you want"
            }
            _ => return Ok(()),
        };
        Err(Refusal::No(why.to_owned()))
    }

    /// A decision on everything, on the file, or with a text of the person's own.
    fn decide_one(&mut self, decision: &Decision) -> Result<Carried, Refusal> {
        self.check(decision)?;
        let whole = self.review.whole_hunk().map(|whole| whole.id);
        match (decision.subject, whole) {
            (Subject::Everything, _) if self.review.print_all() != decision.expected => {
                Err(Refusal::No(format!("`{}` has changed since it was shown; look at it again", self.shown)))
            }
            (_, Some(whole)) if self.is_new_file() => self.decide_new_file(decision, whole),
            (Subject::Everything, Some(whole)) => self.decide_file(decision, whole, true),
            (Subject::Hunk(hunk), Some(whole)) if hunk == whole => self.decide_file(decision, whole, false),
            (Subject::Hunk(hunk), _) => self.decide_text(decision, hunk),
            (Subject::Everything, None) => self.decide_all(decision),
        }
    }

    fn decide_all(&mut self, decision: &Decision) -> Result<Carried, Refusal> {
        let (all, text) = (self.review.all(), self.review.text());
        let lines = self.first_lines();
        let (order, settled) = if self.keeps(decision.verdict) {
            (Order::Nothing, self.review.keep(&all).settled)
        } else {
            let rejection = self.review.reject(&all);
            (Order::Edit { text, change: rejection.change }, rejection.settled)
        };
        let hunks = settled.iter().map(|settled| settled.id).collect();
        let line = |settled: &Settled| lines.get(&settled.id).copied().unwrap_or_default();
        let items = settled.iter().map(|settled| self.item(decision, settled, line(settled), None));
        let mut items: Vec<_> = items.collect();
        // Said once.
        items.iter_mut().skip(1).for_each(|item| item.comment = None);
        Ok(Carried { order, written: None, hunks, items, is_whole: false })
    }

    /// The person's own text in the place of the hunk's lines.
    fn decide_text(&mut self, decision: &Decision, hunk: HunkId) -> Result<Carried, Refusal> {
        let text = decision.text.clone().unwrap_or_default();
        let no = |why: review::Refused| Refusal::No(why.to_string());
        let settled = self.review.expected(&self.wanted(decision, hunk)).map_err(no)?;
        let place = self.review.lines().find(|(known, _)| known.id == hunk);
        let place: Option<(Range<usize>, usize)> = place.map(|(hunk, line)| (hunk.text.clone(), line));
        let Some((range, line)) = place else { return Err(Refusal::No("it is gone".to_owned())) };
        let whole = self.review.text();
        let is_last = range.end == whole.len() && !whole.ends_with('\n');
        let text = if text.is_empty() || text.ends_with('\n') || is_last { text } else { text + "\n" };
        // Whoever typed it does not see how lines end here.
        let text = Ending::of(&whole).write(&text).into_owned();
        let item = self.item(decision, &settled, line, Some(&text));
        let change = Change::between(whole.get(range.clone()).unwrap_or_default(), &text);
        let moved = change.edits().iter().map(|edit| Edit {
            range: edit.range.start + range.start..edit.range.end + range.start,
            text: edit.text.clone(),
        });
        let change = Change::checked(&whole, moved.collect()).map_err(|why| Refusal::No(why.to_string()))?;
        let order = Order::Edit { text: whole, change };
        self.review.hold(hunk);
        Ok(Carried { order, written: Some(hunk), hunks: vec![hunk], items: vec![item], is_whole: false })
    }

    /// A file that the agent has created, deleted or renamed.
    fn decide_file(&mut self, decision: &Decision, whole: HunkId, is_all: bool) -> Result<Carried, Refusal> {
        let mut wanted = self.wanted(decision, whole);
        if let Some(print) = self.review.whole_print().filter(|_| is_all) {
            wanted.expected = print;
        }
        let item = self.file_item(decision);
        let no = |why: review::Refused| Refusal::No(why.to_string());
        let order = if decision.verdict == Verdict::Accept {
            self.review.keep_whole(&wanted).map_err(no)?;
            Order::Nothing
        } else {
            match self.review.reject_whole(&wanted, decision.confirmed).map_err(no)? {
                WholeRejection::Delete => {
                    Order::Delete { text: (!decision.confirmed).then(|| self.review.text()) }
                }
                WholeRejection::Restore(text) => Order::Create { text },
                WholeRejection::NeedsConfirmation(_) => return Err(Refusal::Confirm(self.shown.clone())),
                WholeRejection::Rename { .. } => {
                    self.review.release(&[whole]);
                    let why = "a renamed file cannot be given its name back from here; use undo".to_owned();
                    return Err(Refusal::No(why));
                }
            }
        };
        Ok(Carried { order, written: None, hunks: vec![whole], items: vec![item], is_whole: true })
    }

    /// A file that a call wants to create or delete. Deciding its lines is deciding the file.
    fn decide_new_file(&mut self, decision: &Decision, whole: HunkId) -> Result<Carried, Refusal> {
        let (mut text, expected) = (self.review.text(), self.review.whole_print());
        if self.review.whole_hunk().is_some_and(|whole| whole.rejecting) {
            return Err(Refusal::No(format!("`{}` is being decided already", self.shown)));
        }
        if let Subject::Hunk(hunk) = decision.subject {
            if hunk == whole {
                if expected.as_ref() != Some(&decision.expected) {
                    return Err(Refusal::No(format!("`{}` has changed since it was shown", self.shown)));
                }
            } else {
                let wanted = review::Decision {
                    hunk,
                    expected: decision.expected.clone(),
                    lines: decision.lines.clone(),
                };
                let no = |why: review::Refused| Refusal::No(why.to_string());
                let settled = self.review.expected(&wanted).map_err(no)?;
                if let Some(lines) = settled.lines {
                    let wanted: HashSet<_> = lines.new.into_iter().collect();
                    let chosen = settled.new.split_inclusive('\n').enumerate();
                    text = chosen.filter(|(at, _)| wanted.contains(at)).map(|(_, line)| line).collect();
                }
            }
        }
        let kind = self.review.whole_hunk().map(|whole| whole.kind.clone());
        let order = match (decision.verdict, kind) {
            (Verdict::Reject, _) => Order::Nothing,
            (Verdict::Accept, Some(review::Whole::Deleted)) => {
                Order::Delete { text: Some(self.review.base()) }
            }
            (Verdict::Accept, _) => Order::Create { text: decision.text.clone().unwrap_or(text) },
        };
        let mut item = self.file_item(decision);
        if let (Order::Create { text }, true) = (&order, decision.text.is_some() || decision.lines.is_some())
        {
            (item.happened, item.text) = (Happened::AcceptedEdited, Some(text.clone()));
        }
        self.review.hold(whole);
        Ok(Carried { order, written: None, hunks: vec![whole], items: vec![item], is_whole: true })
    }

    fn finish(&mut self, carried: &Carried) {
        if carried.is_whole && self.is_before() {
            // Whatever it was, there is nothing left of it.
            self.review = Review::new("");
        }
        if let Order::Edit { .. } = carried.order {
            self.review.settle_end(&carried.hunks);
        }
    }

    fn item(&self, decision: &Decision, settled: &Settled, line: usize, text: Option<&str>) -> Item {
        let (old, new) =
            if self.is_before() { (&settled.new, &settled.old) } else { (&settled.old, &settled.new) };
        let is_edited = text.is_some() || settled.edited && !self.is_before() || settled.lines.is_some();
        let happened = match decision.verdict {
            Verdict::Accept if is_edited => Happened::AcceptedEdited,
            Verdict::Accept => Happened::Accepted,
            Verdict::Reject => Happened::Rejected,
        };
        let in_the_end = match (happened, text) {
            (Happened::AcceptedEdited, Some(text)) => Some(text.to_owned()),
            (Happened::AcceptedEdited, None) if settled.lines.is_none() => Some(new.clone()),
            _ => None,
        };
        Item {
            shown: self.shown.clone(),
            line: line + 1,
            lines: new.lines().count().max(old.lines().count()),
            happened,
            partly: settled.lines.is_some(),
            comment: decision.comment.clone(),
            text: in_the_end,
            by: settled.by.clone(),
        }
    }

    fn file_item(&self, decision: &Decision) -> Item {
        let happened = match decision.verdict {
            Verdict::Accept => Happened::Accepted,
            Verdict::Reject => Happened::Rejected,
        };
        let (shown, comment) = (self.shown.clone(), decision.comment.clone());
        let by = self.review.whole_hunk().map(|whole| whole.by.clone()).unwrap_or_default();
        Item { shown, line: 0, lines: 0, happened, partly: false, comment, text: None, by }
    }
}
