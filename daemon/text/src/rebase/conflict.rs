//! A rebase conflict as shown to the user and the model: the lines in the base, in the change, and now.

use std::fmt;

use super::{BaseLines, RebaseCluster};
use crate::{KeepSide, TruncateLimits, truncate};

/// Places shown, and the cap on each version.
const MAX_OVERLAPS: usize = 5;
const SHOWN: TruncateLimits = TruncateLimits { lines: 40, bytes: 4000 };

/// Lines that the change and the user edited differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The first ones, in text order.
    pub overlaps: Vec<Overlap>,
    /// All of them, shown or not.
    pub count: usize,
}

/// One place. Each version consists of whole lines; a note at its end counts those cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The first line in the present text, from 1.
    pub line: usize,
    pub base: String,
    pub agent: String,
    /// The present text.
    pub user: String,
}

impl Overlap {
    pub(super) fn new(base: &BaseLines<'_>, cluster: &RebaseCluster, now: &str) -> Self {
        let version = |edits| shown(&base.apply_edits(&cluster.lines, edits));
        let start = base.start(cluster.lines.start).saturating_add_signed(cluster.growth_before);
        let before = now.get(..start).unwrap_or(now);
        Self {
            line: before.matches('\n').count() + 1,
            base: version(&[]),
            agent: version(&cluster.agent_edits),
            user: version(&cluster.user_edits),
        }
    }
}

fn shown(text: &str) -> String {
    let cut = truncate(text, SHOWN, KeepSide::Head);
    match cut.omitted_lines {
        _ if cut.is_whole() => text.to_owned(),
        0 => format!("{}\n[{} more bytes]\n", cut.text, cut.omitted_bytes),
        lines => format!("{}\n[{lines} more lines]\n", cut.text),
    }
}

impl Conflict {
    pub(super) fn cap_overlaps(mut self) -> Self {
        self.overlaps.truncate(MAX_OVERLAPS);
        self
    }
}

impl std::error::Error for Conflict {}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text was changed meanwhile where the change was to be made")?;
        for overlap in &self.overlaps {
            write!(f, "\n\nFrom line {}, as it is now:\n{}", overlap.line, block(&overlap.user))?;
            write!(f, "\nas the change was to make it:\n{}", block(&overlap.agent))?;
            write!(f, "\nas it was before both:\n{}", block(&overlap.base))?;
        }
        match self.count - self.overlaps.len() {
            0 => Ok(()),
            1 => write!(f, "\n\nThere is one more such place."),
            more => write!(f, "\n\nThere are {more} more such places."),
        }
    }
}

fn block(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| format!("  | {line}")).collect();
    if lines.is_empty() { "  (nothing)".to_owned() } else { lines.join("\n") }
}
