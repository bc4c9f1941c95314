//! What a review was before each of the agent's last edits, so that the editor's undo and redo lead back to it exactly:
//! among lines that were there before, the lines alone do not tell whose they are.

use std::collections::HashSet;

use super::body::Body;
use super::{End, Hunk, Review};
use crate::Edit;

/// So many are remembered, and none with more hunks.
const COUNT: usize = 32;
const HUNKS: usize = 5000;

#[derive(Debug, Clone)]
pub(super) struct State {
    base: Body,
    pub(super) text: Body,
    hunks: Vec<Hunk>,
}

impl Review {
    pub(super) fn remember(&mut self) {
        if self.hunks.len() > HUNKS {
            return;
        }
        if self.states.len() == COUNT {
            self.states.pop_front();
        }
        let (base, text) = (self.base.clone(), self.text.clone());
        self.states.push_back(State { base, text, hunks: self.hunks.clone() });
    }

    /// Whether there is something to be led back to.
    pub fn has_been(&self) -> bool {
        !self.states.is_empty()
    }

    /// Whether a person's edits make the text what it was, over the same base: then the hunks are what they were.
    pub(super) fn returned(&mut self, edits: &[Edit]) -> bool {
        let mut text = self.text.clone();
        text.edit(edits);
        let is_it = |state: &State| state.text.is(&text) && state.base.is(&self.base);
        let Some(hunks) =
            self.states.iter().rev().find(|state| is_it(state)).map(|state| state.hunks.clone())
        else {
            return false;
        };
        self.remember();
        self.text = text;
        let before = std::mem::replace(&mut self.hunks, hunks);
        for hunk in &mut self.hunks {
            hunk.rejecting = false;
        }
        let living: HashSet<_> = self.hunks.iter().map(|hunk| hunk.id).collect();
        for hunk in before {
            if !living.contains(&hunk.id) {
                self.end(hunk.id, if hunk.rejecting { End::Rejected } else { End::Vanished });
            }
        }
        true
    }
}
