//! Tells the echo of our own edit from the user's typing.
//!
//! An edit is for one version of a text. The first text that the client reports after that version shows
//! whether it contains the edit: a client that had moved on does not make it; a client that made it reports
//! it first. A client may put the edit and the user's typing into one message.
//!
//! If the client's yes is no proof (Neovim), the changes in its messages are: it makes our hunks one by one,
//! the last one first, and reports each as a separate change. The first reported change is our last hunk, or
//! the client has not made the edit.

use copydesk_text::{Change, Document, distance, rebase};
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EchoState {
    Waiting,
    Applied,
    /// The client reported another text, without the edit.
    NotApplied,
}

/// An edit on its way to a client.
#[derive(Debug)]
pub(super) struct ExpectedEcho {
    before: Document,
    change: Change,
    after: Document,
    /// The text with only the last hunk made, if each change is checked.
    with_last_hunk: Option<Document>,
    begun: bool,
    /// How many changes arrived since then.
    pieces: usize,
    state: watch::Sender<EchoState>,
}

impl ExpectedEcho {
    pub(super) fn new(
        before: Document,
        change: Change,
        after: Document,
        with_last_hunk: Option<Document>,
    ) -> (Self, watch::Receiver<EchoState>) {
        let (state, seen) = watch::channel(EchoState::Waiting);
        (Self { before, change, after, with_last_hunk, begun: false, pieces: 0, state }, seen)
    }

    /// Whether a plan still waits for the echo.
    pub(super) fn is_awaited(&self) -> bool {
        !self.state.is_closed() && *self.state.borrow() != EchoState::Applied
    }

    /// Checks the text after one change of a message. A change of the whole text does not show how it came
    /// about.
    pub(super) fn observe_change(&mut self, now: &Document, is_whole: bool) {
        if is_whole {
            self.with_last_hunk = None;
        }
        let Some(with_last_hunk) =
            self.with_last_hunk.as_ref().filter(|_| *self.state.borrow() == EchoState::Waiting)
        else {
            return;
        };
        self.begun = self.begun || is_but_for_the_end(now, with_last_hunk);
        self.pieces += 1;
        if !self.begun {
            self.state.send_replace(EchoState::NotApplied);
        } else if *now == self.after {
            self.state.send_replace(EchoState::Applied);
        } else if self.pieces > self.change.edits().len() + 1 {
            // All hunks and the correction of the last line ending have arrived. The rest is the user's
            // typing, and hides the text that would have been the proof.
            let state = if self.contains_edit(now) { EchoState::Applied } else { EchoState::NotApplied };
            self.state.send_replace(state);
        }
    }

    /// Checks the text after a whole message.
    pub(super) fn observe_text(&self, now: &Document) {
        if self.with_last_hunk.is_some() {
            return;
        }
        let state = if self.contains_edit(now) { EchoState::Applied } else { EchoState::NotApplied };
        self.state.send_replace(state);
    }

    fn contains_edit(&self, now: &Document) -> bool {
        if *now == self.after {
            return true;
        }
        if *now == self.before {
            return false;
        }
        // The user typed as well, after the edit or instead of it. If assuming the edit leaves the smaller
        // difference, it was made.
        let (before, now) = (self.before.text(), now.text());
        let with = distance(&self.after.text(), &now);
        let without = distance(&before, &now);
        let is_done = || rebase(&before, &self.change, &now).is_ok_and(|rest| rest.is_empty());
        with < without || with == without && is_done()
    }
}

/// Neovim may make an edit at the end with an extra empty line, which it removes again.
fn is_but_for_the_end(now: &Document, text: &Document) -> bool {
    const END: [char; 2] = ['\n', '\r'];
    *now == *text
        || now.len().abs_diff(text.len()) <= 2
            && now.text().trim_end_matches(END) == text.text().trim_end_matches(END)
}
