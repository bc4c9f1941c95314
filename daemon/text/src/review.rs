//! What of the agent's edits to a document a person has not decided yet: for one session and one document an accepted
//! base, the live text, and the hunks between them.
//!
//! The agent's edits change the text and leave the base. A person's edits outside of hunks change both; within a hunk
//! they become part of it. Keeping a hunk patches the base. Rejecting gives a change of the text, which the desk makes
//! through the buffer and tells with [`Review::rejected`]: until then nothing has happened, and if the buffer refuses,
//! nothing is lost. After each edit only the lines around it are compared anew, so that a keystroke costs the same in a
//! long text.
//!
//! What a person types at and across the border of a hunk:
//! - Whole lines inserted at the border are outside, unless the hunk had taken those very lines away: then it is smaller.
//! - An edit across the border is made in both texts as far as it is outside, and all that it types goes into the base:
//!   rejecting the hunk never takes it along. A line of the base that would run into the hunk's keeps its break.
//! - The editor's undo and redo of the agent's edits come as a person's. An edit that leads back to a text the review has
//!   been at over the same base leads back to its hunks; one that makes lines what the base has takes their hunk away,
//!   and typing those lines again brings it back with its id. After a restart only what is visible in the lines is known.
//!
//! Ranges are in bytes and begin and end with lines; a line ends with `\n`, only the last may lack it.
//!
//! Invariant: outside of the hunks base and text are the same to the byte; a hunk's lines of both differ.
//! Invariant: hunks are in the order of the text, and between two of them stands at least one line.
//! Invariant: a hunk keeps its id as long as it overlaps what it was.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Change, Edit, Stale};

mod body;
mod cluster;
mod committed;
mod compare;
mod compose;
mod current;
mod decide;
mod identity;
mod measured;
mod moved;
mod outside;
mod refine;
mod refused;
mod saved;
mod states;
mod undone;
mod view;
mod whole;
mod words;

#[cfg(test)]
mod model;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod speed;
#[cfg(test)]
mod tests;

use body::Body;
use cluster::{Hand, Touch};
pub use current::Current;
pub use decide::{Decision, Kept, Rejection, Selection, Settled};
use measured::Measured;
use moved::Moved;
pub use refused::Refused;
pub use saved::{Broken, Lost, Saved};
use states::State;
use undone::Undone;
pub use view::{HunkView, Words};
pub use whole::{Whole, WholeHunk, WholeRejection};

/// Which hunk of a document's review. Not used again for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HunkId(pub u64);

/// What the lines of a hunk were when a screen showed it. Means something only to the review that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Print(String);

impl Print {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Print {
    fn from(print: String) -> Self {
        Self(print)
    }
}

/// Lines of the base that are others in the text, or on one side none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    pub id: HunkId,
    pub base: Range<usize>,
    pub text: Range<usize>,
    /// The calls that made it.
    pub by: Vec<Arc<str>>,
    /// A person has typed in it.
    pub edited: bool,
    /// Its rejection is on the way through the buffer.
    pub rejecting: bool,
    measured: Measured,
}

/// What became of a hunk that is no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Kept,
    Rejected,
    /// It stands in a commit.
    Committed,
    /// Typed away, undone, or part of another hunk.
    Vanished,
}

/// Of how many hunks that are no more it is known what became of them.
const ENDED: usize = 4096;

#[derive(Debug, Clone)]
pub struct Review {
    base: Body,
    text: Body,
    hunks: Vec<Hunk>,
    undone: Vec<Undone>,
    states: VecDeque<State>,
    ended: VecDeque<(HunkId, End)>,
    whole: Option<WholeHunk>,
    next: u64,
    /// Nobody outside can make two hunks with the same print.
    prints: RandomState,
}

impl Review {
    /// Of a document as it is before the agent's first edit.
    pub fn new(text: &str) -> Self {
        Self::of(text.into())
    }

    /// The same of a text that an editor may have open, with which it is shared then.
    pub fn of(current: Current<'_>) -> Self {
        let text = current.body();
        Self {
            base: text.clone(),
            text,
            hunks: Vec::new(),
            undone: Vec::new(),
            states: VecDeque::new(),
            ended: VecDeque::new(),
            whole: None,
            next: 1,
            prints: RandomState::new(),
        }
    }

    pub fn base(&self) -> String {
        self.base.text()
    }

    pub fn text(&self) -> String {
        self.text.text()
    }

    /// Whether this is the text.
    pub fn is_at(&self, current: Current<'_>) -> bool {
        self.text.holds(current)
    }

    /// Of the text, in bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// What is expected by a decision on everything as it is now.
    pub fn print_all(&self) -> Print {
        let prints: Vec<_> = self.hunks.iter().map(|hunk| self.lines_of(hunk).hash).collect();
        self.printed(&(prints, self.whole_print().map(|print| print.0)))
    }

    /// In the order of the text.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Nothing is left to decide.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty() && self.whole.is_none()
    }

    pub fn hunk(&self, id: HunkId) -> Option<&Hunk> {
        self.hunks.iter().find(|hunk| hunk.id == id)
    }

    /// What the agent did to the text, with the id of its call.
    pub fn agent(&mut self, change: &Change, call: &str) -> Result<(), Stale> {
        self.check(change)?;
        self.remember();
        let touches = self.touches(change.edits());
        self.work(touches, Hand::Agent(call.into()));
        Ok(())
    }

    /// What a person did to the text.
    pub fn person(&mut self, change: &Change) -> Result<(), Stale> {
        self.check(change)?;
        if !self.returned(change.edits()) {
            let step = self.stepped(change.edits()).map(|step| vec![step]);
            let touches = step.unwrap_or_else(|| self.typed(change.edits()));
            self.work(touches, Hand::Person);
        }
        self.typed_in_whole();
        Ok(())
    }

    /// The change of a rejection, as the buffer took it: where it was moved past typing, as it was moved.
    pub fn rejected(&mut self, change: &Change) -> Result<(), Stale> {
        self.check(change)?;
        self.remember();
        let touches = self.touches(change.edits());
        self.work(touches, Hand::Desk(End::Rejected));
        Ok(())
    }

    /// What a person wrote in the place of a hunk, as the buffer took it: with that it is kept, whatever lines of the
    /// base are in it.
    pub fn written(&mut self, hunk: HunkId, change: &Change) -> Result<(), Stale> {
        let place = self.hunk(hunk).map(|hunk| Moved::by(change.edits()).range(&hunk.text));
        self.release(&[hunk]);
        self.person(change)?;
        if let Some(place) = place {
            let is_in = |hunk: &&Hunk| place.start <= hunk.text.start && hunk.text.end <= place.end;
            let written: Vec<_> = self.hunks.iter().filter(is_in).map(|hunk| self.decision(hunk)).collect();
            self.keep(&written);
        }
        Ok(())
    }

    /// What is left of decided hunks may be the end of the last line, which some editors do not give up: then that is as
    /// it should be.
    pub fn settle_end(&mut self, decided: &[HunkId]) {
        const END: [char; 2] = ['\n', '\r'];
        let Some(last) = self.hunks.last().filter(|last| last.text.end == self.text.len()) else { return };
        let is_end = self.old(last).trim_end_matches(END) == self.new_text(last).trim_end_matches(END);
        if is_end && decided.contains(&last.id) {
            let end = self.decision(last);
            self.release(&[end.hunk]);
            self.keep(&[end]);
        }
    }

    /// A hunk, or the file, that is decided in another way than by a rejection is on its way as well.
    pub fn hold(&mut self, id: HunkId) {
        for hunk in self.hunks.iter_mut().filter(|hunk| hunk.id == id) {
            hunk.rejecting = true;
        }
        if let Some(whole) = self.whole.as_mut().filter(|whole| whole.id == id) {
            whole.rejecting = true;
        }
    }

    /// The buffer did not take the change of a rejection: these hunks are undecided again.
    pub fn release(&mut self, hunks: &[HunkId]) {
        for hunk in self.hunks.iter_mut().filter(|hunk| hunks.contains(&hunk.id)) {
            hunk.rejecting = false;
        }
        if let Some(whole) = self.whole.as_mut().filter(|whole| hunks.contains(&whole.id)) {
            whole.rejecting = false;
        }
    }

    fn old(&self, hunk: &Hunk) -> String {
        self.base.slice(hunk.base.clone())
    }

    fn new_text(&self, hunk: &Hunk) -> String {
        self.text.slice(hunk.text.clone())
    }

    fn print(&self, hunk: &Hunk) -> Print {
        Print(format!("{:016x}", self.lines_of(hunk).hash))
    }

    fn printed(&self, what: &impl std::hash::Hash) -> Print {
        Print(format!("{:016x}", self.prints.hash_one(what)))
    }

    fn fresh(&mut self) -> HunkId {
        let id = HunkId(self.next);
        self.next += 1;
        id
    }

    fn end(&mut self, hunk: HunkId, end: End) {
        if self.ended.len() == ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back((hunk, end));
    }

    fn touches(&self, edits: &[Edit]) -> Vec<Touch> {
        edits.iter().map(|edit| Touch::of(&self.text, edit.clone())).collect()
    }

    fn typed(&self, edits: &[Edit]) -> Vec<Touch> {
        let mut touches = self.touches(&self.refined(edits));
        for touch in &mut touches {
            touch.base = touch.text.iter().flat_map(|edit| self.outside(edit)).collect();
        }
        touches
    }

    /// Edits from elsewhere promise nothing.
    fn check(&self, change: &Change) -> Result<(), Stale> {
        let mut at = 0;
        for Range { start, end } in change.edits().iter().map(|edit| edit.range.clone()) {
            let stands = at <= start && start <= end && self.text.is_place(start) && self.text.is_place(end);
            if !stands {
                return Err(Stale { range: start..end });
            }
            at = end;
        }
        Ok(())
    }
}
