//! Taking back what was done of a change that could not be made as a whole.

use copydesk_text::FileText;

use super::change::ATTEMPTS;
use super::{Cause, Expect, Files, Place};
use crate::buffers::{Attempt, Buffers, ClientId, Planned, Wanted};
use crate::journal::{EntryId, Form};
use crate::reviews::Hand;

/// What has been done, in case it must be taken back.
#[derive(Default)]
pub(super) struct Done {
    pub(super) group: Option<EntryId>,
    pub(super) buffers: Vec<(ClientId, Planned)>,
    pub(super) files: Vec<DoneFile>,
}

/// A file on the disk that was changed: what was there, with its mode, and what is.
pub(super) struct DoneFile {
    pub(super) place: Place,
    pub(super) before: Option<FileText>,
    pub(super) mode: Option<u32>,
    pub(super) after: Option<FileText>,
}

impl Files {
    /// What reviews were told of was taken back: nothing of it is to be decided.
    fn tell_taken_back(&self, file: &DoneFile, cause: &Cause) {
        let (name, shown) = (file.place.real(), file.place.shown.as_str());
        let (session, reviews) = (cause.session.as_str(), self.reviews());
        match (&file.before, &file.after) {
            (Some(before), Some(_)) => reviews.seen(session, name, None, before.text().into()),
            (Some(before), None) => {
                reviews.created(name, shown, session, Hand::Person, before.text());
            }
            (None, Some(after)) => {
                let form = Form { mode: file.mode, bom: after.bom() };
                reviews.removed(name, shown, session, Hand::Person, (after.text(), form));
            }
            (None, None) => {}
        }
    }

    /// Undoes what was done of a change that could not be made as a whole; what could not be undone is named.
    pub(super) async fn take_back(&self, done: Done, cause: &Cause) -> Result<(), String> {
        let mut left = Vec::new();
        for file in done.files.into_iter().rev() {
            let DoneFile { place, before, mode, after } = &file;
            let restored = match (before, after) {
                (Some(before), Some(after)) => {
                    self.write(place, before.clone(), Expect::Unchanged(after.clone()), None).await
                }
                (Some(before), None) => self.write(place, before.clone(), Expect::New, *mode).await,
                (None, Some(after)) => self.remove(place, after.clone()).await,
                (None, None) => Ok(()),
            };
            match restored {
                Ok(()) => self.tell_taken_back(&file, cause),
                Err(_) => left.push(place.shown.clone()),
            }
        }
        for (client, planned) in done.buffers.into_iter().rev() {
            if !restore(self.buffers(), client, &planned, &cause.label).await {
                left.push(planned.name.display().to_string());
            }
        }
        if left.is_empty() { Ok(()) } else { Err(left.join(", ")) }
    }
}

async fn restore(buffers: &Buffers, client: ClientId, planned: &Planned, label: &str) -> bool {
    let Ok(change) = planned.change.inverse(&planned.before.text()) else { return false };
    let wanted = [Wanted { name: planned.name.clone(), base: planned.after.text(), change }];
    for _ in 0..ATTEMPTS {
        let Ok(mut plan) = buffers.plan(client, &wanted) else { return false };
        match plan.carry_out(label).await {
            Ok(Attempt::Applied) => return true,
            Ok(Attempt::Moved) => {}
            Err(_) => return false,
        }
    }
    false
}
