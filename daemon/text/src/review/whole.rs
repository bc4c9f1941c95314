//! Files that the agent created, deleted or renamed: a hunk of its own beside those of the lines.
//!
//! Keeping a created file keeps its lines; keeping some of its lines keeps the file. What rejecting means is given to the
//! desk, which does it on the disk and tells with [`Review::whole_rejected`]. A created file that a person has typed in
//! is not deleted before they said so.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::body::Body;
use super::{Decision, End, HunkId, Print, Refused, Review};
use crate::{Change, Edit};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Whole {
    Created,
    Deleted,
    Renamed { from: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeHunk {
    pub id: HunkId,
    #[serde(flatten)]
    pub kind: Whole,
    pub by: Vec<Arc<str>>,
    /// Its rejection is on the way.
    #[serde(skip)]
    pub rejecting: bool,
}

/// What the desk is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WholeRejection {
    /// Delete the file.
    Delete,
    /// Create it with this text.
    Restore(String),
    Rename {
        to: String,
    },
    /// Nothing yet: a person has typed in it. The text, for the question.
    NeedsConfirmation(String),
}

impl Review {
    /// Of a file that a call creates, with the text that it writes.
    pub fn created(text: &str, call: &str) -> Self {
        let mut review = Self::new("");
        review.whole(Whole::Created, call);
        let edit = Edit { range: 0..0, text: text.to_owned() };
        // Any text can be written into an empty one.
        let _ = review.agent(&Change::of(vec![edit]), call);
        review
    }

    /// A call created the file under whose name this one was. Where a call had deleted it, its lines have become others;
    /// where somebody else had, nothing is left of it.
    pub fn created_again(&mut self, text: &str, call: &str) {
        let was_deleted = self.whole.as_ref().is_some_and(|whole| whole.kind == Whole::Deleted);
        if was_deleted {
            self.end_whole(End::Vanished);
        } else {
            (self.base, self.text) = (Body::default(), Body::default());
            self.end_lines(End::Vanished);
            self.whole(Whole::Created, call);
        }
        let edit = Edit { range: 0..self.text.len(), text: text.to_owned() };
        let _ = self.agent(&Change::of(vec![edit]), call);
    }

    /// A call deleted the file: what it held is in the base.
    pub fn deleted(&mut self, call: &str) {
        let was_created = self.whole.as_ref().is_some_and(|whole| whole.kind == Whole::Created);
        let edit = Edit { range: 0..self.text.len(), text: String::new() };
        let _ = self.agent(&Change::of(vec![edit]), call);
        if was_created && self.base.len() == 0 {
            self.end_whole(End::Vanished);
        } else {
            self.whole(Whole::Deleted, call);
        }
    }

    /// A call renamed the file, which has its review under the new name. Back to where it was is no renaming.
    pub fn renamed(&mut self, from: &str, to: &str, call: &str) {
        match self.whole.as_ref().map(|whole| &whole.kind) {
            Some(Whole::Created | Whole::Deleted) => {}
            Some(Whole::Renamed { from: first }) if first == to => self.end_whole(End::Vanished),
            Some(Whole::Renamed { from: first }) => self.whole(Whole::Renamed { from: first.clone() }, call),
            None => self.whole(Whole::Renamed { from: from.to_owned() }, call),
        }
    }

    pub fn whole_hunk(&self) -> Option<&WholeHunk> {
        self.whole.as_ref()
    }

    /// What is expected by a decision on the file as it is now.
    pub fn whole_print(&self) -> Option<Print> {
        self.whole.as_ref().map(|whole| self.printed(&(&whole.kind, self.text())))
    }

    pub fn keep_whole(&mut self, decision: &Decision) -> Result<WholeHunk, Refused> {
        let whole = self.expected_whole(decision)?;
        if !matches!(whole.kind, Whole::Renamed { .. }) {
            self.base = self.text.clone();
            self.end_lines(End::Kept);
        }
        self.end_whole(End::Kept);
        Ok(whole)
    }

    /// `confirmed`: the person was asked and said so.
    pub fn reject_whole(&mut self, decision: &Decision, confirmed: bool) -> Result<WholeRejection, Refused> {
        let whole = self.expected_whole(decision)?;
        let is_typed_in = self.base.len() > 0 || self.hunks.iter().any(|hunk| hunk.edited);
        let rejection = match whole.kind {
            Whole::Created if is_typed_in && !confirmed => {
                return Ok(WholeRejection::NeedsConfirmation(self.text()));
            }
            Whole::Created => WholeRejection::Delete,
            Whole::Deleted => WholeRejection::Restore(self.base()),
            Whole::Renamed { from } => WholeRejection::Rename { to: from },
        };
        if let Some(whole) = &mut self.whole {
            whole.rejecting = true;
        }
        Ok(rejection)
    }

    /// The desk did what rejecting the file means.
    pub fn whole_rejected(&mut self) {
        let Some(whole) = self.whole.clone() else { return };
        match whole.kind {
            Whole::Created => (self.base, self.text) = (Body::default(), Body::default()),
            Whole::Deleted => self.text = self.base.clone(),
            Whole::Renamed { .. } => return self.end_whole(End::Rejected),
        }
        self.end_lines(End::Rejected);
        self.end_whole(End::Rejected);
    }

    /// No line is to be decided any more, and nothing leads back to one.
    fn end_lines(&mut self, end: End) {
        for hunk in std::mem::take(&mut self.hunks) {
            self.end(hunk.id, end);
        }
        self.undone.clear();
        self.states.clear();
    }

    /// Who types in a file that was deleted has it again.
    pub(super) fn typed_in_whole(&mut self) {
        let is_deleted = self.whole.as_ref().is_some_and(|whole| whole.kind == Whole::Deleted);
        if is_deleted && self.text.len() > 0 {
            self.end_whole(End::Vanished);
        }
    }

    /// A file of which lines are kept is kept.
    pub(super) fn kept_in_whole(&mut self) {
        if self.whole.as_ref().is_some_and(|whole| whole.kind == Whole::Created) {
            self.end_whole(End::Kept);
        }
    }

    fn expected_whole(&self, decision: &Decision) -> Result<WholeHunk, Refused> {
        let hunk = decision.hunk;
        let Some(whole) = self.whole.clone().filter(|whole| whole.id == hunk) else {
            return Err(self.gone(hunk));
        };
        if whole.rejecting {
            return Err(Refused::Twice { hunk });
        }
        if self.whole_print().as_ref() != Some(&decision.expected) {
            return Err(Refused::Changed { hunk, old: self.base(), new: self.text() });
        }
        Ok(whole)
    }

    /// The hunk of the file becomes this; it keeps its id.
    fn whole(&mut self, kind: Whole, call: &str) {
        let (id, mut by) = match self.whole.take() {
            Some(whole) => (whole.id, whole.by),
            None => (self.fresh(), Vec::new()),
        };
        if by.iter().all(|known| **known != *call) {
            by.push(call.into());
        }
        self.whole = Some(WholeHunk { id, kind, by, rejecting: false });
    }

    fn end_whole(&mut self, end: End) {
        if let Some(whole) = self.whole.take() {
            self.end(whole.id, end);
        }
    }
}
