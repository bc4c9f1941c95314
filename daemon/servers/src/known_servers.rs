//! The known languages and language servers, as data: `known_servers.json`.
//!
//! A server is an entry there and nothing else: no code checks a server's name. If nothing in the project favours one
//! of several servers for a language, they are tried in the order of their entries.

mod language;
mod package_manager;
mod root_markers;

use std::collections::BTreeSet;
use std::path::Path;
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
    /// Quirks of an editor's server that is not among `servers`. They are less careful than `Quirks::default`: the daemon
    /// cannot send such a server a text once more, so with its `debounce_ms` a publish that came early would leave every
    /// verdict unknown. Instead a publish without a version counts, as likely, once no other has followed for `republish_ms`:
    /// after one about the text before, the server publishes the next within that time.
    #[serde(rename = "otherEditorServers", default)]
    other_editor_servers: Quirks,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct KnownServer {
    /// Its name in reports.
    pub name: String,
    /// Other names that a configuration or an editor may use; among them its name in nvim-lspconfig.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Ids of languages.
    pub languages: Vec<String>,
    #[serde(default)]
    pub role: ServerRole,
    /// Programs with their arguments: several names of the server, or other servers for the same languages. The first one found
    /// is used.
    pub commands: Vec<Vec<String>>,
    /// How the user installs it, in one line.
    pub install: String,
    /// The package managers that install it into a project; without one, the daemon does not search the project for it.
    #[serde(default)]
    pub package_managers: Vec<PackageManager>,
    /// It runs code of the project, whatever its options are: a build definition (`mix.exs`, `build.zig`), or plugins.
    #[serde(default)]
    pub runs_project_code: bool,
    /// Its root: the first of these that is found; else the workspace.
    #[serde(default)]
    pub roots: Vec<RootMarkers>,
    /// It serves only projects with one of these.
    #[serde(default)]
    pub requires: Vec<ProjectMarker>,
    /// It does not serve projects with one of these.
    #[serde(default)]
    pub unless: Vec<ProjectMarker>,
    /// Projects with one of these prefer it to other servers.
    #[serde(default)]
    pub prefer: Vec<ProjectMarker>,
    /// The daemon searches only the project for it, not `PATH`, where a program of that name is something else.
    #[serde(default)]
    pub only_in_project: bool,
    /// `initializationOptions`; see [`crate::server_selection`] for `${…}`.
    #[serde(default)]
    pub initialization: Value,
    /// Answers to `workspace/configuration`.
    #[serde(default)]
    pub settings: Value,
    #[serde(default)]
    pub quirks: Quirks,
    /// What differs if an editor starts it, with other options than ours.
    #[serde(default)]
    pub in_editors: EditorLaunchQuirks,
}

impl KnownServer {
    /// Its name and its aliases in configurations and editors.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [&self.name].into_iter().chain(&self.aliases).map(String::as_str)
    }

    /// Its quirks if an editor starts it with this command.
    fn quirks_in_editor(&self, command: &[String]) -> Quirks {
        let mut quirks = self.quirks.clone();
        if let Some(republish_ms) = self.in_editors.republish_ms {
            quirks.republish_ms = republish_ms;
        }
        let missing = self.in_editors.unsaved_argument.as_ref().filter(|wanted| !command.contains(wanted));
        quirks.sees_unsaved &= missing.is_none();
        if let Some(ready) = &self.in_editors.ready {
            quirks.ready = ready.clone();
        } else if quirks.ready == ReadinessSignal::ServerStatus {
            // The editor may not have asked for the status, or the server sent it before the daemon listened.
            quirks.ready = CATALOGUE.other_editor_servers.ready.clone();
        }
        quirks
    }
}

/// Quirks of a server without our options.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct EditorLaunchQuirks {
    /// Replaces the `republish_ms` that it has with our options.
    pub republish_ms: Option<u64>,
    /// Replaces the `ready` that it has with our options.
    pub ready: Option<ReadinessSignal>,
    /// Without this argument, it sees the saved texts of other documents instead of the current ones.
    pub unsaved_argument: Option<String>,
}

/// What a server does. Of the first kind one serves a file, of the second any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ServerRole {
    /// It knows the language: types, names, definitions.
    #[default]
    Language,
    /// It finds more problems, beside the language server.
    Linter,
}

static CATALOGUE: LazyLock<LanguageCatalogue> =
    // A test parses the file; with a malformed one, only the user's own servers would be left.
    LazyLock::new(|| {
        serde_json::from_str(include_str!("known_servers/known_servers.json")).unwrap_or_default()
    });

/// In the order in which they are tried.
pub fn known_servers() -> &'static [KnownServer] {
    &CATALOGUE.servers
}

/// By its name or an alias.
pub fn known_server(name: &str) -> Option<&'static KnownServer> {
    known_servers().iter().find(|known| known.names().any(|known| known == name))
}

/// The quirks of an editor's server. `names` are the editor's name for it and its own, `languages` those that it serves if
/// the editor does not know which server it is. `has_tsserver`: it offers to pass requests on to tsserver.
pub fn quirks_in_editor<'a>(
    names: impl IntoIterator<Item = &'a str>,
    languages: &[String],
    command: &[String],
    has_tsserver: bool,
) -> Quirks {
    let known = names.into_iter().find_map(known_server);
    let mut quirks =
        known.map_or_else(|| quirks_of_unknown_server(languages), |known| known.quirks_in_editor(command));
    if known.is_none() && has_tsserver {
        quirks.pull = PullSupport::Tsserver;
    }
    // The editor sends its own didChange.
    quirks.change.clear();
    quirks
}

/// An unknown server of a language may have the compiler and the configuration files of the known ones.
fn quirks_of_unknown_server(languages: &[String]) -> Quirks {
    let mut quirks = CATALOGUE.other_editor_servers.clone();
    let is_for = |known: &&KnownServer| known.languages.iter().any(|language| languages.contains(language));
    for known in known_servers().iter().filter(is_for) {
        let Quirks { save_sources, save_tokens, save_begins_ms, configured_by, configuration_ms, .. } =
            known.quirks.clone();
        if quirks.save_sources.is_empty() && !save_sources.is_empty() {
            (quirks.save_sources, quirks.save_tokens) = (save_sources, save_tokens);
            quirks.save_begins_ms = save_begins_ms;
        }
        quirks.configuration_ms = quirks.configuration_ms.max(configuration_ms);
        quirks.configured_by.extend(configured_by);
    }
    quirks
}

/// The ids of the languages whose servers this file configures.
pub fn configured_languages(path: &Path) -> BTreeSet<&'static str> {
    let configured = known_servers().iter().filter(|known| known.quirks.names_configuration(path));
    configured.flat_map(|known| known.languages.iter().map(String::as_str)).collect()
}

pub fn languages() -> &'static [Language] {
    &CATALOGUE.languages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_configures_the_servers_that_read_it() {
        for (path, language, expected) in [
            ("/w/tsconfig.json", "typescript", true),
            ("/w/tsconfig.build.json", "typescript", true),
            ("/w/Cargo.toml", "rust", true),
            ("/w/.cargo/config.toml", "rust", true),
            ("/w/config.toml", "rust", false),
            ("/w/pyproject.toml", "python", true),
            ("/w/compile_flags.txt", "c", true),
            ("/w/Cargo.toml", "python", false),
            ("/w/main.rs", "rust", false),
        ] {
            assert_eq!(
                configured_languages(Path::new(path)).contains(language),
                expected,
                "{path} {language}"
            );
        }
    }

    /// The daemon starts clangd without its index; editors with it, and it answers long before that is complete.
    #[test]
    fn clangd_may_not_know_closed_files() {
        assert!(known_server("clangd").unwrap().quirks.open_files_only);
        assert!(quirks_in_editor(["clangd"], &[], &["clangd".to_owned()], false).open_files_only);
    }

    #[test]
    fn an_unknown_server_has_the_compiler_of_its_language() {
        let quirks = |language: &str| quirks_in_editor(["VS Code"], &[language.to_owned()], &[], false);
        let rust = quirks("rust");
        assert_eq!(rust.compiler_name(), Some("rustc"));
        assert_eq!(rust.ready, quirks("lua").ready, "it is still an unknown server");
        assert!(rust.configured_by.contains(&"Cargo.toml".to_owned()));
        assert_eq!(quirks("python").compiler_name(), None);
    }

    #[test]
    fn every_entry_parses_and_is_complete() {
        let table: LanguageCatalogue =
            serde_json::from_str(include_str!("known_servers/known_servers.json")).unwrap();
        let languages: BTreeSet<_> = table.languages.iter().map(|language| &*language.id).collect();
        assert_eq!(languages.len(), table.languages.len(), "no language is listed twice");
        let mut names = BTreeSet::new();
        for server in &table.servers {
            let name = &server.name;
            for name in server.names() {
                assert!(names.insert(name), "{name} names two servers");
            }
            assert!(!server.install.is_empty() && !server.install.contains('\n'), "{name}");
            assert!(server.commands.iter().all(|command| !command.is_empty()), "{name}");
            assert!(!server.commands.is_empty() && !server.languages.is_empty(), "{name}");
            for language in &server.languages {
                assert!(languages.contains(&**language), "{name}: {language} is not a known language");
            }
        }
    }

    /// OpenCode's servers, by its names, so that its configuration means the same here; ours; and the names of editors.
    #[test]
    fn the_usual_servers_are_known() {
        let opencode = "deno typescript vue eslint oxlint biome gopls ruby-lsp ty pyright elixir-ls zls csharp razor fsharp sourcekit-lsp rust clangd svelte astro jdtls kotlin-ls yaml-ls lua-ls prisma dart ocaml-lsp bash terraform texlab dockerfile gleam clojure-lsp nixd tinymist haskell-language-server julials";
        let more =
            "basedpyright pyrefly vtsls typescript-native typescript-7 json css html ruff rust-analyzer";
        // The names in nvim-lspconfig, by which an editor's server is recognised.
        let lspconfig = "astro basedpyright bashls biome clangd clojure_lsp cmake csharp_ls cssls dartls denols docker_language_server dockerls elixirls elmls elp eslint expert fsautocomplete gleam gopls hls html intelephense jdtls jsonls julials kotlin_language_server kotlin_lsp lua_ls metals neocmake nil_ls nixd ocamllsp omnisharp oxlint phpactor prismals pyrefly pyright r_language_server roslyn_ls ruby_lsp ruff rust_analyzer sourcekit svelte taplo terraformls texlab tinymist tofu_ls tombi ts_ls tsc ty vtsls vue_ls yamlls zls";
        let all = [opencode, more, lspconfig].into_iter().flat_map(|names| names.split(' '));
        for name in all.chain(["php intelephense"]) {
            assert!(known_server(name).is_some(), "{name}");
        }
        assert!(known_servers().len() >= 40);
    }
}
