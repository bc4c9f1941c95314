//! The languages and the language servers that are known, as data: `known_servers.json`.
//!
//! A server is an entry there and nothing else: no code asks for a server's name. The order of the entries is the order in which
//! servers for one language are tried where nothing in the project speaks for one of them.

mod language;
mod package_manager;
mod root_markers;

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::quirks::{PullSupport, Quirks, ReadinessSignal};

pub use language::{Language, language_of};
pub use package_manager::PackageManager;
pub use root_markers::{ProjectMarker, RootMarkers};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageCatalogue {
    languages: Vec<Language>,
    servers: Vec<KnownServer>,
    /// How a server behaves that an editor started and that is not among `servers`.
    #[serde(rename = "otherEditorServers", default)]
    other_editor_servers: Quirks,
}

/// A server that is known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct KnownServer {
    /// As reports name it.
    pub name: String,
    /// Other names that a configuration may use.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Ids of languages.
    pub languages: Vec<String>,
    #[serde(default)]
    pub role: ServerRole,
    /// Programs with their arguments, which are all the same server; the first that is found is used.
    pub commands: Vec<Vec<String>>,
    /// What a person does to have it, in one line.
    pub install: String,
    /// The package managers that put it into a project; without one it is not looked for there.
    #[serde(default)]
    pub made_by: Vec<PackageManager>,
    /// It loads and runs what lies in the project, whatever it is told.
    #[serde(default)]
    pub runs_project: bool,
    /// Where its project begins: the first of these that is found; without one, the workspace.
    #[serde(default)]
    pub roots: Vec<RootMarkers>,
    /// It serves only where one of these is there.
    #[serde(default)]
    pub requires: Vec<ProjectMarker>,
    /// It does not serve where one of these is there.
    #[serde(default)]
    pub unless: Vec<ProjectMarker>,
    /// The project speaks for it, among several that are there.
    #[serde(default)]
    pub prefer: Vec<ProjectMarker>,
    /// Only a program that lies in the project is the right one: others of that name are something else.
    #[serde(default)]
    pub in_project: bool,
    /// `initializationOptions`; see [`crate::server_selection`] for what stands in `${…}`.
    #[serde(default)]
    pub initialization: Value,
    /// What `workspace/configuration` is answered from.
    #[serde(default)]
    pub settings: Value,
    #[serde(default)]
    pub quirks: Quirks,
    /// What is different where an editor starts it, with other options than ours.
    #[serde(default)]
    pub in_editors: EditorLaunchQuirks,
}

impl KnownServer {
    /// All names of it: ours, and those that configurations and editors use.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.name].into_iter().chain(&self.aliases).map(String::as_str)
    }

    /// How it behaves where an editor starts it with this command.
    fn quirks_in_editor(&self, command: &[String]) -> Quirks {
        let mut quirks = self.quirks.clone();
        if let Some(settle_ms) = self.in_editors.settle_ms {
            quirks.settle_ms = settle_ms;
            // One that gathers changes for longer also says nothing for longer: gopls for a second, by default.
            quirks.silence_ms = quirks.silence_ms.max(2 * settle_ms);
        }
        let missing = self.in_editors.unsaved_argument.as_ref().filter(|wanted| !command.contains(wanted));
        quirks.sees_unsaved = missing.is_none();
        if quirks.ready == ReadinessSignal::ServerStatus {
            // The editor may not have asked it for its status, or the status was sent before the daemon listened.
            quirks.ready = TABLE.other_editor_servers.ready.clone();
        }
        quirks
    }
}

/// How a server behaves where somebody else starts it: what our options change about it is missing there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct EditorLaunchQuirks {
    /// In the place of the `settle_ms` that it has with our options.
    pub settle_ms: Option<u64>,
    /// The argument without which it sees other documents as they were saved, and not as they are.
    pub unsaved_argument: Option<String>,
}

/// What a server is there for. Of the first kind one serves a file, of the second any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ServerRole {
    /// It knows the language: types, names, what is where.
    #[default]
    Language,
    /// It looks for more, beside the other.
    Linter,
}

static TABLE: LazyLock<LanguageCatalogue> =
    // A test reads the file; an unreadable one would leave only the user's own servers.
    LazyLock::new(|| {
        serde_json::from_str(include_str!("known_servers/known_servers.json")).unwrap_or_default()
    });

/// In the order in which they are tried.
pub fn known_servers() -> &'static [KnownServer] {
    &TABLE.servers
}

/// By its name or another name of it.
pub fn known_server(name: &str) -> Option<&'static KnownServer> {
    known_servers().iter().find(|known| known.names().any(|known| known == name))
}

/// How a server behaves that an editor started: `names` are the editor's name of it and its own. `has_tsserver` is whether it offers to
/// pass requests on to the TypeScript compiler.
pub fn quirks_in_editor<'a>(
    names: impl IntoIterator<Item = &'a str>,
    command: &[String],
    has_tsserver: bool,
) -> Quirks {
    let known = names.into_iter().find_map(known_server);
    let mut quirks =
        known.map_or_else(|| TABLE.other_editor_servers.clone(), |known| known.quirks_in_editor(command));
    if known.is_none() && has_tsserver {
        quirks.pull = PullSupport::Tsserver;
    }
    // An editor sends its own changes.
    quirks.change.clear();
    quirks
}

pub fn languages() -> &'static [Language] {
    &TABLE.languages
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_entry_can_be_read_and_says_what_is_needed() {
        let table: LanguageCatalogue =
            serde_json::from_str(include_str!("known_servers/known_servers.json")).unwrap();
        let languages: BTreeSet<_> = table.languages.iter().map(|language| &*language.id).collect();
        assert_eq!(languages.len(), table.languages.len(), "no language stands there twice");
        let mut names = BTreeSet::new();
        for server in &table.servers {
            let name = &server.name;
            for name in server.names() {
                assert!(names.insert(name), "{name} is two servers");
            }
            assert!(!server.install.is_empty() && !server.install.contains('\n'), "{name}");
            assert!(server.commands.iter().all(|command| !command.is_empty()), "{name}");
            assert!(!server.commands.is_empty() && !server.languages.is_empty(), "{name}");
            for language in &server.languages {
                assert!(languages.contains(&**language), "{name}: {language} is no language");
            }
        }
    }

    /// Those of OpenCode, by its names, so that its configuration means the same here; and ours.
    #[test]
    fn the_servers_that_people_know_are_there() {
        let opencode = "deno typescript vue eslint oxlint biome gopls ruby-lsp ty pyright elixir-ls zls csharp razor fsharp sourcekit-lsp rust clangd svelte astro jdtls kotlin-ls yaml-ls lua-ls prisma dart ocaml-lsp bash terraform texlab dockerfile gleam clojure-lsp nixd tinymist haskell-language-server julials";
        let more = "basedpyright pyrefly vtsls typescript-native json css html ruff rust-analyzer";
        for name in opencode.split(' ').chain(more.split(' ')).chain(["php intelephense"]) {
            assert!(known_server(name).is_some(), "{name}");
        }
        assert!(known_servers().len() >= 40);
    }
}
