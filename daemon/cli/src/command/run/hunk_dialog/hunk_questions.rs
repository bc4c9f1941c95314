//! The questions at a hunk: the key, the words of a comment, the text of an editor.
//!
//! Invariant: a question goes when its hunk does.

use std::sync::atomic::Ordering;

use copydesk_protocol::permission::PermissionReply;
use copydesk_protocol::review::{ReviewDecision, ReviewVerdict};

use super::external_editor::{self, HunkEditOutcome};
use super::undecided_hunk::UndecidedHunk;
use super::{DialogAnswer, DialogSignals, HunkDialog, KeyOutcome, say};
use crate::command::run::terminal_input::{self, TerminalInput, TerminalQuestion, WithdrawnQuestion};
use crate::terminal::print;

/// What came of a question.
pub(super) enum QuestionOutcome {
    Line(String),
    /// The hunk is not what it was.
    Gone,
    Answer(DialogAnswer),
}

impl HunkDialog {
    /// The line that answers a question about a hunk, unless somebody else is first.
    pub(super) async fn ask_line(&self, question: String, item: &UndecidedHunk) -> QuestionOutcome {
        let DialogSignals { withdrawn: over, changed, .. } = &self.attention;
        let hung_up = || QuestionOutcome::Answer(DialogAnswer::Reply(PermissionReply::Cancelled));
        if over.is_cancelled() {
            return QuestionOutcome::Answer(DialogAnswer::Withdrawn(WithdrawnQuestion { is_open: false }));
        }
        let Ok(mut question) = TerminalQuestion::show(question) else { return hung_up() };
        loop {
            tokio::select! {
                typed = question.wait_for_input() => return match typed {
                    TerminalInput::Line(line) => QuestionOutcome::Line(line),
                    TerminalInput::Nothing => QuestionOutcome::Answer(DialogAnswer::Reply(PermissionReply::Reject { reason: None })),
                    TerminalInput::HungUp => hung_up(),
                    TerminalInput::Withdrawn(taken_back) => QuestionOutcome::Answer(DialogAnswer::Withdrawn(taken_back)),
                },
                () = over.cancelled() => {
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
                    say("decided or changed elsewhere");
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
                say("nothing was said, so nothing is decided");
                KeyOutcome::AskAgain
            }
            QuestionOutcome::Gone => KeyOutcome::AskAgain,
            QuestionOutcome::Answer(answer) => KeyOutcome::Answer(answer),
        }
    }

    pub(super) async fn edit(&self, item: &UndecidedHunk) -> KeyOutcome {
        let editor = external_editor::editor();
        say(&format!("waiting for `{editor}`…"));
        let edited = item.clone();
        self.attention.editing.store(true, Ordering::SeqCst);
        let edited = tokio::task::spawn_blocking(move || external_editor::edit(&edited, &editor)).await;
        self.attention.editing.store(false, Ordering::SeqCst);
        terminal_input::discard_input();
        match edited {
            Ok(HunkEditOutcome::Same) => KeyOutcome::Decide(item.decision(ReviewVerdict::Accept), 1),
            Ok(HunkEditOutcome::Text(text)) => KeyOutcome::Decide(
                ReviewDecision { text: Some(text), ..item.decision(ReviewVerdict::Accept) },
                1,
            ),
            Ok(HunkEditOutcome::Not(why)) => {
                say(&why);
                KeyOutcome::AskAgain
            }
            Err(_) => KeyOutcome::AskAgain,
        }
    }
}
