//! Telling our own edit from a person's typing.
//!
//! An edit was made for one version of a text. The first text that the client tells after that version shows whether the
//! edit is in it: a client that had moved on does not make it, one that made it tells of it first. A client may have put the
//! edit and a person's typing together into one message, before it tells anything.
//!
//! Where the client's word is no proof (Neovim), the pieces of its messages are: it makes our hunks one by one, the last one
//! first, and tells each as a piece of its own. The first piece that it tells is our last hunk, or it has not made the edit.

use copydesk_text::{Change, Document, distance, rebase};
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EchoState {
    Waiting,
    Applied,
    /// The client told of another text, without the edit.
    NotApplied,
}

/// An edit on its way to a client.
#[derive(Debug)]
pub(super) struct ExpectedEcho {
    before: Document,
    change: Change,
    after: Document,
    /// The text when the last hunk is made and the others are not, where each piece is looked at.
    first: Option<Document>,
    begun: bool,
    /// How many pieces were told since it has begun.
    pieces: usize,
    verdict: watch::Sender<EchoState>,
}

impl ExpectedEcho {
    pub(super) fn new(
        before: Document,
        change: Change,
        after: Document,
        first: Option<Document>,
    ) -> (Self, watch::Receiver<EchoState>) {
        let (verdict, seen) = watch::channel(EchoState::Waiting);
        (Self { before, change, after, first, begun: false, pieces: 0, verdict }, seen)
    }

    /// Whether anybody still wants to know.
    pub(super) fn is_awaited(&self) -> bool {
        !self.verdict.is_closed() && *self.verdict.borrow() != EchoState::Applied
    }

    /// The text after one piece of a message. One that is the whole text tells nothing of how it came about.
    pub(super) fn observe_change(&mut self, now: &Document, is_whole: bool) {
        if is_whole {
            self.first = None;
        }
        let Some(first) = self.first.as_ref().filter(|_| *self.verdict.borrow() == EchoState::Waiting) else {
            return;
        };
        self.begun = self.begun || is_but_for_the_end(now, first);
        self.pieces += 1;
        if !self.begun {
            self.verdict.send_replace(EchoState::NotApplied);
        } else if *now == self.after {
            self.verdict.send_replace(EchoState::Applied);
        } else if self.pieces > self.change.edits().len() + 1 {
            // All hunks are told, and the end that may be put right: the rest is a person's, and hides the text that would
            // have been the proof.
            let verdict = if self.contains_edit(now) { EchoState::Applied } else { EchoState::NotApplied };
            self.verdict.send_replace(verdict);
        }
    }

    /// The text after a whole message.
    pub(super) fn observe_text(&self, now: &Document) {
        if self.first.is_some() {
            return;
        }
        let verdict = if self.contains_edit(now) { EchoState::Applied } else { EchoState::NotApplied };
        self.verdict.send_replace(verdict);
    }

    fn contains_edit(&self, now: &Document) -> bool {
        if *now == self.after {
            return true;
        }
        if *now == self.before {
            return false;
        }
        // A person typed as well: behind the edit, or instead of it. Where the edit is in the text, taking it for granted
        // leaves less to explain.
        let (before, now) = (self.before.text(), now.text());
        let with = distance(&self.after.text(), &now);
        let without = distance(&before, &now);
        let is_done = || rebase(&before, &self.change, &now).is_ok_and(|rest| rest.is_empty());
        with < without || with == without && is_done()
    }
}

/// Neovim may make an edit at the end with an empty line too many, which it takes away again.
fn is_but_for_the_end(now: &Document, text: &Document) -> bool {
    const END: [char; 2] = ['\n', '\r'];
    *now == *text
        || now.len().abs_diff(text.len()) <= 2
            && now.text().trim_end_matches(END) == text.text().trim_end_matches(END)
}
