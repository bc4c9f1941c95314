//! Patches in the format of the GPT models: parsing them, placing each hunk, and the resulting files.
//!
//! ```text
//! patch   = "*** Begin Patch" section* "*** End Patch"
//! section = "*** Add File: " path ("+" line)*
//!         | "*** Delete File: " path
//!         | "*** Update File: " path ["*** Move to: " path] hunk*
//! hunk    = ("@@" [" " line])* ((" " | "-" | "+") line)+ ["*** End of File"]
//! ```
//!
//! [`parse`] reads a patch and names a faulty line; [`update`] places hunks in one text; [`plan`] decides for
//! all files together what to do, or says for each file why it does not fit. A patch applies completely or
//! not at all, and an uncertain place counts as none: the error says what the next attempt needs.
//!
//! Invariant: only lines that a hunk shows with `-` are deleted; all others stay byte for byte.

use crate::LineTag;

mod envelope;
mod error;
mod headers;
mod hunk_mismatch;
mod hunk_order;
mod parse;
mod plan;
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
pub use update::{HunkPlace, PatchedText, update};

/// The sections of a patch, in order. Line numbers are those of the patch, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch<'a> {
    pub sections: Vec<PatchSection<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchSection<'a> {
    pub line: usize,
    pub path: &'a str,
    pub action: PatchAction<'a>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchAction<'a> {
    /// The lines of the new file; each gets a line break.
    Add(Vec<&'a str>),
    Delete,
    Update {
        /// The file's new path.
        to: Option<&'a str>,
        hunks: Vec<PatchHunk<'a>>,
    },
}

/// Contiguous lines with changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatchHunk<'a> {
    pub line: usize,
    /// Lines of the file before the hunk that enclose it, the outermost first.
    pub headers: Vec<&'a str>,
    /// Without their line breaks.
    pub lines: Vec<(LineTag, &'a str)>,
    /// Whether the hunk ends the file.
    pub at_end: bool,
}

impl<'a> PatchHunk<'a> {
    /// The lines that the file must contain.
    fn old(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter(|(tag, _)| *tag != LineTag::Insert).map(|(_, line)| *line)
    }
}

impl<'a> Patch<'a> {
    /// Every path in the patch, possibly repeated, for a caller that reads the files first.
    pub fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.sections.iter().flat_map(|section| {
            let to = if let PatchAction::Update { to, .. } = section.action { to } else { None };
            [Some(section.path), to].into_iter().flatten()
        })
    }
}
