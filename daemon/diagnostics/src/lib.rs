//! Diagnostics of a text, with proof that they belong to exactly that text.
//!
//! A [`DiagnosticsSource`](copydesk_servers::DiagnosticsSource) checks
//! [`CheckedDocument`](copydesk_servers::CheckedDocument)s and returns
//! [`DiagnosticsReport`](copydesk_servers::DiagnosticsReport)s, also about other files that it knows to be broken.
//! The [`Verdict`](copydesk_servers::Verdict) of a report is proven, likely or unknown. An unknown verdict has no
//! diagnostics, so an old result can never pass for a new one. A baseline is what a source reported before a change,
//! moved through that change. A delta is what the change did to the diagnostics. `report_text` renders it for the
//! model.
//!
//! Invariant: a check ends at its deadline, whatever a source does.
//! Invariant: positions are zero-based, lines as LSP counts them, characters in UTF-16 code units, as every server
//! has them.

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
