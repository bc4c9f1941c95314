//! Why a patch was not applied, and what the next attempt needs. `Display` is written for the model.

use std::fmt;

use thiserror::Error;

use crate::{MatchTier, MismatchHint, NearestLines};

/// Characters shown of a line.
const MAX_SHOWN: usize = 120;
/// Files, and hunks of each file, listed at most.
const MAX_LISTED: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PatchError {
    #[error("The patch is too large: it has more than {max} {what}. Split it.")]
    TooLarge { what: &'static str, max: usize },
    #[error("Line {line} of the patch has a NUL character, which no text file has.")]
    Nul { line: usize },
    /// A line in the wrong place; `found` is empty if the patch ended there.
    #[error("Line {line} of the patch: expected {expected}; found {}.", shown(.found))]
    Syntax { line: usize, expected: &'static str, found: String },
    #[error("The patch is empty: there is no section between `*** Begin Patch` and `*** End Patch`.")]
    Empty,
    #[error("{}", FileErrorList(.0))]
    Files(Vec<PatchFileError>),
}

impl PatchError {
    /// A syntax error in the line with this index.
    pub(super) fn expected(expected: &'static str, index: usize, lines: &[&str]) -> Self {
        let found = lines.get(index).map_or("", |line| line.trim_end());
        Self::Syntax { line: index + 1, expected, found: clip_line(found) }
    }
}

/// A file that the patch does not fit, and the patch line that names it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path} (line {line} of the patch): {why}")]
pub struct PatchFileError {
    pub line: usize,
    pub path: String,
    pub why: PatchFileErrorKind,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PatchFileErrorKind {
    #[error("there is no such file to update or delete.")]
    Missing,
    #[error("the file exists already. Update it; or, to write it anew, delete it before it is added.")]
    Exists,
    #[error("there is a file already, which the move would overwrite.")]
    Occupied,
    #[error(
        "line {first} of the patch has done something else with this path already. Say once what becomes of it."
    )]
    ConflictingActions { first: usize },
    #[error("the hunks change nothing.")]
    Unchanged,
    #[error("{}", HunkErrorList(.0))]
    Hunks(Vec<HunkError>),
}

/// A hunk without a certain place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("The hunk at line {line} of the patch {why}")]
pub struct HunkError {
    pub line: usize,
    pub why: HunkErrorKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HunkErrorKind {
    NotFound {
        hint: Option<MismatchHint>,
        nearest: Option<NearestLines>,
        /// The first line of the nearest place that differs from the hunk, and the hunk's version.
        differs: Option<(usize, String)>,
    },
    Ambiguous {
        /// The file lines where the first of them start.
        lines: Vec<usize>,
        /// `None` above the cap.
        count: Option<usize>,
    },
    /// The file contains its lines, but not at its end.
    NotAtEnd {
        line: usize,
    },
    HeaderNotFound {
        header: String,
    },
    /// The file contains its lines, but not inside what the header starts.
    NotUnderHeader {
        header: String,
        line: usize,
    },
    /// It only adds lines and does not say where.
    NoContext,
    /// Another hunk, given by its patch line, changes the same file lines.
    Overlap {
        other: usize,
        line: usize,
    },
    /// It fits at this tier, and it is unclear how its new lines are to be written.
    Unclear {
        line: usize,
        tier: MatchTier,
    },
    /// So many hunks in so long a file would take too long.
    BudgetExceeded,
}

impl fmt::Display for HunkErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { hint, nearest, differs } => {
                f.write_str("does not fit: its lines are not in the file.")?;
                if let Some(hint) = hint {
                    write!(f, " {hint}")?;
                }
                match nearest {
                    Some(nearest) => {
                        write!(f, " The nearest place is:\n{nearest}")?;
                        let mut differs = differs.iter();
                        differs.try_for_each(|(line, hunk)| write!(f, "\nThe hunk has `{hunk}` for line {line}."))
                    }
                    None if hint.is_none() => f.write_str(" Nothing in the file is like them: read it again."),
                    None => Ok(()),
                }
            }
            Self::Ambiguous { lines, count } => {
                let named = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let more = if *count != Some(lines.len()) { ", …" } else { "" };
                let count = count.map_or_else(|| "very many".to_owned(), |count| count.to_string());
                write!(
                    f,
                    "fits in {count} places (at lines {named}{more} of the file): give more of the lines around the \
                     one that is meant, or behind `@@` the line that begins what it is in."
                )
            }
            Self::NotAtEnd { line } => write!(
                f,
                "fits at line {line} of the file, but the file does not end there: leave out `*** End of File`, or \
                 give its last lines."
            ),
            Self::HeaderNotFound { header } => write!(
                f,
                "has a header that is no line of the file: `@@ {header}`. Leave it out or give the line as it is."
            ),
            Self::NotUnderHeader { header, line } => write!(
                f,
                "fits at line {line} of the file, which is not in what `@@ {header}` begins: give the right header, \
                 or the lines as they are there."
            ),
            Self::NoContext => f.write_str(
                "only adds lines and does not say where: give the line before or after them, behind a ` `; or \
                 `*** End of File` below them, to add them at the end.",
            ),
            Self::Overlap { other, line } => write!(
                f,
                "changes line {line} of the file, as the hunk at line {other} of the patch does: make them one."
            ),
            Self::Unclear { line, tier } => write!(
                f,
                "is at line {line} of the file, {} aside, but then its new lines can be read in two ways: give all lines as \
                 the file has them.",
                tier.leniency().unwrap_or("nothing")
            ),
            Self::BudgetExceeded => f.write_str("is one of too many for so long a file: split the patch."),
        }
    }
}

struct FileErrorList<'a>(&'a [PatchFileError]);

impl fmt::Display for FileErrorList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The patch does not fit; no file was changed.")?;
        for (index, misfit) in self.0.iter().take(MAX_LISTED).enumerate() {
            write!(f, "\n{}. {misfit}", index + 1)?;
        }
        more(f, self.0.len())
    }
}

struct HunkErrorList<'a>(&'a [HunkError]);

impl fmt::Display for HunkErrorList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().take(MAX_LISTED).enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        more(f, self.0.len())
    }
}

fn more(f: &mut fmt::Formatter<'_>, count: usize) -> fmt::Result {
    let more = count.saturating_sub(MAX_LISTED);
    if more > 0 { write!(f, "\nAnd {more} more.") } else { Ok(()) }
}

pub(super) fn clip_line(line: &str) -> String {
    match line.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

fn shown(found: &str) -> String {
    if found.trim().is_empty() { "an empty line".to_owned() } else { format!("`{found}`") }
}
