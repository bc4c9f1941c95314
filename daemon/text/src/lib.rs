//! Text operations without I/O and without async: reading, changing and showing the text of a file.
//!
//! [`FileText`] decodes a file so that it can be written back unchanged. [`replace`] finds the one place a
//! model means and returns a [`Change`]: minimal edits, not a new text; [`patch`] does so for many places in
//! many files. A [`Document`] is a text that an editor has open, and [`rebase`] moves a change past what the
//! user typed meanwhile. [`diff`] shows two texts as hunks, [`ChangeExcerpt`] one change. A
//! [`Review`](review::Review) holds the agent's edits that the user has not decided yet. [`read_page`] renders
//! a file for a reader, and [`truncate`] shortens long output.
//!
//! Invariant: no text makes this crate panic, and every function is linear in the text or capped.
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
mod line_pieces;
pub mod patch;
mod position;
mod rebase;
mod replace;
pub mod review;
mod source_lines;
mod terminal_escapes;
mod text_page;
mod time_limits;
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
