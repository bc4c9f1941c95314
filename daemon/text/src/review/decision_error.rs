//! Why a decision was rejected. The user who decided reads it.

use std::fmt;

use thiserror::Error;

use super::{HunkId, HunkOutcome};

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HunkDecisionError {
    /// Decided elsewhere, typed away or undone; or it never existed.
    #[error("{hunk} is no longer there{}", why(*end))]
    Gone { hunk: HunkId, end: Option<HunkOutcome> },
    /// Its lines differ from those on the screen.
    #[error("{hunk} has changed since it was shown; it is now:\n{}", shown(old, new))]
    Changed { hunk: HunkId, old: String, new: String },
    /// Named twice, or its rejection is on its way.
    #[error("{hunk} is already being decided")]
    InProgress { hunk: HunkId },
    #[error("{hunk} has {old} old and {new} new lines; choose some of these")]
    InvalidLines { hunk: HunkId, old: usize, new: usize },
    /// Its lines were deleted with the file, so the file is to be decided.
    #[error("{hunk} is in a file that the agent deleted: decide on the file")]
    FileDeleted { hunk: HunkId },
    /// A decision about the whole file was used for lines, or the other way round.
    #[error("{hunk} is the whole file, not some of its lines")]
    IsWholeFile { hunk: HunkId },
}

impl HunkDecisionError {
    /// The hunk that the decision named.
    pub fn hunk(&self) -> HunkId {
        match self {
            Self::Gone { hunk, .. }
            | Self::Changed { hunk, .. }
            | Self::InProgress { hunk }
            | Self::InvalidLines { hunk, .. }
            | Self::FileDeleted { hunk }
            | Self::IsWholeFile { hunk } => *hunk,
        }
    }
}

impl fmt::Display for HunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hunk {}", self.0)
    }
}

fn why(end: Option<HunkOutcome>) -> &'static str {
    match end {
        Some(HunkOutcome::Kept) => ": it was kept",
        Some(HunkOutcome::Rejected) => ": it was rejected",
        Some(HunkOutcome::Committed) => ": it was committed",
        Some(HunkOutcome::Vanished) => ": its lines were changed or undone",
        None => "",
    }
}

/// Lines of each side that a message shows.
const MAX_SHOWN_LINES: usize = 20;

fn shown(old: &str, new: &str) -> String {
    let side = |sign: char, text: &str| {
        let lines: Vec<_> = text.lines().collect();
        let rest = lines.len().saturating_sub(MAX_SHOWN_LINES);
        let mut side: String =
            lines.iter().take(MAX_SHOWN_LINES).map(|line| format!("{sign}{line}\n")).collect();
        if rest > 0 {
            side.push_str(&format!("{sign}… {rest} more lines\n"));
        }
        side
    };
    side('-', old) + side('+', new).trim_end()
}
