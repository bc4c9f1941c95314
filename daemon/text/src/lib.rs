//! Text, without I/O and without async: what is in a file, how it is changed, and how it is shown.
//!
//! [`FileText`] is a file's bytes as text that can be written back unchanged. [`replace`] finds the one place a model
//! means and gives a [`Change`]: minimal edits, not a new text; [`patch`] does so for many places in many files. A
//! [`Document`] is a text that an editor holds open, and [`rebase`] moves a change past what a person typed meanwhile.
//! [`diff`] shows two texts as hunks, [`Around`] a change of one. A [`Review`](review::Review) is what of an agent's edits
//! a person has not decided yet. [`numbered`] is what a reader of a file sees, [`truncate`] what is left of an output that
//! is too long.
//!
//! Invariant: nothing here can panic on any text, and everything is linear in it or has a cap.
//! Invariant: a line ends with `\n`; a `\r` before it belongs to the ending, any other `\r` to the line.

mod around;
mod change;
mod checked;
mod diff;
mod distance;
mod document;
mod ending;
mod escape;
mod file_text;
mod inverse;
mod lines;
pub mod patch;
mod position;
mod rebase;
mod replace;
pub mod review;
mod truncate;
mod window;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod properties;

pub use around::Around;
pub use change::{Change, Edit, Stale};
pub use checked::Misplaced;
pub use diff::{Diff, Hunk, Tag, diff};
pub use distance::distance;
pub use document::{Backwards, Document};
pub use ending::Ending;
pub use escape::without_escapes;
pub use file_text::{FileText, Unreadable, sniff};
pub use lines::{CutBy, Page, PastEnd, View, numbered};
pub use position::{Encoding, Lines, Position};
pub use rebase::{Conflict, Overlap, RebaseError, rebase};
pub use replace::{Hint, Nearest, ReplaceError, Replaced, Tier, Why, replace};
pub use truncate::{Cut, Keep, Limits, truncate};
