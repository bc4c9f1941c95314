//! Telling our own edit from a person's typing.
//!
//! An edit was made for one version of a text. The first text that the client tells after that version shows whether the
//! edit is in it: a client that had moved on does not make it, one that made it tells of it first. A client may have put the
//! edit and a person's typing together into one message, before it tells anything.

use copydesk_text::{Change, Document, distance, rebase};
use tokio::sync::watch;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Waiting,
    Applied,
    /// The client told of another text, without the edit.
    Passed,
}

/// An edit on its way to a client.
#[derive(Debug)]
pub(super) struct Expected {
    before: Document,
    change: Change,
    after: Document,
    verdict: watch::Sender<Verdict>,
}

impl Expected {
    pub(super) fn new(before: Document, change: Change, after: Document) -> (Self, watch::Receiver<Verdict>) {
        let (verdict, seen) = watch::channel(Verdict::Waiting);
        (Self { before, change, after, verdict }, seen)
    }

    /// Whether anybody still wants to know.
    pub(super) fn is_awaited(&self) -> bool {
        !self.verdict.is_closed() && *self.verdict.borrow() != Verdict::Applied
    }

    pub(super) fn judge(&self, now: &Document) {
        let verdict = if self.is_in(now) { Verdict::Applied } else { Verdict::Passed };
        self.verdict.send_replace(verdict);
    }

    fn is_in(&self, now: &Document) -> bool {
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
