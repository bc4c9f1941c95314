//! Language servers: which one serves a file ([`choose`], [`find`], [`known`]), how it is started, spoken to and stopped
//! ([`pool`], `server`), and what it says of a text, with the proof for it ([`report`]).
//!
//! Invariant: positions are zero-based, lines as LSP counts them, characters in UTF-16 code units: what every server speaks.
//! Invariant: asking a server ends with the time that was given for it, whatever the server does.

pub mod choose;
pub mod clean;
mod dependents;
pub mod diagnostic;
pub mod find;
pub mod format;
pub mod known;
pub mod pool;
pub mod printed;
mod quirks;
pub mod report;
mod server;
pub mod source;
pub mod view;
mod watched;

pub use dependents::{Link, Links, Mentions, dependents};
pub use diagnostic::{Diagnostic, Severity, Span};
pub use quirks::Quirks;
pub use report::{Report, Said};
pub use server::{Launch, Server, StartError, State};
pub use source::{Checking, Serving, Source, Subject, TREE_SITTER, Texts, Witness};
pub use view::Disk;
