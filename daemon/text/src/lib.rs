//! Text, without I/O and without async: what is in a file, how it is changed, and how it is shown.
//!
//! [`FileText`] is a file's bytes as text that can be written back unchanged. [`replace`] finds the one place a model
//! means and gives a [`Change`]: minimal edits, not a new text; [`patch`] does so for many places in many files. A
//! [`Document`] is a text that an editor holds open, and [`rebase`] moves a change past what a person typed meanwhile.
//! [`diff`] shows two texts as hunks, [`ChangeExcerpt`] a change of one. A [`ReviewInfo`](review::Review) is what of an agent's edits
//! a person has not decided yet. [`numbered`] is what a reader of a file sees, [`truncate`] what is left of an output that
//! is too long.
//!
//! Invariant: nothing here can panic on any text, and everything is linear in it or has a cap.
//! Invariant: a line ends with `\n`; a `\r` before it belongs to the ending, any other `\r` to the line.

mod change;
mod change_excerpt;
mod diff;
mod diff_window;
mod distance;
mod document;
mod edit_validation;
mod file_text;
mod inverse;
mod line_ending;
pub mod patch;
mod position;
mod rebase;
mod replace;
pub mod review;
mod terminal_escapes;
mod text_page;
mod truncate;

#[cfg(test)]
mod conformance_tests;
#[cfg(test)]
mod property_tests;

pub use change::{Change, Edit, StaleChangeError};
pub use change_excerpt::ChangeExcerpt;
pub use diff::{Diff, DiffHunk, LineTag, diff};
pub use distance::distance;
pub use document::{Document, InvertedRangeError};
pub use edit_validation::EditRangeError;
pub use file_text::{FileText, FileTextError, sniff};
pub use line_ending::LineEnding;
pub use position::{LineBreaks, Position, PositionEncoding};
pub use rebase::{Conflict, Overlap, RebaseError, rebase};
pub use replace::{
    MatchTier, MatchedChange, MismatchHint, MismatchReason, NearestLines, ReplaceError, replace,
};
pub use terminal_escapes::strip_escapes;
pub use text_page::{PageEndReason, PageRequest, PastEndError, TextPage, read_page};
pub use truncate::{KeepSide, TruncateLimits, TruncatedText, truncate};
