//! What is wrong with a text, and how sure it is that this is said of exactly that text.
//!
//! A [`Source`] is asked about [`Subject`]s, texts at a moment, and answers with [`Report`]s, also about other files that it
//! knows to be broken. What a report [`Said`] is proven, likely or unknown; what is unknown has no diagnostics, so that an older
//! result cannot be passed off as a new one. A baseline is what was said before a change, moved through it; a delta is what the
//! change did, and `told` what a model reads of that.
//!
//! Invariant: asking ends with the time that was given for it, whatever a source does.
//! Invariant: positions are zero-based, lines as LSP counts them, characters in UTF-16 code units: what every server speaks.

mod baseline;
pub mod checker;
pub mod checks;
pub mod choose;
mod clean;
mod delta;
mod dependents;
mod diagnostic;
pub mod find;
pub mod format;
pub mod frame;
pub mod known;
mod ledger;
mod peer;
mod places;
pub mod pool;
mod printed;
mod quirks;
mod report;
mod server;
mod source;
mod sources;
mod syntax;
mod told;
mod view;
mod watched;

pub use checks::{Checks, Commanding, Edited, Told, Viewer};
pub use delta::Problem;
pub use dependents::{Link, Links, Mentions, dependents};
pub use diagnostic::{Diagnostic, Severity, Span};
pub use quirks::Quirks;
pub use report::{Report, Said};
pub use server::{Launch, Server, StartError, State};
pub use source::{Checking, Serving, Source, Subject, TREE_SITTER, Texts, Witness};
pub use sources::Sources;
pub use syntax::Syntax;
pub use view::Disk;
