//! Patches as models of the GPT family write them: what they say, where each hunk belongs, and what becomes of the files.
//!
//! ```text
//! patch   = "*** Begin Patch" section* "*** End Patch"
//! section = "*** Add File: " path ("+" line)*
//!         | "*** Delete File: " path
//!         | "*** Update File: " path ["*** Move to: " path] hunk*
//! hunk    = ("@@" [" " line])* ((" " | "-" | "+") line)+ ["*** End of File"]
//! ```
//!
//! [`parse`] reads it and names the line that is wrong; [`update`] finds the places of hunks in one text; [`plan`] says for
//! all files together what is to be done, or for each file that does not fit why. Nothing is done by half, and a place
//! that is not certain is no place: the error says what the next attempt needs.
//!
//! Invariant: only lines that a hunk shows with `-` are deleted; all others stay as they are, to the byte.

use crate::LineTag;

mod envelope;
mod error;
mod headers;
mod hunk_mismatch;
mod hunk_order;
mod indent;
mod parse;
mod pieces;
mod plan;
mod search;
mod source_lines;
mod tier;
mod update;

#[cfg(test)]
mod conformance_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod speed_tests;
#[cfg(test)]
mod tests;

pub use error::{HunkError, HunkErrorKind, PatchError, PatchFileError, PatchFileErrorKind};
pub use parse::parse;
pub use plan::{PatchStep, plan};
pub use tier::PatchTier;
pub use update::{HunkPlace, PatchedText, update};

/// What a patch asks for, in its order. Lines are those of the patch, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch<'a> {
    pub sections: Vec<PatchSection<'a>>,
}

/// What is to be done with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchSection<'a> {
    pub line: usize,
    pub path: &'a str,
    pub action: PatchAction<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchAction<'a> {
    /// The lines of the new file, each of which gets a line break.
    Add(Vec<&'a str>),
    Delete,
    Update {
        /// The path that the file moves to.
        to: Option<&'a str>,
        hunks: Vec<PatchHunk<'a>>,
    },
}

/// Lines that belong together, some of them changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchHunk<'a> {
    pub line: usize,
    /// Lines of the file that stand somewhere before the hunk, the outermost first: what it is in.
    pub headers: Vec<&'a str>,
    /// Without their line breaks.
    pub lines: Vec<(LineTag, &'a str)>,
    /// Whether the file ends with the hunk.
    pub at_end: bool,
}

impl<'a> PatchHunk<'a> {
    /// The lines that must be in the file.
    fn old(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(|(tag, _)| *tag != LineTag::Insert).map(|(_, line)| *line)
    }
}

impl<'a> Patch<'a> {
    /// Every path that the patch names, for a caller who reads the files first; a path may come several times.
    pub fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.sections.iter().flat_map(|section| {
            let to = if let PatchAction::Update { to, .. } = section.action { to } else { None };
            [Some(section.path), to].into_iter().flatten()
        })
    }
}
