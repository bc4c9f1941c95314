//! Moves a change past what the user typed meanwhile: a three-way merge by lines that returns only the
//! change's own part.
//!
//! The change keeps the places it was made for; the user's edits are found by comparing the texts. Two edits
//! conflict if they touch a common line or insert lines at the same place. Lines inserted just before or
//! after a line that the other side touches do not conflict. (`similar::TextMerge` is stricter here, so it is
//! not used.)
//!
//! Invariant: the result never replaces what the user wrote, only text that is unchanged.
//! Invariant: whichever of two changes is moved past the other, the merged text is the same.

use std::ops::Range;

use thiserror::Error;

use crate::change::edits_between;
use crate::diff_window::DiffWindow;
use crate::edit_validation::join_adjacent;
use crate::{Change, Edit, StaleChangeError};

mod conflict;
#[cfg(test)]
mod tests;
mod touched_lines;

pub use conflict::{Conflict, Overlap};
use touched_lines::{BaseLines, TouchedLines, align_equal_edits, touched_by_change};

/// Why a change does not apply to the present text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RebaseError {
    /// It was not made for the base.
    #[error(transparent)]
    Stale(#[from] StaleChangeError),
    #[error(transparent)]
    Conflict(#[from] Conflict),
}

/// Rebases `change`, made for `base`, onto `now`: all of its edits or none. Edits that `now` already contains
/// are dropped.
pub fn rebase(base: &str, change: &Change, now: &str) -> Result<Change, RebaseError> {
    let wanted = change.apply(base)?;
    if base == now {
        return Ok(change.clone());
    }
    let typed = change_by_lines(base, now);
    // Compared the same way, both land in the same places even where equal lines leave a choice.
    if contains(&typed, &change_by_lines(base, &wanted)) {
        return Ok(Change::default());
    }
    let lines = BaseLines::new(base);
    merge(&lines, touched_by_change(&lines, change), touched_by_change(&lines, &typed)).map_err(|clusters| {
        let overlaps = clusters.iter().map(|cluster| Overlap::new(&lines, cluster, now));
        Conflict { overlaps: overlaps.collect(), count: clusters.len() }.cap_overlaps().into()
    })
}

/// The change from `old` to `new`, compared between their common first and last lines: typing in one place is
/// found there, however many lines are equal.
fn change_by_lines(old: &str, new: &str) -> Change {
    let window = DiffWindow::between(old, new, 0);
    Change::from_edits(edits_between(window.old, window.new, window.start, |line| line))
}

/// Whether `change` has all edits of `part`.
fn contains(change: &Change, part: &Change) -> bool {
    let mut edits = change.edits().iter();
    part.edits().iter().all(|wanted| edits.any(|edit| edit == wanted))
}

/// Base lines that one or both sides touch.
#[derive(Debug, Default)]
struct RebaseCluster {
    lines: Range<usize>,
    agent_edits: Vec<Edit>,
    user_edits: Vec<Edit>,
    /// How many bytes the user's edits before these lines added.
    growth_before: isize,
}

impl RebaseCluster {
    fn overlaps(&self, lines: &Range<usize>) -> bool {
        lines.start < self.lines.end || (self.lines.is_empty() && self.lines == *lines)
    }
}

/// The agent's edits moved past the user's, or the clusters that conflict.
fn merge(
    base: &BaseLines<'_>,
    mut agent: Vec<TouchedLines>,
    mut user: Vec<TouchedLines>,
) -> Result<Change, Vec<RebaseCluster>> {
    align_equal_edits(base, &mut agent, &mut user);
    let (mut edits, mut clashes) = (Vec::new(), Vec::new());
    let mut grown = 0;
    for mut cluster in clusters(agent, user) {
        cluster.growth_before = grown;
        grown += cluster.user_edits.iter().map(growth).sum::<isize>();
        if cluster.user_edits.is_empty() {
            edits.extend(cluster.agent_edits.into_iter().map(|edit| shift_edit(edit, cluster.growth_before)));
        } else if !cluster.agent_edits.is_empty() {
            let text = |edits| base.apply_edits(&cluster.lines, edits);
            if text(&cluster.agent_edits) != text(&cluster.user_edits) {
                clashes.push(cluster);
            }
        }
    }
    if clashes.is_empty() { Ok(Change::from_edits(join_adjacent(edits))) } else { Err(clashes) }
}

fn clusters(agent: Vec<TouchedLines>, user: Vec<TouchedLines>) -> Vec<RebaseCluster> {
    let tagged = |is_agent| move |touch| (touch, is_agent);
    let mut all: Vec<_> =
        agent.into_iter().map(tagged(true)).chain(user.into_iter().map(tagged(false))).collect();
    // Insertions before a line sort before edits of it. Stable: each side keeps its order.
    all.sort_by_key(|(touch, _)| (touch.lines.start, !touch.lines.is_empty()));
    let mut clusters: Vec<RebaseCluster> = Vec::new();
    for (touch, is_agent) in all {
        if !clusters.last().is_some_and(|cluster| cluster.overlaps(&touch.lines)) {
            clusters.push(RebaseCluster { lines: touch.lines.clone(), ..RebaseCluster::default() });
        }
        if let Some(cluster) = clusters.last_mut() {
            cluster.lines.end = cluster.lines.end.max(touch.lines.end);
            if is_agent { &mut cluster.agent_edits } else { &mut cluster.user_edits }.push(touch.edit);
        }
    }
    clusters
}

fn growth(edit: &Edit) -> isize {
    edit.text.len().cast_signed() - edit.range.len().cast_signed()
}

fn shift_edit(edit: Edit, by: isize) -> Edit {
    let shift = |at: usize| at.saturating_add_signed(by);
    Edit { range: shift(edit.range.start)..shift(edit.range.end), text: edit.text }
}
