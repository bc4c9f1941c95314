//! Moving a change past what a person typed meanwhile: a three-way merge by lines, of which only the change's own part is
//! given.
//!
//! The change keeps to the places that it was made for; what the person did is found by comparing the texts. Two edits
//! are in conflict if they touch a line in common or insert lines at the same place; lines inserted just before or after
//! a line that the other touches are not. (This is where `similar::TextMerge` is stricter, and why it is not used.)
//!
//! Invariant: the result replaces nothing that the person wrote, only what still stands as it was.
//! Invariant: whichever of two changes is moved past the other, the text that comes of both is the same.

use std::ops::Range;

use thiserror::Error;

use crate::change::edits;
use crate::checked::joined;
use crate::window::Window;
use crate::{Change, Edit, Stale};

mod conflict;
#[cfg(test)]
mod tests;
mod touch;

pub use conflict::{Conflict, Overlap};
use touch::{Base, Touch, settle, touches};

/// Why a change cannot be made to the text as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RebaseError {
    /// It was not made for the base at all.
    #[error(transparent)]
    Stale(#[from] Stale),
    #[error(transparent)]
    Conflict(#[from] Conflict),
}

/// What `change`, made for `base`, is for `now`: all of its edits or none. Those that `now` has already are left out.
pub fn rebase(base: &str, change: &Change, now: &str) -> Result<Change, RebaseError> {
    let wanted = change.apply(base)?;
    if base == now {
        return Ok(change.clone());
    }
    let typed = compared(base, now);
    // Compared in the same way both are in the same places, even where equal lines leave a choice.
    if contains(&typed, &compared(base, &wanted)) {
        return Ok(Change::default());
    }
    let lines = Base::of(base);
    merge(&lines, touches(&lines, change), touches(&lines, &typed)).map_err(|clusters| {
        let overlaps = clusters.iter().map(|cluster| Overlap::of(&lines, cluster, now));
        Conflict { overlaps: overlaps.collect(), count: clusters.len() }.capped().into()
    })
}

/// What makes `new` of `old`, all of it between the lines that both begin and end with: where typing was in one place,
/// that place is found, however many lines are equal.
fn compared(old: &str, new: &str) -> Change {
    let window = Window::of(old, new, 0);
    Change::of(edits(window.old, window.new, window.start, |line| line))
}

/// Whether one change has all edits of the other.
fn contains(change: &Change, part: &Change) -> bool {
    let mut edits = change.edits().iter();
    part.edits().iter().all(|wanted| edits.any(|edit| edit == wanted))
}

/// Lines of the base that are touched together, and by whom.
#[derive(Debug, Default)]
struct Cluster {
    lines: Range<usize>,
    agent: Vec<Edit>,
    person: Vec<Edit>,
    /// How much longer the person made the text before these lines.
    grown: isize,
}

impl Cluster {
    fn overlaps(&self, lines: &Range<usize>) -> bool {
        lines.start < self.lines.end || (self.lines.is_empty() && self.lines == *lines)
    }
}

/// The agent's edits as they are after the person's; or where they clash.
fn merge(base: &Base<'_>, mut agent: Vec<Touch>, mut person: Vec<Touch>) -> Result<Change, Vec<Cluster>> {
    settle(base, &mut agent, &mut person);
    let (mut edits, mut clashes) = (Vec::new(), Vec::new());
    let mut grown = 0;
    for mut cluster in clusters(agent, person) {
        cluster.grown = grown;
        grown += cluster.person.iter().map(growth).sum::<isize>();
        if cluster.person.is_empty() {
            edits.extend(cluster.agent.into_iter().map(|edit| shifted(edit, cluster.grown)));
        } else if !cluster.agent.is_empty() {
            let text = |edits| base.edited(&cluster.lines, edits);
            if text(&cluster.agent) != text(&cluster.person) {
                clashes.push(cluster);
            }
        }
    }
    if clashes.is_empty() { Ok(Change::of(joined(edits))) } else { Err(clashes) }
}

fn clusters(agent: Vec<Touch>, person: Vec<Touch>) -> Vec<Cluster> {
    let by = |agent| move |touch| (touch, agent);
    let mut all: Vec<_> = agent.into_iter().map(by(true)).chain(person.into_iter().map(by(false))).collect();
    // What is inserted before a line comes before what is done to it. Stable: each side stays in its order.
    all.sort_by_key(|(touch, _)| (touch.lines.start, !touch.lines.is_empty()));
    let mut clusters: Vec<Cluster> = Vec::new();
    for (touch, is_agent) in all {
        if !clusters.last().is_some_and(|cluster| cluster.overlaps(&touch.lines)) {
            clusters.push(Cluster { lines: touch.lines.clone(), ..Cluster::default() });
        }
        if let Some(cluster) = clusters.last_mut() {
            cluster.lines.end = cluster.lines.end.max(touch.lines.end);
            if is_agent { &mut cluster.agent } else { &mut cluster.person }.push(touch.edit);
        }
    }
    clusters
}

fn growth(edit: &Edit) -> isize {
    edit.text.len().cast_signed() - edit.range.len().cast_signed()
}

fn shifted(edit: Edit, by: isize) -> Edit {
    let shift = |at: usize| at.saturating_add_signed(by);
    Edit { range: shift(edit.range.start)..shift(edit.range.end), text: edit.text }
}
