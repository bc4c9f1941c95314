//! Asks the user about the hunks of an edit, one by one.
//!
//! Each decision is carried out at once: an accepted hunk stays, whatever follows. The daemon's list is
//! authoritative: a hunk that another client decides or changes leaves the screen, and the next one comes.
//!
//! Invariant: a decision names the hunk that was shown; only input typed after it was shown decides it.

mod context_lines;
mod edited_hunk;
mod hunk_questions;
mod keys;
mod render;
#[cfg(test)]
mod tests;
mod undecided_hunk;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use copydesk_protocol::permission::{AlwaysScopeInfo, PermissionAskInfo, PermissionReply};
use copydesk_protocol::review::{ReviewDecision, ReviewVerdict};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use self::context_lines::HunkContext;
use self::hunk_questions::QuestionOutcome;
use self::keys::HunkKey;
use self::render::{HunkPosition, TerminalSize};
use self::undecided_hunk::UndecidedHunk;
use super::permission_prompt;
use super::terminal_input::{self, WithdrawnQuestion};
use super::text_view::{self, coloured};
use crate::session_client::ReviewRequests;
use crate::terminal::{DIM, columns, print, rows, styled};

/// Signals between a dialog and the follower of the session.
#[derive(Debug, Clone, Default)]
pub(super) struct DialogSignals {
    /// Set when the ask is settled elsewhere.
    pub(super) withdrawn: CancellationToken,
    /// The hunks may have changed.
    pub(super) changed: Arc<Notify>,
    /// An editor owns the terminal: no input is ours, not even Ctrl-C.
    pub(super) editing: Arc<AtomicBool>,
}

/// The user's answer.
#[derive(Debug)]
pub(super) enum DialogAnswer {
    Reply(PermissionReply),
    /// Every hunk is decided.
    Decided,
    /// No answer.
    Withdrawn(WithdrawnQuestion),
}

/// The user's decisions so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DecisionCounts {
    pub(super) accepted: usize,
    pub(super) rejected: usize,
}

/// Asks about each hunk, or about the whole if there are none.
pub(super) async fn ask(
    ask: PermissionAskInfo,
    reviews: ReviewRequests,
    signals: DialogSignals,
) -> (DialogAnswer, DecisionCounts) {
    let (contexts, counts) = (HashMap::new(), DecisionCounts::default());
    let mut dialog =
        HunkDialog { ask, reviews, signals, contexts, counts, shown: None, is_stale: false, of: 0 };
    let answer = dialog.run().await;
    (answer, dialog.counts)
}

struct HunkDialog {
    ask: PermissionAskInfo,
    reviews: ReviewRequests,
    signals: DialogSignals,
    /// By hunk.
    contexts: HashMap<String, HunkContext>,
    counts: DecisionCounts,
    /// The hunk on the screen.
    shown: Option<UndecidedHunk>,
    /// `shown` may be outdated.
    is_stale: bool,
    /// Hunks of the shown file, decided ones included.
    of: usize,
}

const ALWAYS: PermissionReply = PermissionReply::Always { scope: AlwaysScopeInfo::Session, patterns: None };

enum KeyOutcome {
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
        self.contexts = context_lines::around(&diffs, &items);
        // A single hunk is shown as part of the diff.
        if items.len() < 2 {
            let _ = print(coloured(&text_view::joined(&diffs)));
            self.shown = items.first().cloned();
            terminal_input::discard_input();
        }
        let mut is_ours = false;
        loop {
            let Some(item) = items.first().cloned() else {
                // Our decision was the last, or others decided and settle the ask. If typing removed every
                // hunk, ask about the whole.
                return if is_ours { DialogAnswer::Decided } else { self.ask_about_all().await };
            };
            let left = self.count_left(&items);
            is_ours = match self.ask_about_hunk(&item, left).await {
                KeyOutcome::Answer(answer) => return answer,
                KeyOutcome::AskAgain => false,
                KeyOutcome::Decide(decision, hunks) => self.decide(decision, hunks).await,
            };
            items = self.next_items().await;
            if self.signals.withdrawn.is_cancelled() && !(is_ours && items.is_empty()) {
                return DialogAnswer::Withdrawn(WithdrawnQuestion { is_open: false });
            }
        }
    }

    async fn items(&self) -> Vec<UndecidedHunk> {
        UndecidedHunk::all(&self.reviews.reviews_for_ask(&self.ask.ask).await)
    }

    /// Waits while other clients are deciding all that is left.
    async fn next_items(&self) -> Vec<UndecidedHunk> {
        let DialogSignals { withdrawn, changed, .. } = &self.signals;
        loop {
            let reviews = self.reviews.reviews_for_ask(&self.ask.ask).await;
            let items = UndecidedHunk::all(&reviews);
            if !items.is_empty() || reviews.is_empty() || withdrawn.is_cancelled() {
                return items;
            }
            tokio::select! {
                () = changed.notified() => {}
                () = withdrawn.cancelled() => {}
            }
        }
    }

    /// Undecided hunks of all files.
    fn count_left(&self, items: &[UndecidedHunk]) -> usize {
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
        permission_prompt::ask(&self.ask, &self.signals)
            .await
            .map_or_else(DialogAnswer::Withdrawn, DialogAnswer::Reply)
    }

    async fn ask_about_hunk(&mut self, item: &UndecidedHunk, left: usize) -> KeyOutcome {
        let size = TerminalSize { rows: rows(), columns: columns() };
        if self.is_stale || !self.shown.as_ref().is_some_and(|shown| shown.is_same_hunk(item)) {
            self.show(item, size);
        }
        let is_first = self.counts.accepted + self.counts.rejected == 0;
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
            // Answers the ask as a whole.
            HunkKey::Yes if is_single => KeyOutcome::Answer(DialogAnswer::Reply(PermissionReply::Once)),
            HunkKey::All if is_first && left == item.left => {
                KeyOutcome::Answer(DialogAnswer::Reply(PermissionReply::Once))
            }
            HunkKey::Always => KeyOutcome::Answer(DialogAnswer::Reply(ALWAYS)),
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
                let _ = print(render::lines(item, &self.context(item), size));
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
        let position = HunkPosition { number: self.of - item.left + 1, of: self.of };
        let _ = print(render::heading(item, position, size));
        let _ = print(render::lines(item, &self.context(item), size));
        (self.shown, self.is_stale) = (Some(item.clone()), false);
        terminal_input::discard_input();
    }

    fn context(&self, item: &UndecidedHunk) -> HunkContext {
        self.contexts.get(&item.hunk).cloned().unwrap_or_default()
    }

    /// True if the decision is carried out.
    async fn decide(&mut self, decision: ReviewDecision, hunks: usize) -> bool {
        let verdict = decision.verdict;
        match self.reviews.decide(decision).await {
            Ok(()) => {
                let count = match verdict {
                    ReviewVerdict::Accept => &mut self.counts.accepted,
                    ReviewVerdict::Reject => &mut self.counts.rejected,
                };
                *count += hunks;
                true
            }
            Err(refusal) => {
                remark(&shorten_refusal(&refusal));
                // Show the present hunk before asking about it.
                self.is_stale = true;
                false
            }
        }
    }
}

fn remark(text: &str) {
    let _ = print(styled(DIM, format!("  {text}")));
}

/// A refusal without the hunk's number and without its lines, which are shown next.
fn shorten_refusal(refusal: &str) -> String {
    let first = refusal.lines().next().unwrap_or_default().trim_end_matches("; it is now:");
    match first.strip_prefix("hunk ").and_then(|rest| rest.split_once(' ')) {
        Some((_, rest)) => format!("this hunk {rest}"),
        None => first.to_owned(),
    }
}
