//! Questions about a hunk: the key, a comment, an edited text.
//!
//! Invariant: a question disappears with its hunk.

use std::sync::atomic::Ordering;

use copydesk_protocol::permission::PermissionReply;
use copydesk_protocol::review::{ReviewDecision, ReviewVerdict};

use super::edited_hunk::{self, HunkEditOutcome};
use super::undecided_hunk::UndecidedHunk;
use super::{DialogAnswer, DialogSignals, HunkDialog, KeyOutcome, remark};
use crate::command::run::external_editor;
use crate::command::run::terminal_input::{self, TerminalInput, TerminalQuestion, WithdrawnQuestion};
use crate::terminal::print;

pub(super) enum QuestionOutcome {
    Line(String),
    /// The hunk changed or is decided.
    Gone,
    Answer(DialogAnswer),
}

impl HunkDialog {
    /// Asks for a line about a hunk, unless the hunk or the ask goes first.
    pub(super) async fn ask_line(&self, question: String, item: &UndecidedHunk) -> QuestionOutcome {
        let DialogSignals { withdrawn, changed, .. } = &self.signals;
        let hung_up = || QuestionOutcome::Answer(DialogAnswer::Reply(PermissionReply::Cancelled));
        if withdrawn.is_cancelled() {
            return QuestionOutcome::Answer(DialogAnswer::Withdrawn(WithdrawnQuestion { is_open: false }));
        }
        let Ok(mut question) = TerminalQuestion::show(question) else { return hung_up() };
        loop {
            tokio::select! {
                typed = question.wait_for_input() => return match typed {
                    TerminalInput::Line(line) => QuestionOutcome::Line(line),
                    TerminalInput::Nothing => QuestionOutcome::Answer(DialogAnswer::Reply(PermissionReply::Reject { reason: None })),
                    TerminalInput::HungUp => hung_up(),
                    TerminalInput::Withdrawn(question) => QuestionOutcome::Answer(DialogAnswer::Withdrawn(question)),
                },
                () = withdrawn.cancelled() => {
                    question.withdraw().await;
                    return QuestionOutcome::Answer(DialogAnswer::Withdrawn(WithdrawnQuestion { is_open: true }));
                }
                () = changed.notified() => {
                    let items = self.items().await;
                    if items.is_empty() || items.iter().any(|other| other.is_same_hunk(item)) {
                        continue;
                    }
                    question.withdraw().await;
                    let _ = print("");
                    remark("decided or changed elsewhere");
                    return QuestionOutcome::Gone;
                }
            }
        }
    }

    pub(super) async fn comment(&self, item: &UndecidedHunk) -> KeyOutcome {
        match self.ask_line("  because › ".to_owned(), item).await {
            QuestionOutcome::Line(line) if !line.trim().is_empty() => {
                let comment = Some(line.trim().to_owned());
                KeyOutcome::Decide(ReviewDecision { comment, ..item.decision(ReviewVerdict::Reject) }, 1)
            }
            QuestionOutcome::Answer(DialogAnswer::Reply(PermissionReply::Reject { .. }))
            | QuestionOutcome::Line(_) => {
                remark("no comment, so nothing is decided");
                KeyOutcome::AskAgain
            }
            QuestionOutcome::Gone => KeyOutcome::AskAgain,
            QuestionOutcome::Answer(answer) => KeyOutcome::Answer(answer),
        }
    }

    pub(super) async fn edit(&self, item: &UndecidedHunk) -> KeyOutcome {
        let editor = external_editor::editor();
        remark(&format!("waiting for `{editor}`…"));
        let edited = item.clone();
        self.signals.editing.store(true, Ordering::SeqCst);
        let edited = tokio::task::spawn_blocking(move || edited_hunk::edit(&edited, &editor)).await;
        self.signals.editing.store(false, Ordering::SeqCst);
        terminal_input::discard_input();
        match edited {
            Ok(HunkEditOutcome::Same) => KeyOutcome::Decide(item.decision(ReviewVerdict::Accept), 1),
            Ok(HunkEditOutcome::Text(text)) => KeyOutcome::Decide(
                ReviewDecision { text: Some(text), ..item.decision(ReviewVerdict::Accept) },
                1,
            ),
            Ok(HunkEditOutcome::Not(reason)) => {
                remark(&reason);
                KeyOutcome::AskAgain
            }
            Err(_) => KeyOutcome::AskAgain,
        }
    }
}
