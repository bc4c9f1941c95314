//! The hunks of an edit, brought before the person one by one.
//!
//! Each decision is made at once: what was accepted stays, whatever comes after. What the desk lists is the truth: a hunk
//! that somebody else decides, or changes, goes off the screen, and the next one comes.
//!
//! Invariant: a decision names the hunk that was shown; only what is typed after it was shown decides it.

mod around;
mod asking;
mod edit;
mod item;
mod keys;
mod show;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use copydesk_protocol::ask::{Ask, PermissionReply};
use copydesk_protocol::review::{ReviewDecision, Verdict};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use self::around::Around;
use self::asking::Heard;
use self::item::Item;
use self::keys::Key;
use self::show::{Place, Size};
use super::approve;
use super::reviews::Reviews;
use super::text::{self, coloured};
use super::typed::{self, TakenBack};
use crate::terminal::{DIM, columns, print, rows, styled};

/// What whoever follows the session tells a person's dialog while it goes on, and is told.
#[derive(Debug, Clone, Default)]
pub(super) struct Attention {
    /// The question is taken back.
    pub(super) over: CancellationToken,
    /// There may be other hunks now.
    pub(super) changed: Arc<Notify>,
    /// The terminal belongs to an editor: nothing is for us, Ctrl-C included.
    pub(super) editing: Arc<AtomicBool>,
}

/// What a person said.
#[derive(Debug)]
pub(super) enum Answer {
    Reply(PermissionReply),
    /// Everything, hunk by hunk.
    Decided,
    /// Nothing.
    TakenBack(TakenBack),
}

/// How many hunks they decided, and how.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) accepted: usize,
    pub(super) rejected: usize,
}

/// Asks about the hunks where there are such, else about all of it.
pub(super) async fn ask(ask: Ask, reviews: Reviews, attention: Attention) -> (Answer, Tally) {
    let (around, tally) = (HashMap::new(), Tally::default());
    let mut dialog = Dialog { ask, reviews, attention, around, tally, shown: None, is_stale: false, of: 0 };
    let answer = dialog.run().await;
    (answer, dialog.tally)
}

struct Dialog {
    ask: Ask,
    reviews: Reviews,
    attention: Attention,
    around: HashMap<String, Around>,
    tally: Tally,
    /// The hunk on the screen.
    shown: Option<Item>,
    /// It may not be as it is shown.
    is_stale: bool,
    /// Hunks of its file, decided ones included.
    of: usize,
}

/// What came of a key.
enum Then {
    /// It is asked again.
    Again,
    Decide(ReviewDecision, usize),
    Answer(Answer),
}

impl Dialog {
    async fn run(&mut self) -> Answer {
        if text::diffs(&self.ask.metadata).is_empty() {
            return self.all_of_it().await;
        }
        let mut items = self.next_items().await;
        let diffs = text::diffs(&self.ask.metadata);
        self.around = around::around(&diffs, &items);
        // One hunk is shown as it always was.
        if items.len() < 2 {
            let _ = print(coloured(&text::joined(&diffs)));
            self.shown = items.first().cloned();
            typed::forget();
        }
        let mut is_ours = false;
        loop {
            let Some(item) = items.first().cloned() else {
                // Our own last word, or that of others, who settle the ask; where it was all typed away, nobody does.
                return if is_ours { Answer::Decided } else { self.all_of_it().await };
            };
            let left = self.left(&items);
            is_ours = match self.one(&item, left).await {
                Then::Answer(answer) => return answer,
                Then::Again => false,
                Then::Decide(decision, hunks) => self.decide(decision, hunks).await,
            };
            items = self.next_items().await;
            if self.attention.over.is_cancelled() && !(is_ours && items.is_empty()) {
                return Answer::TakenBack(TakenBack { is_open: false });
            }
        }
    }

    async fn items(&self) -> Vec<Item> {
        Item::all(&self.reviews.of(&self.ask.ask).await)
    }

    /// Waits while all that is left is just being decided by others.
    async fn next_items(&self) -> Vec<Item> {
        let Attention { over, changed, .. } = &self.attention;
        loop {
            let reviews = self.reviews.of(&self.ask.ask).await;
            let items = Item::all(&reviews);
            if !items.is_empty() || reviews.is_empty() || over.is_cancelled() {
                return items;
            }
            tokio::select! {
                () = changed.notified() => {}
                () = over.cancelled() => {}
            }
        }
    }

    /// Hunks of all files that are not decided.
    fn left(&self, items: &[Item]) -> usize {
        let mut left = 0;
        let mut last: Option<&Item> = None;
        for item in items {
            if last.is_none_or(|last| !last.is_with(item)) {
                left += item.left;
            }
            last = Some(item);
        }
        left
    }

    async fn all_of_it(&self) -> Answer {
        approve::ask(&self.ask, &self.attention.over).await.map_or_else(Answer::TakenBack, Answer::Reply)
    }

    async fn one(&mut self, item: &Item, left: usize) -> Then {
        let size = Size { rows: rows(), columns: columns() };
        if self.is_stale || !self.shown.as_ref().is_some_and(|shown| shown.is(item)) {
            self.show(item, size);
        }
        let is_first = self.tally.accepted + self.tally.rejected == 0;
        let is_single = left == 1 && is_first;
        let line = match self.hear(keys::question(&self.ask, is_single, size.columns), item).await {
            Heard::Line(line) => line,
            Heard::Gone => return Then::Again,
            Heard::Answer(answer) => return Then::Answer(answer),
        };
        let Some(key) = Key::of(line.trim()).filter(|key| *key != Key::Always || !self.ask.always.is_empty())
        else {
            keys::explain(line.trim(), &self.ask, is_single);
            return Then::Again;
        };
        let (accept, reject) = (Verdict::Accept, Verdict::Reject);
        match key {
            // A word on all of it, as it was asked.
            Key::Yes if is_single => Then::Answer(Answer::Reply(PermissionReply::Once)),
            Key::All if is_first && left == item.left => Then::Answer(Answer::Reply(PermissionReply::Once)),
            Key::Always => Then::Answer(Answer::Reply(PermissionReply::Always)),
            Key::Stop => Then::Answer(Answer::Reply(PermissionReply::Reject { reason: None })),
            Key::Yes => Then::Decide(item.decision(accept), 1),
            Key::No => Then::Decide(item.decision(reject), 1),
            Key::All => Then::Decide(item.decision_on_all(accept), item.left),
            Key::Neither => Then::Decide(item.decision_on_all(reject), item.left),
            Key::Comment => self.comment(item).await,
            Key::Edit => self.edit(item).await,
            Key::Print => {
                let size = Size { rows: usize::MAX, ..size };
                let _ = print(show::lines(item, &self.around_of(item), size));
                Then::Again
            }
            Key::Help => {
                let _ = print(keys::help(&self.ask));
                Then::Again
            }
        }
    }

    fn show(&mut self, item: &Item, size: Size) {
        let is_other_file = self.shown.as_ref().is_none_or(|shown| !shown.is_with(item));
        self.of = if is_other_file { item.left } else { self.of.max(item.left) };
        let place = Place { number: self.of - item.left + 1, of: self.of };
        let _ = print(show::heading(item, place, size));
        let _ = print(show::lines(item, &self.around_of(item), size));
        (self.shown, self.is_stale) = (Some(item.clone()), false);
        typed::forget();
    }

    fn around_of(&self, item: &Item) -> Around {
        self.around.get(&item.hunk).cloned().unwrap_or_default()
    }

    /// Whether it is carried out.
    async fn decide(&mut self, decision: ReviewDecision, hunks: usize) -> bool {
        let verdict = decision.verdict;
        match self.reviews.decide(decision).await {
            Ok(()) => {
                let count = match verdict {
                    Verdict::Accept => &mut self.tally.accepted,
                    Verdict::Reject => &mut self.tally.rejected,
                };
                *count += hunks;
                true
            }
            Err(why) => {
                say(&told(&why));
                // Whatever is there now is shown before it is asked about.
                self.is_stale = true;
                false
            }
        }
    }
}

fn say(what: &str) {
    let _ = print(styled(DIM, format!("  {what}")));
}

/// A refusal, without the number that the desk has for a hunk and without the lines, which are shown next.
fn told(why: &str) -> String {
    let first = why.lines().next().unwrap_or_default().trim_end_matches("; it is now:");
    match first.strip_prefix("hunk ").and_then(|rest| rest.split_once(' ')) {
        Some((_, rest)) => format!("this hunk {rest}"),
        None => first.to_owned(),
    }
}
