//! Files that the agent created, deleted or renamed: one hunk for the file beside those of its lines.
//!
//! Keeping a created file keeps its lines; keeping some of its lines keeps the file. Rejecting returns what
//! the daemon must do on disk; the daemon reports it done with [`Review::record_file_rejection`]. A created
//! file in which the user has typed is deleted only after the user confirms.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::review_text::ReviewText;
use super::{HunkDecision, HunkDecisionError, HunkFingerprint, HunkId, HunkOutcome, Review};
use crate::{Change, Edit};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WholeFileChange {
    Created,
    Deleted,
    Renamed { from: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeFileHunk {
    pub id: HunkId,
    #[serde(flatten)]
    pub kind: WholeFileChange,
    pub by: Vec<Arc<str>>,
    /// Its rejection is in progress.
    #[serde(skip)]
    pub rejecting: bool,
}

/// What the daemon must do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WholeFileRejection {
    Delete,
    /// Create it with this text.
    Restore(String),
    Rename {
        to: String,
    },
    /// Nothing yet: the user has typed in it. Carries the text for the question.
    NeedsConfirmation(String),
}

impl Review {
    /// A review of a file that a call creates with this text.
    pub fn for_created_file(text: &str, call: &str) -> Self {
        let mut review = Self::new("");
        review.set_file_hunk(WholeFileChange::Created, call);
        let edit = Edit { range: 0..0, text: text.to_owned() };
        // Any text can be written into an empty one.
        let _ = review.record_agent_change(&Change::from_edits(vec![edit]), call);
        review
    }

    /// A call created a file at this path again. If a call had deleted it, its lines change; if the user or
    /// another program had, nothing of it is left.
    pub fn record_recreation(&mut self, text: &str, call: &str) {
        let was_deleted = self.file_hunk.as_ref().is_some_and(|whole| whole.kind == WholeFileChange::Deleted);
        if was_deleted {
            self.end_file_hunk(HunkOutcome::Vanished);
        } else {
            (self.base, self.text) = (ReviewText::default(), ReviewText::default());
            self.end_lines(HunkOutcome::Vanished);
            self.set_file_hunk(WholeFileChange::Created, call);
        }
        let edit = Edit { range: 0..self.text.len(), text: text.to_owned() };
        let _ = self.record_agent_change(&Change::from_edits(vec![edit]), call);
    }

    /// A call deleted the file: the base keeps its content.
    pub fn record_deletion(&mut self, call: &str) {
        let was_created = self.file_hunk.as_ref().is_some_and(|whole| whole.kind == WholeFileChange::Created);
        let edit = Edit { range: 0..self.text.len(), text: String::new() };
        let _ = self.record_agent_change(&Change::from_edits(vec![edit]), call);
        if was_created && self.base.len() == 0 {
            self.end_file_hunk(HunkOutcome::Vanished);
        } else {
            self.set_file_hunk(WholeFileChange::Deleted, call);
        }
    }

    /// A call renamed the file; its review is under the new name. Renaming it back leaves no rename.
    pub fn record_rename(&mut self, from: &str, to: &str, call: &str) {
        match self.file_hunk.as_ref().map(|whole| &whole.kind) {
            Some(WholeFileChange::Created | WholeFileChange::Deleted) => {}
            Some(WholeFileChange::Renamed { from: first }) if first == to => {
                self.end_file_hunk(HunkOutcome::Vanished);
            }
            Some(WholeFileChange::Renamed { from: first }) => {
                self.set_file_hunk(WholeFileChange::Renamed { from: first.clone() }, call);
            }
            None => self.set_file_hunk(WholeFileChange::Renamed { from: from.to_owned() }, call),
        }
    }

    pub fn file_hunk(&self) -> Option<&WholeFileHunk> {
        self.file_hunk.as_ref()
    }

    /// What a decision on the file must expect now.
    pub fn file_fingerprint(&self) -> Option<HunkFingerprint> {
        self.file_hunk.as_ref().map(|whole| self.fingerprint_of(&(&whole.kind, self.text())))
    }

    pub fn keep_file(&mut self, decision: &HunkDecision) -> Result<WholeFileHunk, HunkDecisionError> {
        let whole = self.check_file_decision(decision)?;
        if !matches!(whole.kind, WholeFileChange::Renamed { .. }) {
            self.base = self.text.clone();
            self.end_lines(HunkOutcome::Kept);
        }
        self.end_file_hunk(HunkOutcome::Kept);
        Ok(whole)
    }

    /// `confirmed`: the user confirmed the deletion.
    pub fn reject_file(
        &mut self,
        decision: &HunkDecision,
        confirmed: bool,
    ) -> Result<WholeFileRejection, HunkDecisionError> {
        let whole = self.check_file_decision(decision)?;
        let is_typed_in = self.base.len() > 0 || self.hunks.iter().any(|hunk| hunk.edited);
        let rejection = match whole.kind {
            WholeFileChange::Created if is_typed_in && !confirmed => {
                return Ok(WholeFileRejection::NeedsConfirmation(self.text()));
            }
            WholeFileChange::Created => WholeFileRejection::Delete,
            WholeFileChange::Deleted => WholeFileRejection::Restore(self.base()),
            WholeFileChange::Renamed { from } => WholeFileRejection::Rename { to: from },
        };
        if let Some(whole) = &mut self.file_hunk {
            whole.rejecting = true;
        }
        Ok(rejection)
    }

    /// The daemon carried out the rejection of the file.
    pub fn record_file_rejection(&mut self) {
        let Some(whole) = self.file_hunk.clone() else { return };
        match whole.kind {
            WholeFileChange::Created => {
                (self.base, self.text) = (ReviewText::default(), ReviewText::default());
            }
            WholeFileChange::Deleted => self.text = self.base.clone(),
            WholeFileChange::Renamed { .. } => return self.end_file_hunk(HunkOutcome::Rejected),
        }
        self.end_lines(HunkOutcome::Rejected);
        self.end_file_hunk(HunkOutcome::Rejected);
    }

    /// Ends all line hunks, and drops everything that could restore one.
    fn end_lines(&mut self, end: HunkOutcome) {
        for hunk in std::mem::take(&mut self.hunks) {
            self.record_outcome(hunk.id, end);
        }
        self.undone_hunks.clear();
        self.snapshots.clear();
    }

    /// Typing in a deleted file brings it back.
    pub(super) fn revive_typed_file(&mut self) {
        let is_deleted = self.file_hunk.as_ref().is_some_and(|whole| whole.kind == WholeFileChange::Deleted);
        if is_deleted && self.text.len() > 0 {
            self.end_file_hunk(HunkOutcome::Vanished);
        }
    }

    /// Keeping lines of a created file keeps the file.
    pub(super) fn keep_file_with_lines(&mut self) {
        if self.file_hunk.as_ref().is_some_and(|whole| whole.kind == WholeFileChange::Created) {
            self.end_file_hunk(HunkOutcome::Kept);
        }
    }

    fn check_file_decision(&self, decision: &HunkDecision) -> Result<WholeFileHunk, HunkDecisionError> {
        let hunk = decision.hunk;
        let Some(whole) = self.file_hunk.clone().filter(|whole| whole.id == hunk) else {
            return Err(self.gone_error(hunk));
        };
        if whole.rejecting {
            return Err(HunkDecisionError::InProgress { hunk });
        }
        if self.file_fingerprint().as_ref() != Some(&decision.expected) {
            return Err(HunkDecisionError::Changed { hunk, old: self.base(), new: self.text() });
        }
        Ok(whole)
    }

    /// Sets the file's hunk, keeping its id.
    fn set_file_hunk(&mut self, kind: WholeFileChange, call: &str) {
        let (id, mut by) = match self.file_hunk.take() {
            Some(whole) => (whole.id, whole.by),
            None => (self.allocate_id(), Vec::new()),
        };
        if by.iter().all(|known| **known != *call) {
            by.push(call.into());
        }
        self.file_hunk = Some(WholeFileHunk { id, kind, by, rejecting: false });
    }

    fn end_file_hunk(&mut self, end: HunkOutcome) {
        if let Some(whole) = self.file_hunk.take() {
            self.record_outcome(whole.id, end);
        }
    }
}
