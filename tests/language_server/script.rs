//! What a scripted language server does, as data: a JSON file whose path is the last of its arguments.
//!
//! A line of a document that contains `find` of one of the `rules` has that problem. Everything else is how it tells of that, and
//! what it does wrong.

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct LanguageServerScript {
    /// What is wrong with a text.
    pub(crate) rules: Vec<ScriptedDiagnostic>,
    /// Said on standard error when it starts.
    pub(crate) complains: Option<String>,
    /// Exits at once.
    pub(crate) exits_at_start: Option<u8>,
    /// Requests that are never answered.
    pub(crate) never_answers: Vec<String>,
    /// Says in its greeting that it can be asked for diagnostics.
    pub(crate) pull: bool,
    /// Says so later, by a registration.
    pub(crate) registers_pull: bool,
    /// So many pulls are answered with "cancelled by the server".
    pub(crate) cancels_pulls: u32,
    pub(crate) push: ScriptedPublishMode,
    /// How long after a change it publishes.
    pub(crate) push_after_ms: u64,
    /// It publishes nothing where the diagnostics stay as they were.
    pub(crate) silent_when_unchanged: bool,
    /// The first publish for a change has no diagnostics; the whole set follows after so long.
    pub(crate) partial_first_ms: Option<u64>,
    /// Versions that nobody told it.
    pub(crate) wrong_versions: bool,
    /// Diagnostics far behind the end of the text.
    pub(crate) past_the_end: bool,
    /// So many diagnostics more.
    pub(crate) more: usize,
    /// Says so on standard output before every message, outside of any message.
    pub(crate) garbage: Option<String>,
    /// Writes bytes that are no UTF-8 into every message of a diagnostic.
    pub(crate) invalid_utf8: bool,
    /// Exits after so many changes of documents, in the middle of a message.
    pub(crate) crashes_after: Option<u32>,
    /// After the greeting it logs without end.
    pub(crate) floods: bool,
    /// Reads the project for so long after the greeting, and tells of it. Until then it publishes empty sets.
    pub(crate) indexes_ms: Option<u64>,
    /// Tells of that by `experimental/serverStatus` instead of progress.
    pub(crate) server_status: bool,
    /// Reads nothing any more after the greeting.
    pub(crate) stops_reading: bool,
    /// Neither `shutdown` nor `exit` nor the end of its input ends it.
    pub(crate) stays: bool,
    /// Says that it gives texts their form, which is without spaces at the ends of lines.
    pub(crate) formats: bool,
    /// All documents that are open are published for, not only the one that was changed.
    pub(crate) tells_of_all: bool,
    /// Diagnostics of rules that are marked so come only after a save, with progress of this token.
    pub(crate) save_token: String,
    /// Every message that it reads goes into this file, a line each.
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
    /// Only where no other open document has this in it.
    pub(crate) unless_elsewhere: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ScriptedPublishMode {
    Never,
    Plain,
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
            tells_of_all: false,
            save_token: "scripted/check".to_owned(),
            log: None,
        }
    }
}
