//! The questions at a hunk: the key, the words of a comment, the text of an editor.
//!
//! Invariant: a question goes when its hunk does.

use std::sync::atomic::Ordering;

use copydesk_protocol::ask::PermissionReply;
use copydesk_protocol::review::{ReviewDecision, Verdict};

use super::edit::{self, Edited};
use super::item::Item;
use super::{Answer, Attention, Dialog, Then, say};
use crate::command::run::typed::{self, Question, TakenBack, Typed};
use crate::terminal::print;

/// What came of a question.
pub(super) enum Heard {
    Line(String),
    /// The hunk is not what it was.
    Gone,
    Answer(Answer),
}

impl Dialog {
    /// The line that answers a question about a hunk, unless somebody else is first.
    pub(super) async fn hear(&self, question: String, item: &Item) -> Heard {
        let Attention { over, changed, .. } = &self.attention;
        let hung_up = || Heard::Answer(Answer::Reply(PermissionReply::Cancelled));
        if over.is_cancelled() {
            return Heard::Answer(Answer::TakenBack(TakenBack { is_open: false }));
        }
        let Ok(mut question) = Question::put(question) else { return hung_up() };
        loop {
            tokio::select! {
                typed = question.typed() => return match typed {
                    Typed::Line(line) => Heard::Line(line),
                    Typed::Nothing => Heard::Answer(Answer::Reply(PermissionReply::Reject { reason: None })),
                    Typed::HungUp => hung_up(),
                    Typed::TakenBack(taken_back) => Heard::Answer(Answer::TakenBack(taken_back)),
                },
                () = over.cancelled() => {
                    question.take_back().await;
                    return Heard::Answer(Answer::TakenBack(TakenBack { is_open: true }));
                }
                () = changed.notified() => {
                    let items = self.items().await;
                    if items.is_empty() || items.iter().any(|other| other.is(item)) {
                        continue;
                    }
                    question.take_back().await;
                    let _ = print("");
                    say("decided or changed elsewhere");
                    return Heard::Gone;
                }
            }
        }
    }

    pub(super) async fn comment(&self, item: &Item) -> Then {
        match self.hear("  because › ".to_owned(), item).await {
            Heard::Line(line) if !line.trim().is_empty() => {
                let comment = Some(line.trim().to_owned());
                Then::Decide(ReviewDecision { comment, ..item.decision(Verdict::Reject) }, 1)
            }
            Heard::Answer(Answer::Reply(PermissionReply::Reject { .. })) | Heard::Line(_) => {
                say("nothing was said, so nothing is decided");
                Then::Again
            }
            Heard::Gone => Then::Again,
            Heard::Answer(answer) => Then::Answer(answer),
        }
    }

    pub(super) async fn edit(&self, item: &Item) -> Then {
        let editor = edit::editor();
        say(&format!("waiting for `{editor}`…"));
        let edited = item.clone();
        self.attention.editing.store(true, Ordering::SeqCst);
        let edited = tokio::task::spawn_blocking(move || edit::edit(&edited, &editor)).await;
        self.attention.editing.store(false, Ordering::SeqCst);
        typed::forget();
        match edited {
            Ok(Edited::Same) => Then::Decide(item.decision(Verdict::Accept), 1),
            Ok(Edited::Text(text)) => {
                Then::Decide(ReviewDecision { text: Some(text), ..item.decision(Verdict::Accept) }, 1)
            }
            Ok(Edited::Not(why)) => {
                say(&why);
                Then::Again
            }
            Err(_) => Then::Again,
        }
    }
}
