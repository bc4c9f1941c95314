//! The hunks of an edit, brought before the person one by one.
//!
//! Each decision is made at once: what was accepted stays, whatever comes after. What the desk lists is the truth: a hunk
//! that somebody else decides, or changes, goes off the screen, and the next one comes.
//!
//! Invariant: a decision names the hunk that was shown; only what is typed after it was shown decides it.

mod context_lines;
mod external_editor;
mod hunk_questions;
mod keys;
mod render;
#[cfg(test)]
mod tests;
mod undecided_hunk;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use copydesk_protocol::permission::{PermissionAskInfo, PermissionReply};
use copydesk_protocol::review::{ReviewDecision, ReviewVerdict};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use self::context_lines::HunkContext;
use self::hunk_questions::QuestionOutcome;
use self::keys::HunkKey;
use self::render::{HunkPosition, TerminalSize};
use self::undecided_hunk::UndecidedHunk;
use super::permission_prompt;
use super::review_backend::ReviewBackend;
use super::terminal_input::{self, WithdrawnQuestion};
use super::text_view::{self, coloured};
use crate::terminal::{DIM, columns, print, rows, styled};

/// What whoever follows the session tells a person's dialog while it goes on, and is told.
#[derive(Debug, Clone, Default)]
pub(super) struct DialogSignals {
    /// The question is taken back.
    pub(super) withdrawn: CancellationToken,
    /// There may be other hunks now.
    pub(super) changed: Arc<Notify>,
    /// The terminal belongs to an editor: nothing is for us, Ctrl-C included.
    pub(super) editing: Arc<AtomicBool>,
}

/// What a person said.
#[derive(Debug)]
pub(super) enum DialogAnswer {
    Reply(PermissionReply),
    /// Everything, hunk by hunk.
    Decided,
    /// Nothing.
    Withdrawn(WithdrawnQuestion),
}

/// How many hunks they decided, and how.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DecisionCounts {
    pub(super) accepted: usize,
    pub(super) rejected: usize,
}

/// Asks about the hunks where there are such, else about all of it.
pub(super) async fn ask(
    ask: PermissionAskInfo,
    reviews: ReviewBackend,
    attention: DialogSignals,
) -> (DialogAnswer, DecisionCounts) {
    let (around, tally) = (HashMap::new(), DecisionCounts::default());
    let mut dialog =
        HunkDialog { ask, reviews, attention, around, tally, shown: None, is_stale: false, of: 0 };
    let answer = dialog.run().await;
    (answer, dialog.tally)
}

struct HunkDialog {
    ask: PermissionAskInfo,
    reviews: ReviewBackend,
    attention: DialogSignals,
    around: HashMap<String, HunkContext>,
    tally: DecisionCounts,
    /// The hunk on the screen.
    shown: Option<UndecidedHunk>,
    /// It may not be as it is shown.
    is_stale: bool,
    /// Hunks of its file, decided ones included.
    of: usize,
}

/// What came of a key.
enum KeyOutcome {
    /// It is asked again.
    AskAgain,
    Decide(ReviewDecision, usize),
    Answer(DialogAnswer),
}

impl HunkDialog {
    async fn run(&mut self) -> DialogAnswer {
        if text_view::diffs(self.ask.metadata.changed_files()).is_empty() {
            return self.ask_about_all().await;
        }
        let mut items = self.next_items().await;
        let diffs = text_view::diffs(self.ask.metadata.changed_files());
        self.around = context_lines::around(&diffs, &items);
        // One hunk is shown as it always was.
        if items.len() < 2 {
            let _ = print(coloured(&text_view::joined(&diffs)));
            self.shown = items.first().cloned();
            terminal_input::discard_input();
        }
        let mut is_ours = false;
        loop {
            let Some(item) = items.first().cloned() else {
                // Our own last word, or that of others, who settle the ask; where it was all typed away, nobody does.
                return if is_ours { DialogAnswer::Decided } else { self.ask_about_all().await };
            };
            let left = self.left(&items);
            is_ours = match self.ask_about_hunk(&item, left).await {
                KeyOutcome::Answer(answer) => return answer,
                KeyOutcome::AskAgain => false,
                KeyOutcome::Decide(decision, hunks) => self.decide(decision, hunks).await,
            };
            items = self.next_items().await;
            if self.attention.withdrawn.is_cancelled() && !(is_ours && items.is_empty()) {
                return DialogAnswer::Withdrawn(WithdrawnQuestion { is_open: false });
            }
        }
    }

    async fn items(&self) -> Vec<UndecidedHunk> {
        UndecidedHunk::all(&self.reviews.reviews_for_ask(&self.ask.ask).await)
    }

    /// Waits while all that is left is just being decided by others.
    async fn next_items(&self) -> Vec<UndecidedHunk> {
        let DialogSignals { withdrawn: over, changed, .. } = &self.attention;
        loop {
            let reviews = self.reviews.reviews_for_ask(&self.ask.ask).await;
            let items = UndecidedHunk::all(&reviews);
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
    fn left(&self, items: &[UndecidedHunk]) -> usize {
        let mut left = 0;
        let mut last: Option<&UndecidedHunk> = None;
        for item in items {
            if last.is_none_or(|last| !last.is_same_review(item)) {
                left += item.left;
            }
            last = Some(item);
        }
        left
    }

    async fn ask_about_all(&self) -> DialogAnswer {
        permission_prompt::ask(&self.ask, &self.attention.withdrawn)
            .await
            .map_or_else(DialogAnswer::Withdrawn, DialogAnswer::Reply)
    }

    async fn ask_about_hunk(&mut self, item: &UndecidedHunk, left: usize) -> KeyOutcome {
        let size = TerminalSize { rows: rows(), columns: columns() };
        if self.is_stale || !self.shown.as_ref().is_some_and(|shown| shown.is_same_hunk(item)) {
            self.show(item, size);
        }
        let is_first = self.tally.accepted + self.tally.rejected == 0;
        let is_single = left == 1 && is_first;
        let line = match self.ask_line(keys::question(&self.ask, is_single, size.columns), item).await {
            QuestionOutcome::Line(line) => line,
            QuestionOutcome::Gone => return KeyOutcome::AskAgain,
            QuestionOutcome::Answer(answer) => return KeyOutcome::Answer(answer),
        };
        let Some(key) =
            HunkKey::parse(line.trim()).filter(|key| *key != HunkKey::Always || !self.ask.always.is_empty())
        else {
            keys::explain(line.trim(), &self.ask, is_single);
            return KeyOutcome::AskAgain;
        };
        let (accept, reject) = (ReviewVerdict::Accept, ReviewVerdict::Reject);
        match key {
            // A word on all of it, as it was asked.
            HunkKey::Yes if is_single => KeyOutcome::Answer(DialogAnswer::Reply(PermissionReply::Once)),
            HunkKey::All if is_first && left == item.left => {
                KeyOutcome::Answer(DialogAnswer::Reply(PermissionReply::Once))
            }
            HunkKey::Always => KeyOutcome::Answer(DialogAnswer::Reply(PermissionReply::Always)),
            HunkKey::Stop => {
                KeyOutcome::Answer(DialogAnswer::Reply(PermissionReply::Reject { reason: None }))
            }
            HunkKey::Yes => KeyOutcome::Decide(item.decision(accept), 1),
            HunkKey::No => KeyOutcome::Decide(item.decision(reject), 1),
            HunkKey::All => KeyOutcome::Decide(item.decision_on_all(accept), item.left),
            HunkKey::Neither => KeyOutcome::Decide(item.decision_on_all(reject), item.left),
            HunkKey::Comment => self.comment(item).await,
            HunkKey::Edit => self.edit(item).await,
            HunkKey::Print => {
                let size = TerminalSize { rows: usize::MAX, ..size };
                let _ = print(render::lines(item, &self.around_of(item), size));
                KeyOutcome::AskAgain
            }
            HunkKey::Help => {
                let _ = print(keys::help(&self.ask));
                KeyOutcome::AskAgain
            }
        }
    }

    fn show(&mut self, item: &UndecidedHunk, size: TerminalSize) {
        let is_other_file = self.shown.as_ref().is_none_or(|shown| !shown.is_same_review(item));
        self.of = if is_other_file { item.left } else { self.of.max(item.left) };
        let place = HunkPosition { number: self.of - item.left + 1, of: self.of };
        let _ = print(render::heading(item, place, size));
        let _ = print(render::lines(item, &self.around_of(item), size));
        (self.shown, self.is_stale) = (Some(item.clone()), false);
        terminal_input::discard_input();
    }

    fn around_of(&self, item: &UndecidedHunk) -> HunkContext {
        self.around.get(&item.hunk).cloned().unwrap_or_default()
    }

    /// Whether it is carried out.
    async fn decide(&mut self, decision: ReviewDecision, hunks: usize) -> bool {
        let verdict = decision.verdict;
        match self.reviews.decide(decision).await {
            Ok(()) => {
                let count = match verdict {
                    ReviewVerdict::Accept => &mut self.tally.accepted,
                    ReviewVerdict::Reject => &mut self.tally.rejected,
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
