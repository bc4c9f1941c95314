//! How one language server behaves where servers differ, as data: measured, not promised by any protocol.
//!
//! The defaults are for a server of which nothing is known, so they are the careful ones: what they leave open ends in "unknown",
//! never in a wrong answer. Names of members are as in `known_servers.json`.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Quirks {
    /// From when on it has seen the project. Before that an answer without problems means nothing.
    pub ready: ReadinessSignal,
    /// Whether it is asked for diagnostics, or waited for.
    pub pull: PullSupport,
    /// Ids of the languages of which it can be asked, where that is not all that it knows. Of the others it publishes.
    pub pull_languages: Vec<String>,
    /// A pull of a file that is not open is answered from the disk, and rightly.
    pub pull_closed: bool,
    /// What it is told of the disk it has read before it answers the next question.
    pub disk_in_order: bool,
    /// It watches over the disk itself, and may take so long to see that a folder came or went, in milliseconds.
    pub folders_ms: u64,
    /// The first publish for a version may lack diagnostics, or carry old ones; the whole set follows with the same version.
    /// What a publish says is then settled only after `settle_ms`.
    pub partial_first: bool,
    /// How long after a publish for the version in question another one for the same version may still come, in milliseconds.
    pub settle_ms: u64,
    /// For publishes without a version: how long the server gathers changes before it looks at the text, in milliseconds. What
    /// it publishes sooner than this after the last change may be about the text before.
    pub quiet_ms: u64,
    /// Where the diagnostics stay as they were it may publish nothing, so silence for `silence_ms` means: unchanged. Where this is
    /// false silence means nothing.
    pub silent_when_unchanged: bool,
    /// How long the server is silent at most, after a change, before it publishes what that change changed, in milliseconds.
    pub silence_ms: u64,
    /// Sources (`Diagnostic::source`) whose diagnostics follow a save alone. They are about the text that was saved, although
    /// they are sent along with later versions: for a file that was changed since they are dropped. The first is the compiler's name.
    pub saves_for: Vec<String>,
    /// Beginnings of the tokens of the progress that runs from a save until the diagnostics of `saves_for` are all there.
    pub save_tokens: Vec<String>,
    /// How long after a save that progress usually takes to begin at most, in milliseconds.
    pub save_begins_ms: u64,
    /// The member of the initialization options without which nothing follows a save.
    pub saves_if: Option<String>,
    /// What it says of other open files that a change breaks, while the change is not saved.
    pub dirty_dependents: DependentsPolicy,
    /// It sees the unsaved texts of other open files. Otherwise it sees them as they were saved.
    pub sees_unsaved: bool,
    /// It publishes, without being asked, for files that were never opened and that a change breaks or mends.
    pub pushes_closed: bool,
    /// Members to add to the params of every `textDocument/didChange`: the server's own extensions.
    pub change: Map<String, Value>,
    /// Members to add where the text of a change is the one that the server has already: what makes it look at it again, and
    /// publish, whatever it finds.
    pub touch: Map<String, Value>,
    /// Beginnings of lines that bring others in. What it made of them it keeps for the next text, and says first what it finds with
    /// that. Where there is a `touch` it is told of a text once more, when that may be so.
    pub head: Vec<String>,
}

impl Quirks {
    /// The name of the compiler behind it, whose word follows a save.
    pub fn compiler_name(&self) -> Option<&str> {
        self.saves_for.first().map(String::as_str)
    }

    /// Whether what is signed so follows a save.
    pub fn is_save_only_source(&self, source: &str) -> bool {
        self.saves_for.iter().any(|known| known == source)
    }

    /// What a change breaks or mends it tells by itself, wherever that is.
    pub fn publishes_all_files(&self) -> bool {
        self.pushes_closed && self.dirty_dependents == DependentsPolicy::Told
    }

    /// As it behaves with these initialization options.
    pub(crate) fn with_initialization_options(&self, initialization: &Value) -> Self {
        let is_off =
            |name: &String| initialization.get(name).is_none_or(|value| *value == Value::Bool(false));
        let mut quirks = self.clone();
        if quirks.saves_if.as_ref().is_some_and(is_off) {
            quirks.saves_for.clear();
        }
        quirks
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum ReadinessSignal {
    /// `experimental/serverStatus` with `quiescent: true`, which the client must announce.
    ServerStatus,
    /// When no progress of these runs any more.
    ProgressEnds {
        /// Beginnings of tokens that are strings.
        #[serde(default)]
        tokens: Vec<String>,
        /// Beginnings of titles. With neither, every progress counts.
        #[serde(default)]
        titles: Vec<String>,
        /// How long after the first document was opened the first of them may take to begin, in milliseconds. If none has
        /// begun by then there was nothing to load.
        begins_ms: u64,
    },
    /// It answers only when it can: its first answer is right.
    FirstAnswer,
}

impl Default for ReadinessSignal {
    /// Whatever it reports to be doing may change what it says.
    fn default() -> Self {
        Self::ProgressEnds { tokens: Vec::new(), titles: Vec::new(), begins_ms: 1000 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PullSupport {
    /// Not even where it is offered: its answers are malformed. The client does not announce it.
    Never,
    /// Where it is offered, in the answer to `initialize` or registered later.
    #[default]
    IfOffered,
    /// It never publishes what is asked for, so there is nothing to wait for besides.
    Only,
    /// By `workspace/executeCommand` with a request for the TypeScript compiler below it, where that is offered: its answer is for the
    /// texts that were told before, and is given when the project is read. What it publishes names no version.
    Tsserver,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DependentsPolicy {
    /// It looks at each file alone: there are none.
    None,
    /// It publishes for them by itself, with the versions that they have.
    Told,
    /// It must be asked: by a pull, or, where it has none, by a change of them that changes nothing.
    #[default]
    Asked,
    /// It sees only what is saved.
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
            settle_ms: 0,
            quiet_ms: 500,
            silent_when_unchanged: false,
            silence_ms: 1000,
            saves_for: Vec::new(),
            save_tokens: Vec::new(),
            save_begins_ms: 500,
            saves_if: None,
            dirty_dependents: DependentsPolicy::default(),
            sees_unsaved: true,
            pushes_closed: false,
            change: Map::new(),
            touch: Map::new(),
            head: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_said_is_as_for_a_server_of_which_nothing_is_known() {
        let quirks: Quirks = serde_json::from_value(json!({
            "ready": { "progressEnds": { "titles": ["Loading"], "beginsMs": 300 } },
            "pull": "never",
            "settleMs": 1200,
        }))
        .unwrap();
        let ready = ReadinessSignal::ProgressEnds {
            tokens: vec![],
            titles: vec!["Loading".to_owned()],
            begins_ms: 300,
        };
        assert_eq!(quirks, Quirks { ready, pull: PullSupport::Never, settle_ms: 1200, ..Quirks::default() });
        assert!(serde_json::from_value::<Quirks>(json!({ "settle": 1 })).is_err());
    }

    #[test]
    fn nothing_follows_a_save_where_that_is_switched_off() {
        let quirks = Quirks {
            saves_for: vec!["rustc".to_owned()],
            saves_if: Some("checkOnSave".to_owned()),
            ..Quirks::default()
        };
        for (options, follows) in [
            (json!({ "checkOnSave": true }), true),
            (json!({ "checkOnSave": { "enable": true } }), true),
            (json!({ "checkOnSave": false }), false),
            (json!({}), false),
        ] {
            assert_eq!(
                !quirks.with_initialization_options(&options).saves_for.is_empty(),
                follows,
                "{options}"
            );
        }
    }
}
