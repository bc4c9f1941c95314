//! Language servers: which one serves a file ([`server_selection`], [`program_search`], [`known_servers`]), how the
//! daemon starts, queries and stops it ([`pool`], `server`), and its diagnostics with their proof ([`report`]).
//!
//! Invariant: positions are zero-based, lines as LSP counts them, characters in UTF-16 code units, as every server has
//! them.
//! Invariant: a request to a server ends at its deadline, whatever the server does.

mod code_servers;
mod dependents;
pub mod diagnostic;
pub mod file_system;
pub mod format;
pub mod known_servers;
mod name_pattern;
pub mod pool;
pub mod program_search;
mod quirks;
pub mod report;
pub mod sanitize;
mod server;
pub mod server_selection;
pub mod source;
pub mod time_limits;

pub use code_servers::{CodeServers, LeaseFuture, LeasedServers, ServerLease};
pub use dependents::{DependentFile, DependentFiles, DependentsQuery, MergedDependents, find_dependents};
pub use diagnostic::{Diagnostic, DiagnosticSpan, Severity};
pub use file_system::DiskView;
pub use quirks::Quirks;
pub use report::{DiagnosticsReport, Verdict};
pub use server::{CodeQuery, CodeQueryError, HierarchyItem, ServerLocation, ServerSymbol};
pub use server::{
    DocumentEvent, EXPECTED_DOCUMENT, EditorServerLaunch, LanguageServer, LanguageServerState, ObservedTexts,
    ServerLaunch, ServerStartError, TAKES_EDITS,
};
pub use server::{
    ExistingFilePolicy, ServerCodeAction, ServerFileOperation, ServerText, ServerTextEdit,
    ServerWorkspaceEdit, apply_text_edits,
};
pub use source::{
    AffectedFiles, AffectedFilesFuture, CheckFuture, CheckedDocument, CommandWatcher, DiagnosticsSource,
    DocumentProvider, ReadyFuture, ServesFuture, TREE_SITTER,
};
