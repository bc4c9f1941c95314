//! Deciding: each decision names a hunk and what a screen showed of it, and stands or falls by itself.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cluster::{Hand, Touch};
use super::compose::count;
use super::{End, HunkId, Print, Refused, Review, Whole};
use crate::change::edits;
use crate::{Change, Edit};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    pub hunk: HunkId,
    /// As the screen has it: a hunk that changed since is not decided.
    pub expected: Print,
    /// Only these lines; the rest of the hunk stays undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Selection>,
}

/// Lines of a hunk, counted from its first one: old lines that go and new lines that come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Selection {
    #[serde(default)]
    pub old: Vec<usize>,
    #[serde(default)]
    pub new: Vec<usize>,
}

/// A hunk as it was when it was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    pub id: HunkId,
    pub by: Vec<Arc<str>>,
    /// A person had typed in it.
    pub edited: bool,
    pub old: String,
    pub new: String,
    pub lines: Option<Selection>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kept {
    pub settled: Vec<Settled>,
    pub refused: Vec<Refused>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rejection {
    /// To be made through the buffer. Then it is told by [`Review::rejected`], or [`Review::release`] if it failed.
    pub change: Change,
    pub settled: Vec<Settled>,
    pub refused: Vec<Refused>,
}

impl Review {
    /// The base takes the lines of the text.
    pub fn keep(&mut self, decisions: &[Decision]) -> Kept {
        let (chosen, refused) = self.chosen(decisions);
        let mut touches = Vec::with_capacity(chosen.len());
        let mut settled = Vec::with_capacity(chosen.len());
        for (index, hunk) in chosen {
            let Some(place) = self.hunks.get(index) else { continue };
            let lines = hunk.lines.as_ref().map(|lines| lines.kept(&hunk.old, &hunk.new));
            let edit = Edit { range: place.base.clone(), text: lines.unwrap_or_else(|| hunk.new.clone()) };
            touches.push(Touch { window: place.text.clone(), text: Vec::new(), base: vec![edit] });
            settled.push(hunk);
        }
        if !settled.is_empty() {
            self.work(touches, Hand::Desk(End::Kept));
            self.kept_in_whole();
        }
        Kept { settled, refused }
    }

    /// What brings the lines of the base back into the text.
    pub fn reject(&mut self, decisions: &[Decision]) -> Rejection {
        let (chosen, refused) = self.chosen(decisions);
        let mut changes = Vec::new();
        let mut settled = Vec::with_capacity(chosen.len());
        for (index, decided) in chosen {
            let Some(hunk) = self.hunks.get_mut(index) else { continue };
            hunk.rejecting = true;
            let lines = decided.lines.as_ref().map(|lines| lines.rejected(&decided.old, &decided.new));
            let wanted = lines.as_ref().unwrap_or(&decided.old);
            changes.extend(edits(&decided.new, wanted, hunk.text.start, |line| line));
            settled.push(decided);
        }
        Rejection { change: Change::of(changes), settled, refused }
    }

    /// What a decision is about, if it stands.
    pub fn expected(&self, decision: &Decision) -> Result<Settled, Refused> {
        let at = self.hunks.iter().position(|hunk| hunk.id == decision.hunk);
        self.settle(at, decision).map(|(_, settled)| settled)
    }

    /// Decisions for all hunks as they are now.
    pub fn all(&self) -> Vec<Decision> {
        self.hunks.iter().filter(|hunk| !hunk.rejecting).map(|hunk| self.decision(hunk)).collect()
    }

    /// One for a hunk as it is now.
    pub fn decision(&self, hunk: &super::Hunk) -> Decision {
        Decision { hunk: hunk.id, expected: self.print(hunk), lines: None }
    }

    /// The decisions that stand, in the order of the text, with the place of each hunk in the list.
    fn chosen(&self, decisions: &[Decision]) -> (Vec<(usize, Settled)>, Vec<Refused>) {
        let index: HashMap<_, _> = self.hunks.iter().enumerate().map(|(at, hunk)| (hunk.id, at)).collect();
        let mut chosen: HashMap<usize, Settled> = HashMap::new();
        let mut refused = Vec::new();
        for decision in decisions {
            let at = index.get(&decision.hunk).copied();
            match self.settle(at, decision) {
                Ok((at, _)) if chosen.contains_key(&at) => {
                    refused.push(Refused::Twice { hunk: decision.hunk });
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

    fn settle(&self, at: Option<usize>, decision: &Decision) -> Result<(usize, Settled), Refused> {
        let id = decision.hunk;
        if self.whole.as_ref().is_some_and(|whole| whole.id == id) {
            return Err(Refused::Whole { hunk: id });
        }
        let Some((at, hunk)) = at.and_then(|at| Some((at, self.hunks.get(at)?))) else {
            return Err(self.gone(id));
        };
        if self.whole.as_ref().is_some_and(|whole| whole.kind == Whole::Deleted) {
            return Err(Refused::Deleted { hunk: id });
        }
        if hunk.rejecting {
            return Err(Refused::Twice { hunk: id });
        }
        let (old, new) = (self.old(hunk), self.new_text(hunk));
        if self.print(hunk) != decision.expected {
            return Err(Refused::Changed { hunk: id, old, new });
        }
        let lines = decision.lines.clone();
        if lines.as_ref().is_some_and(|lines| !lines.is_of(&old, &new)) {
            return Err(Refused::Lines { hunk: id, old: count(&old), new: count(&new) });
        }
        Ok((at, Settled { id, by: hunk.by.clone(), edited: hunk.edited, old, new, lines }))
    }

    pub(super) fn gone(&self, hunk: HunkId) -> Refused {
        let end = self.ended.iter().rev().find(|(id, _)| *id == hunk).map(|(_, end)| *end);
        Refused::Gone { hunk, end }
    }
}
