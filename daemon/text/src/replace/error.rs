//! Why nothing was replaced, and what the next attempt needs.

use std::error::Error;
use std::fmt;

use super::{MatchTier, MismatchHint, NearestLines};

/// `Display` is written for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplaceError {
    /// Old and new text are equal, ignoring line endings.
    Identical,
    /// The old text is empty or only white space.
    BlankOld,
    /// The match already reads like the new text.
    AlreadyReplaced { line: usize },
    NotFound {
        /// The difference at an almost equal place.
        hint: Option<MismatchHint>,
        /// The most similar lines.
        nearest: Option<NearestLines>,
    },
    /// The old text is there, apart from what the tier tolerates, but what the new text means there is unclear.
    Unclear {
        tier: MatchTier,
        /// The lines that match.
        nearest: NearestLines,
    },
    Ambiguous {
        /// The lines where the first of them start.
        lines: Vec<usize>,
        count: usize,
        /// The tier that found them.
        tier: MatchTier,
    },
}

impl Error for ReplaceError {}

impl fmt::Display for ReplaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identical => f.write_str(
                "Nothing to change: the old and the new text are the same (line endings stay as the file has them).",
            ),
            Self::BlankOld => f.write_str(
                "The old text is empty or blank. Give the text to be replaced; to replace or create a whole file, write it.",
            ),
            Self::AlreadyReplaced { line } => {
                write!(f, "Nothing to change: at line {line} the file already reads like the new text.")
            }
            Self::NotFound { hint, nearest } => {
                f.write_str("The old text is not in the file, which is unchanged.")?;
                if let Some(hint) = hint {
                    write!(f, " {hint}")?;
                }
                match nearest {
                    Some(nearest) => write!(f, "\nThe nearest place is:\n{nearest}"),
                    None if hint.is_none() => f.write_str(" Nothing in the file is like it: read the file again."),
                    None => Ok(()),
                }
            }
            Self::Unclear { tier, nearest } => {
                let leniency = tier.leniency().unwrap_or("nothing");
                let line = nearest.line;
                write!(
                    f,
                    "The old text is not in the file as given. It is at line {line}, {leniency} aside, but then the new text \
                     can be read in two ways. Nothing was changed: give the old and the new text as the file has them:\n{nearest}"
                )
            }
            Self::Ambiguous { lines, count, tier } => {
                let named = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let more = if *count > lines.len() { ", …" } else { "" };
                let places = format!("in {count} places (at lines {named}{more})");
                match tier.leniency() {
                    None => write!(f, "The old text is {places}. Nothing was changed: ")?,
                    Some(leniency) => write!(
                        f,
                        "The old text is not in the file as given, and {leniency} aside it is {places}. Nothing was \
                         changed: give the text exactly, or "
                    )?,
                }
                f.write_str("give more of the lines around the one that is meant")?;
                f.write_str(if tier.allows_replace_all() { ", or replace all." } else { "." })
            }
        }
    }
}
