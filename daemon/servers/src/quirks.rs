//! How one language server behaves where servers differ, as data. Every value is measured; no protocol promises it.
//!
//! The defaults are for an unknown server that the daemon starts, so they are careful: they lead to "unknown", never to a
//! wrong verdict. `otherEditorServers` in `known_servers.json` is for unknown servers of editors. The members have the same
//! names there.
//!
//! The times that decide when a publish counts: `debounce_ms` from a change to the first publish that can be about the new
//! text, `publish_delay_ms` from a change to its publish at the latest, `republish_ms` from a publish to the next one about
//! the same text. They are minimums: the daemon records how long each server takes, and waits longer for a slower one
//! (`server/freshness/timings.rs`).

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::diagnostic::Diagnostic;
use crate::name_pattern::matches_pattern;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Quirks {
    /// The signal that it has read the project. Before that, an empty set of diagnostics means nothing.
    pub ready: ReadinessSignal,
    /// Whether the daemon pulls its diagnostics, or waits for publishes.
    pub pull: PullSupport,
    /// Ids of the languages that it answers pulls for; empty means all. It publishes for the others.
    pub pull_languages: Vec<String>,
    /// It answers a pull of a closed file correctly, from the disk.
    pub pull_closed: bool,
    /// After didChangeWatchedFiles, it reads the files before it answers the next request.
    pub disk_in_order: bool,
    /// It watches the disk itself, and may take this long to see that a folder was created or deleted, in milliseconds.
    pub folders_ms: u64,
    /// The first publish for a version may lack diagnostics, or contain old ones; a complete one follows with the same
    /// version. So a publish is final only after `republish_ms`, or after a second one.
    pub partial_first: bool,
    /// How long after a publish another one for the same version may follow, in milliseconds.
    pub republish_ms: u64,
    /// How long the server collects changes before it checks the text, in milliseconds. A publish without a version that
    /// comes sooner than this after the last change may be about the text before.
    pub debounce_ms: u64,
    /// It may publish nothing if the diagnostics do not change, so silence for `publish_delay_ms` means "unchanged". If
    /// `false`, silence means nothing.
    pub silent_when_unchanged: bool,
    /// How long the server takes, at most, to publish the effect of a change, in milliseconds. Also how long after the first
    /// publish without a version the rest may follow: a server that has just read the project publishes piece by piece.
    pub publish_delay_ms: u64,
    /// Sources (`Diagnostic::source`) whose diagnostics follow only a save. They are about the saved text, although the
    /// server sends them along with later versions: for a file that has changed since, they are dropped. The first is
    /// the compiler's name.
    pub save_sources: Vec<String>,
    /// Token prefixes of the progress that runs from a save until all diagnostics of `save_sources` are published.
    pub save_tokens: Vec<String>,
    /// How long after a save that progress usually takes to begin, at most, in milliseconds.
    pub save_begins_ms: u64,
    /// The initialization option that switches the diagnostics after a save on. If it is missing or `false`, there are
    /// none.
    pub save_option: Option<String>,
    /// Files that configure it: names with at most one `*`, or the ends of paths. A change to one of them is a change to
    /// everything that it serves.
    pub configured_by: Vec<String>,
    /// How long it may take to read a change to its configuration, or to begin to reload the project, in milliseconds.
    pub configuration_ms: u64,
    /// Parts of messages that say that the result is of no use: the server read a file while it changed. It gets the
    /// text once more.
    pub retry_messages: Vec<String>,
    /// Prefixes of diagnostics that repeat a diagnostic of another file, which is the first related place.
    pub echo_prefixes: Vec<String>,
    /// How it updates other open files that an unsaved change affects.
    pub dirty_dependents: DependentsPolicy,
    /// It sees the unsaved texts of other open files. Otherwise it sees their saved texts.
    pub sees_unsaved: bool,
    /// It may know nothing of closed files: it has no index, or answers before that is complete. Then what it says about uses is
    /// about the open files.
    pub open_files_only: bool,
    /// It may never give diagnostics, as servers for other work do. One that has given none for a while is not waited for.
    pub may_lack_diagnostics: bool,
    /// It publishes by itself for closed files that a change breaks or fixes. For open ones see `dirty_dependents`.
    pub publishes_closed: bool,
    /// Members to add to the params of every `textDocument/didChange`: the server's own extensions.
    pub change: Map<String, Value>,
    /// Members to add if the text of a didChange is the one that the server already has. They make it check the text
    /// again and publish in any case.
    pub resend_params: Map<String, Value>,
    /// Prefixes of the names of commands that do nothing but make edits. A user is asked before another one runs.
    pub edit_commands: Vec<String>,
    /// Prefixes of lines that include other files. The server keeps its result for them (the preamble), and publishes
    /// for the next text first with the old one. If `resend_params` is set, the daemon then sends the text once more.
    pub preamble_prefixes: Vec<String>,
}

impl Quirks {
    /// The name of its compiler, whose diagnostics follow a save.
    pub fn compiler_name(&self) -> Option<&str> {
        self.save_sources.first().map(String::as_str)
    }

    /// Whether diagnostics with this source follow only a save.
    pub fn is_save_only_source(&self, source: &str) -> bool {
        self.save_sources.iter().any(|known| known == source)
    }

    /// Whether it publishes by itself for every file, open or closed, that a change affects.
    pub fn publishes_all_files(&self) -> bool {
        self.publishes_closed && self.dirty_dependents == DependentsPolicy::Pushed
    }

    /// Whether this file configures the server of this project.
    pub(crate) fn is_configured_by(&self, path: &Path, root: &Path) -> bool {
        // A file above the root may be inherited.
        let is_near =
            path.parent().is_some_and(|folder| folder.starts_with(root) || root.starts_with(folder));
        is_near && self.names_configuration(path)
    }

    /// Whether a file of this name configures it in any project.
    pub(crate) fn names_configuration(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_named = |pattern: &String| match pattern.contains('/') {
            true => path.ends_with(pattern),
            false => matches_pattern(pattern, name),
        };
        self.configured_by.iter().any(is_named)
    }

    /// Whether these diagnostics say that the result is of no use.
    pub(crate) fn must_retry(&self, diagnostics: &[Diagnostic]) -> bool {
        let is_useless = |diagnostic: &Diagnostic| {
            self.retry_messages.iter().any(|part| diagnostic.message.contains(part.as_str()))
        };
        diagnostics.iter().any(is_useless)
    }

    /// Whether the diagnostic repeats one of another file.
    pub(crate) fn is_echo(&self, diagnostic: &Diagnostic) -> bool {
        self.echo_prefixes.iter().any(|prefix| diagnostic.message.starts_with(prefix.as_str()))
    }

    /// The quirks with these initialization options.
    pub(crate) fn with_initialization_options(&self, initialization: &Value) -> Self {
        let is_off =
            |name: &String| initialization.get(name).is_none_or(|value| *value == Value::Bool(false));
        let mut quirks = self.clone();
        if quirks.save_option.as_ref().is_some_and(is_off) {
            quirks.save_sources.clear();
        }
        quirks
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ReadinessSignal {
    /// `experimental/serverStatus` with `quiescent: true`, which the client must announce.
    ServerStatus,
    /// No progress with these tokens or titles is running.
    ProgressEnds {
        /// Prefixes of tokens.
        #[serde(default)]
        tokens: Vec<String>,
        /// Prefixes of titles, case-insensitive. Without tokens and titles, every progress counts.
        #[serde(default)]
        titles: Vec<String>,
        /// How long after the first didOpen the first of them may take to begin, in milliseconds. If none has begun by
        /// then, there was nothing to load.
        begins_ms: u64,
    },
    /// It answers only when it is ready: its first response is right.
    FirstAnswer,
}

impl Default for ReadinessSignal {
    /// Any reported progress may change its diagnostics.
    fn default() -> Self {
        Self::ProgressEnds { tokens: Vec::new(), titles: Vec::new(), begins_ms: 1000 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PullSupport {
    /// Never, even if the server offers it, because its responses are malformed. The client does not announce it.
    Never,
    /// If the server offers it, in the response to `initialize` or by a later registration.
    #[default]
    IfOffered,
    /// It never publishes what it answers pulls for, so there is no publish to wait for.
    Only,
    /// By `workspace/executeCommand` with a request for tsserver, if the server offers that. The response is about the
    /// texts that were sent before, and comes once the project is read. Publishes name no version.
    Tsserver,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DependentsPolicy {
    /// It checks each file alone: there are no dependents.
    None,
    /// It publishes for them by itself, with their current versions.
    Pushed,
    /// The daemon must ask: by a pull, or, without pulls, by a didChange with the same text.
    #[default]
    MustRequest,
    /// It sees only saved changes.
    Saved,
}

impl Default for Quirks {
    fn default() -> Self {
        Self {
            ready: ReadinessSignal::default(),
            pull: PullSupport::default(),
            pull_languages: Vec::new(),
            pull_closed: false,
            disk_in_order: false,
            folders_ms: 0,
            partial_first: false,
            republish_ms: 0,
            debounce_ms: 500,
            silent_when_unchanged: false,
            publish_delay_ms: 1000,
            save_sources: Vec::new(),
            save_tokens: Vec::new(),
            save_begins_ms: 500,
            save_option: None,
            configured_by: Vec::new(),
            configuration_ms: 500,
            retry_messages: Vec::new(),
            echo_prefixes: Vec::new(),
            dirty_dependents: DependentsPolicy::default(),
            sees_unsaved: true,
            open_files_only: false,
            may_lack_diagnostics: false,
            publishes_closed: false,
            change: Map::new(),
            resend_params: Map::new(),
            edit_commands: Vec::new(),
            preamble_prefixes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_members_have_the_defaults_of_an_unknown_server() {
        let quirks: Quirks = serde_json::from_value(json!({
            "ready": { "progressEnds": { "titles": ["Loading"], "beginsMs": 300 } },
            "pull": "never",
            "republishMs": 1200,
        }))
        .unwrap();
        let ready = ReadinessSignal::ProgressEnds {
            tokens: vec![],
            titles: vec!["Loading".to_owned()],
            begins_ms: 300,
        };
        assert_eq!(
            quirks,
            Quirks { ready, pull: PullSupport::Never, republish_ms: 1200, ..Quirks::default() }
        );
        assert!(serde_json::from_value::<Quirks>(json!({ "settle": 1 })).is_err());
    }

    #[test]
    fn no_diagnostics_follow_a_save_if_the_option_is_off() {
        let quirks = Quirks {
            save_sources: vec!["rustc".to_owned()],
            save_option: Some("checkOnSave".to_owned()),
            ..Quirks::default()
        };
        for (options, follows) in [
            (json!({ "checkOnSave": true }), true),
            (json!({ "checkOnSave": { "enable": true } }), true),
            (json!({ "checkOnSave": false }), false),
            (json!({}), false),
        ] {
            assert_eq!(
                !quirks.with_initialization_options(&options).save_sources.is_empty(),
                follows,
                "{options}"
            );
        }
    }
}
