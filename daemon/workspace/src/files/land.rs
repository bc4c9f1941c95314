//! What reviews are told of a change: that it is on its way, and what came of it.

use copydesk_text::{Change, Document};

use super::{By, Cause, Files};
use crate::buffers::{ClientId, Planned};
use crate::journal::EntryId;
use crate::reviews::{Hand, Landed};

/// An edit on its way into a buffer. However that ends, the reviews of the document go on afterwards.
pub(super) struct OnItsWay<'a> {
    files: &'a Files,
    client: ClientId,
    planned: Planned,
    is_over: bool,
}

impl Files {
    pub(super) fn on_its_way(&self, client: ClientId, planned: &Planned) -> OnItsWay<'_> {
        self.reviews().hold(client, &planned.name);
        OnItsWay { files: self, client, planned: planned.clone(), is_over: false }
    }

    /// An edit of a file that no editor has open.
    pub(super) fn landed_on_disk(
        &self,
        name: &std::path::Path,
        shown: &str,
        cause: &Cause,
        (before, change, after): (&str, &Change, &str),
    ) {
        let (session, hand) = (cause.session.as_str(), cause.hand());
        let landed = Landed { session, hand, shown, before: before.into(), change };
        self.reviews().landed(name, None, Some(&landed), after.into());
    }
}

impl OnItsWay<'_> {
    /// It is there, or it is known that it is not.
    pub(super) fn over(mut self, shown: &str, applied: bool, cause: &Cause) {
        let Planned { before, change, .. } = &self.planned;
        let (session, hand) = (cause.session.as_str(), cause.hand());
        let landed = Landed { session, hand, shown, before: before.into(), change };
        self.end(applied.then_some(&landed));
        self.is_over = true;
    }

    fn end(&self, landed: Option<&Landed<'_>>) {
        let (reviews, name) = (self.files.reviews(), &self.planned.name);
        let look = |now: &Document| reviews.landed(name, Some(self.client), landed, now.into());
        if !self.files.buffers().with(self.client, name, look) {
            // The buffer is closed: what is there now is seen when somebody looks.
            reviews.let_go(self.client, name);
        }
    }
}

impl Drop for OnItsWay<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.end(None);
        }
    }
}

impl Cause {
    pub(super) fn hand(&self) -> Hand<'_> {
        match self.by {
            By::Agent => Hand::Agent(&self.call),
            By::Decision(review) => Hand::Decision(review),
            By::Written(review, hunk) => Hand::Written(review, hunk),
            By::Undo(_) | By::Person => Hand::Person,
        }
    }

    pub(super) fn undoes(&self) -> Option<EntryId> {
        match self.by {
            By::Undo(entry) => Some(entry),
            By::Agent | By::Person | By::Decision(_) | By::Written(..) => None,
        }
    }
}
