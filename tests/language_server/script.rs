//! The behaviour of a scripted language server as data: a JSON file whose path is the last argument.
//!
//! A line of a document that contains `find` of one of the `rules` has that problem. Everything else is how the server reports
//! it, and what it does wrong.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct LanguageServerScript {
    /// The problems of a text.
    pub(crate) rules: Vec<ScriptedDiagnostic>,
    /// Printed on standard error at the start.
    pub(crate) complains: Option<String>,
    /// Exits at once.
    pub(crate) exits_at_start: Option<u8>,
    /// Requests that never get a response.
    pub(crate) never_answers: Vec<String>,
    /// Announces pull diagnostics in `initialize`.
    pub(crate) pull: bool,
    /// Announces them later, by a registration.
    pub(crate) registers_pull: bool,
    /// So many pulls get "cancelled by the server".
    pub(crate) cancels_pulls: u32,
    pub(crate) push: ScriptedPublishMode,
    /// How long after a change it publishes.
    pub(crate) push_after_ms: u64,
    /// Publishes nothing if the diagnostics did not change.
    pub(crate) silent_when_unchanged: bool,
    /// The first publish after a change is empty; the whole set follows after this time.
    pub(crate) partial_first_ms: Option<u64>,
    /// Publishes versions that no client sent.
    pub(crate) wrong_versions: bool,
    /// Publishes diagnostics far beyond the end of the text.
    pub(crate) past_the_end: bool,
    /// So many additional diagnostics.
    pub(crate) more: usize,
    /// Printed on standard output before every message, outside of any message.
    pub(crate) garbage: Option<String>,
    /// Puts invalid UTF-8 into every diagnostic's message.
    pub(crate) invalid_utf8: bool,
    /// Exits after so many document changes, in the middle of a message.
    pub(crate) crashes_after: Option<u32>,
    /// Logs without end after `initialize`.
    pub(crate) floods: bool,
    /// Indexes the project for so long after `initialize`, and reports it. Until then it publishes empty sets.
    pub(crate) indexes_ms: Option<u64>,
    /// Reports that by `experimental/serverStatus` instead of progress.
    pub(crate) server_status: bool,
    /// Stops reading after `initialize`.
    pub(crate) stops_reading: bool,
    /// Ignores `shutdown`, `exit` and the end of its input.
    pub(crate) stays: bool,
    /// Supports formatting: it removes trailing white space.
    pub(crate) formats: bool,
    /// Answers `textDocument/references` with so many lines of the document.
    pub(crate) references: usize,
    /// Publishes for all open documents, not only for the changed one.
    pub(crate) tells_of_all: bool,
    /// Diagnostics of rules marked `saved` come only after a save, with progress of this token.
    pub(crate) save_token: String,
    /// Logs every received message to this file, one per line.
    pub(crate) log: Option<std::path::PathBuf>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ScriptedDiagnostic {
    pub(crate) find: String,
    pub(crate) message: String,
    pub(crate) severity: u8,
    pub(crate) code: Value,
    pub(crate) source: Option<String>,
    /// Only after a save.
    pub(crate) saved: bool,
    /// Only if no other open document contains this.
    pub(crate) unless_elsewhere: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ScriptedPublishMode {
    Never,
    WithoutVersions,
    Versions,
}

impl Default for LanguageServerScript {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            complains: None,
            exits_at_start: None,
            never_answers: Vec::new(),
            pull: false,
            registers_pull: false,
            cancels_pulls: 0,
            push: ScriptedPublishMode::Versions,
            push_after_ms: 0,
            silent_when_unchanged: false,
            partial_first_ms: None,
            wrong_versions: false,
            past_the_end: false,
            more: 0,
            garbage: None,
            invalid_utf8: false,
            crashes_after: None,
            floods: false,
            indexes_ms: None,
            server_status: false,
            stops_reading: false,
            stays: false,
            formats: false,
            references: 0,
            tells_of_all: false,
            save_token: "scripted/check".to_owned(),
            log: None,
        }
    }
}
