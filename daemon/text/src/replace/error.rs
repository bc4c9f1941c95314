//! Why nothing was replaced, with what the next attempt needs.

use std::error::Error;
use std::fmt;

use super::{Hint, Nearest};

/// Its `Display` is written for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplaceError {
    /// Old and new text are the same, line endings aside.
    Identical,
    EmptyOld,
    NotFound {
        /// What is different about a place that is nearly the same.
        hint: Option<Hint>,
        /// The lines most like those that were looked for.
        nearest: Option<Nearest>,
    },
    Several {
        /// The lines in which the first of them begin.
        lines: Vec<usize>,
        count: usize,
    },
}

impl Error for ReplaceError {}

impl fmt::Display for ReplaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identical => f.write_str(
                "Nothing to change: the old and the new text are the same (line endings stay as the file has them).",
            ),
            Self::EmptyOld => f.write_str(
                "The old text is empty. Give the text to be replaced; to replace or create a whole file, write it.",
            ),
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
            Self::Several { lines, count } => {
                let named = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let more = if *count > lines.len() { ", …" } else { "" };
                write!(
                    f,
                    "The old text is in {count} places (at lines {named}{more}). Nothing was changed: give more of the \
                     lines around the one that is meant, or replace all."
                )
            }
        }
    }
}
