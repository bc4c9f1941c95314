//! Decisions: each names a hunk and the fingerprint that the screen showed, and succeeds or fails by itself.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cluster::{EditWindow, HunkAuthor};
use super::compose::count;
use super::{HunkDecisionError, HunkFingerprint, HunkId, HunkOutcome, Review, WholeFileChange};
use crate::change::edits_between;
use crate::{Change, Edit};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkDecision {
    pub hunk: HunkId,
    /// The fingerprint on the screen: a hunk that changed since is not decided.
    pub expected: HunkFingerprint,
    /// Only these lines; the rest of the hunk stays undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineSelection>,
}

/// Lines of a hunk, counted from its first: deleted old lines and inserted new lines.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LineSelection {
    #[serde(default)]
    pub old: Vec<usize>,
    #[serde(default)]
    pub new: Vec<usize>,
}

/// A hunk as it was when it was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedHunk {
    pub id: HunkId,
    pub calls: Vec<Arc<str>>,
    /// The user had typed in it.
    pub edited: bool,
    pub old: String,
    pub new: String,
    pub lines: Option<LineSelection>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeptHunks {
    pub decided: Vec<DecidedHunk>,
    pub errors: Vec<HunkDecisionError>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HunkRejection {
    /// The caller applies it through the buffer, then calls [`Review::record_rejection`], or
    /// [`Review::unmark_deciding`] if it failed.
    pub change: Change,
    pub decided: Vec<DecidedHunk>,
    pub errors: Vec<HunkDecisionError>,
}

impl Review {
    /// Copies the hunks' text lines into the base.
    pub fn keep(&mut self, decisions: &[HunkDecision]) -> KeptHunks {
        let (chosen, refused) = self.valid_decisions(decisions);
        let mut touches = Vec::with_capacity(chosen.len());
        let mut settled = Vec::with_capacity(chosen.len());
        for (index, hunk) in chosen {
            let Some(place) = self.hunks.get(index) else { continue };
            let lines = hunk.lines.as_ref().map(|lines| lines.base_after_keep(&hunk.old, &hunk.new));
            let edit = Edit { range: place.base.clone(), text: lines.unwrap_or_else(|| hunk.new.clone()) };
            touches.push(EditWindow { window: place.text.clone(), text: Vec::new(), base: vec![edit] });
            settled.push(hunk);
        }
        if !settled.is_empty() {
            self.apply_edit_windows(touches, HunkAuthor::Decision(HunkOutcome::Kept));
            self.keep_file_with_lines();
        }
        KeptHunks { decided: settled, errors: refused }
    }

    /// Returns the change that restores the base lines in the text.
    pub fn reject(&mut self, decisions: &[HunkDecision]) -> HunkRejection {
        let (chosen, refused) = self.valid_decisions(decisions);
        let mut changes = Vec::new();
        let mut settled = Vec::with_capacity(chosen.len());
        for (index, decided) in chosen {
            let Some(hunk) = self.hunks.get_mut(index) else { continue };
            hunk.rejecting = true;
            let lines =
                decided.lines.as_ref().map(|lines| lines.text_after_reject(&decided.old, &decided.new));
            let wanted = lines.as_ref().unwrap_or(&decided.old);
            changes.extend(edits_between(&decided.new, wanted, hunk.text.start, |line| line));
            settled.push(decided);
        }
        HunkRejection { change: Change::from_edits(changes), decided: settled, errors: refused }
    }

    /// The hunk that a decision is about, if the decision is valid.
    pub fn check_decision(&self, decision: &HunkDecision) -> Result<DecidedHunk, HunkDecisionError> {
        let at = self.hunks.iter().position(|hunk| hunk.id == decision.hunk);
        self.resolve_decision(at, decision).map(|(_, settled)| settled)
    }

    /// Decisions for all hunks as they are now.
    pub fn all_decisions(&self) -> Vec<HunkDecision> {
        self.hunks.iter().filter(|hunk| !hunk.rejecting).map(|hunk| self.decision_for(hunk)).collect()
    }

    /// A decision for a hunk as it is now.
    pub fn decision_for(&self, hunk: &super::Hunk) -> HunkDecision {
        HunkDecision { hunk: hunk.id, expected: self.hunk_fingerprint(hunk), lines: None }
    }

    /// The valid decisions in text order, each with its hunk's index.
    fn valid_decisions(
        &self,
        decisions: &[HunkDecision],
    ) -> (Vec<(usize, DecidedHunk)>, Vec<HunkDecisionError>) {
        let index: HashMap<_, _> = self.hunks.iter().enumerate().map(|(at, hunk)| (hunk.id, at)).collect();
        let mut chosen: HashMap<usize, DecidedHunk> = HashMap::new();
        let mut refused = Vec::new();
        for decision in decisions {
            let at = index.get(&decision.hunk).copied();
            match self.resolve_decision(at, decision) {
                Ok((at, _)) if chosen.contains_key(&at) => {
                    refused.push(HunkDecisionError::InProgress { hunk: decision.hunk });
                }
                Ok((at, settled)) => {
                    chosen.insert(at, settled);
                }
                Err(reason) => refused.push(reason),
            }
        }
        let mut chosen: Vec<_> = chosen.into_iter().collect();
        chosen.sort_by_key(|(at, _)| *at);
        (chosen, refused)
    }

    fn resolve_decision(
        &self,
        at: Option<usize>,
        decision: &HunkDecision,
    ) -> Result<(usize, DecidedHunk), HunkDecisionError> {
        let id = decision.hunk;
        if self.file_hunk.as_ref().is_some_and(|whole| whole.id == id) {
            return Err(HunkDecisionError::IsWholeFile { hunk: id });
        }
        let Some((at, hunk)) = at.and_then(|at| Some((at, self.hunks.get(at)?))) else {
            return Err(self.gone_error(id));
        };
        if self.file_hunk.as_ref().is_some_and(|whole| whole.kind == WholeFileChange::Deleted) {
            return Err(HunkDecisionError::FileDeleted { hunk: id });
        }
        if hunk.rejecting {
            return Err(HunkDecisionError::InProgress { hunk: id });
        }
        let (old, new) = (self.old_text(hunk), self.new_text(hunk));
        if self.hunk_fingerprint(hunk) != decision.expected {
            return Err(HunkDecisionError::Changed { hunk: id, old, new });
        }
        let lines = decision.lines.clone();
        if lines.as_ref().is_some_and(|lines| !lines.fits_hunk(&old, &new)) {
            return Err(HunkDecisionError::InvalidLines { hunk: id, old: count(&old), new: count(&new) });
        }
        Ok((at, DecidedHunk { id, calls: hunk.calls.clone(), edited: hunk.edited, old, new, lines }))
    }

    pub(super) fn gone_error(&self, hunk: HunkId) -> HunkDecisionError {
        let end = self.outcomes.iter().rev().find(|(id, _)| *id == hunk).map(|(_, end)| *end);
        HunkDecisionError::Gone { hunk, end }
    }
}
