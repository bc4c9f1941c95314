//! What is wrong with a text, and how sure it is that this is said of exactly that text.
//!
//! A [`DiagnosticsSource`](copydesk_servers::Source) is asked about [`CheckedDocument`](copydesk_servers::Subject)s, texts at a moment, and answers with [`Report`](copydesk_servers::Report)s, also about other files that it
//! knows to be broken. What a report [`Said`](copydesk_servers::Said) is proven, likely or unknown; what is unknown has no diagnostics, so that an older
//! result cannot be passed off as a new one. A baseline is what was said before a change, moved through it; a delta is what the
//! change did, and `report_text` what a model reads of that.
//!
//! Invariant: asking ends with the time that was given for it, whatever a source does.
//! Invariant: positions are zero-based, lines as LSP counts them, characters in UTF-16 code units: what every server speaks.

mod baseline;
pub mod checker;
mod delta;
mod history;
mod line_index;
mod report_text;
mod sources;
mod syntax;
pub mod time_limits;
pub mod tracker;

pub use delta::ReportedDiagnostic;
pub use sources::DiagnosticsSources;
pub use syntax::SyntaxSource;
pub use tracker::{
    CommandSnapshot, DiagnosticsSummary, DiagnosticsTracker, DiagnosticsViewer, EditedDocument,
};
