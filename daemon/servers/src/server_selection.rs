//! Selects the language servers of a file: one for its language, and the linters that the project is set up for.
//!
//! Among several servers for the language, the one with the nearest project root wins, so that a Deno project inside a
//! Node one, or the reverse, has its own. Then, in this order: the one that the user configured, one that is installed,
//! one that the project's files prefer, one that is installed in the project, the first in `known_servers.json`.
//!
//! The initialization options and settings of known servers may contain placeholders, each as a whole string:
//! `${python}` is the interpreter of the project's environment, `${tsdk}` its TypeScript library, `${rootUri}` and
//! `${rootName}` the project's root, `${allowsProjectPrograms}` whether the project's programs may run. A member whose
//! placeholder has no value is left out.

mod placeholders;
mod preferences;

use std::cmp::Reverse;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use copydesk_workspace::process::sandbox::ProgramSandbox;
use serde_json::Value;

use crate::known_servers::{
    KnownServer, ProjectMarker, RootMarkers, ServerRole, known_server, known_servers, language_of,
};
use crate::program_search::{ProgramLookup, ProgramOrigin, ProgramSearch};
use crate::quirks::Quirks;

pub use preferences::{ServerOverride, ServerPreferences};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedServer {
    /// Its name in reports.
    pub name: String,
    /// The language id of the file.
    pub language: String,
    pub role: ServerRole,
    /// The root of the project.
    pub root: PathBuf,
    pub program: ProgramLookup,
    /// Changes to its environment.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// Where it runs; outside of any sandbox unless the caller says otherwise.
    pub sandbox: ProgramSandbox,
    /// `initializationOptions`.
    pub initialization: Value,
    /// The answers to `workspace/configuration`, by section.
    pub settings: Value,
    pub quirks: Quirks,
}

#[derive(Debug, Clone, Copy)]
pub struct ServedFile<'a> {
    /// Canonical.
    pub path: &'a Path,
    pub first_line: &'a str,
    /// Its workspace. Nothing above it is searched.
    pub root: &'a Path,
}

/// The server for the language comes first. Missing servers are included, with how to install them, unless another one
/// replaces them.
pub fn servers_for(
    search: &ProgramSearch,
    settings: &ServerPreferences,
    wanted: ServedFile<'_>,
) -> Vec<SelectedServer> {
    let Some(folder) = wanted.path.parent().filter(|_| settings.is_enabled) else { return Vec::new() };
    let context = SelectionContext { search, settings, wanted, folder };
    let (mut language_servers, mut linters): (Vec<_>, Vec<_>) =
        context.candidates().into_iter().partition(|candidate| candidate.chosen.role == ServerRole::Language);
    language_servers.sort_by_key(|candidate| Reverse(candidate.rank));
    language_servers.truncate(1);
    language_servers.append(&mut linters);
    language_servers.into_iter().map(|candidate| candidate.chosen).collect()
}

struct SelectionContext<'a> {
    search: &'a ProgramSearch,
    settings: &'a ServerPreferences,
    wanted: ServedFile<'a>,
    folder: &'a Path,
}

/// The best is the greatest: the user's own server, the depth of its project, configured, installed, preferred by the
/// project's files, installed in the project, early in the list.
type CandidateRank = (bool, usize, bool, bool, bool, bool, Reverse<usize>);

struct ServerCandidate {
    chosen: SelectedServer,
    rank: CandidateRank,
}

impl SelectionContext<'_> {
    fn candidates(&self) -> Vec<ServerCandidate> {
        let language = language_of(self.wanted.path, self.wanted.first_line);
        let known = known_servers().iter().enumerate().filter_map(|(index, known)| {
            let own = self.settings.override_for(known);
            let serves = match own.filter(|own| !own.extensions.is_empty()) {
                Some(own) => own.matches_path(self.wanted.path),
                None => language.is_some_and(|id| known.languages.iter().any(|served| served == id)),
            };
            let is_enabled = own.is_none_or(|own| !own.is_disabled);
            let is_enabled = is_enabled && (self.search.allows_project_programs || !known.runs_project_code);
            (serves && is_enabled && self.applies(known, own))
                .then(|| self.known_candidate(index, known, own, language))
        });
        let own = self.settings.servers.iter().filter(|(name, own)| {
            known_server(name).is_none() && !own.is_disabled && own.matches_path(self.wanted.path)
        });
        known.chain(own.map(|(name, own)| self.own_candidate(name, own, language))).collect()
    }

    fn has_marker(&self, markers: &[ProjectMarker]) -> bool {
        let nearest =
            |marker: &ProjectMarker| marker.nearest_folder(&*self.search.view, self.folder, self.wanted.root);
        markers.iter().any(|marker| nearest(marker).is_some())
    }

    /// A configured program applies, whatever the project's files say.
    fn applies(&self, known: &KnownServer, own: Option<&ServerOverride>) -> bool {
        let is_configured = own.is_some_and(|own| !own.command.is_empty());
        (is_configured || known.requires.is_empty() || self.has_marker(&known.requires))
            && !self.has_marker(&known.unless)
    }

    fn known_candidate(
        &self,
        index: usize,
        known: &KnownServer,
        own: Option<&ServerOverride>,
        language: Option<&str>,
    ) -> ServerCandidate {
        let command = own.map(|own| &own.command).filter(|command| !command.is_empty());
        let (folder, root) = (self.folder, self.wanted.root);
        let program = match command {
            Some(command) => self.search.find_configured(command, folder, root),
            None => self.find(known),
        };
        let roots = own.map(|own| &own.roots).filter(|roots| !roots.is_empty()).unwrap_or(&known.roots);
        let rank = (
            false,
            self.depth(roots),
            command.is_some(),
            program.origin().is_some(),
            self.has_marker(&known.prefer),
            program.origin() == Some(ProgramOrigin::Project),
            Reverse(index),
        );
        let root = self.root(roots);
        let mut initialization = placeholders::expand_placeholders(
            &known.initialization,
            self.search,
            folder,
            self.wanted.root,
            &root,
        );
        let mut settings =
            placeholders::expand_placeholders(&known.settings, self.search, folder, self.wanted.root, &root);
        if let Some(own) = own {
            placeholders::merge_settings(&mut initialization, &own.initialization);
            placeholders::merge_settings(&mut settings, &own.settings);
        }
        let quirks = known.quirks.with_initialization_options(&initialization);
        let chosen = SelectedServer {
            name: known.name.clone(),
            language: self.language(language),
            role: known.role,
            root,
            program,
            environment: own.map(ServerOverride::environment).unwrap_or_default(),
            sandbox: ProgramSandbox::default(),
            initialization,
            settings,
            quirks,
        };
        ServerCandidate { chosen, rank }
    }

    fn own_candidate(&self, name: &str, own: &ServerOverride, language: Option<&str>) -> ServerCandidate {
        let program = self.search.find_configured(&own.command, self.folder, self.wanted.root);
        let rank = (true, 0, true, program.origin().is_some(), false, false, Reverse(0));
        let chosen = SelectedServer {
            name: name.to_owned(),
            language: self.language(language),
            role: if own.is_additional { ServerRole::Linter } else { ServerRole::Language },
            root: self.root(&own.roots),
            program,
            environment: own.environment(),
            sandbox: ProgramSandbox::default(),
            initialization: own.initialization.clone(),
            settings: own.settings.clone(),
            quirks: Quirks::default(),
        };
        ServerCandidate { chosen, rank }
    }

    fn find(&self, known: &KnownServer) -> ProgramLookup {
        let (folder, root) = (self.folder, self.wanted.root);
        let found = if known.only_in_project {
            known.commands.iter().find_map(|command| self.search.find_in_project(command, folder, root))
        } else {
            self.search.find_program(&known.commands, folder, root)
        };
        match found {
            Some((command, place)) => ProgramLookup::Found { command, place },
            None => ProgramLookup::Missing { hint: known.install.clone() },
        }
    }

    /// An unknown language is `plaintext`; the server decides what to do with it.
    fn language(&self, language: Option<&str>) -> String {
        language.unwrap_or("plaintext").to_owned()
    }

    fn root(&self, roots: &[RootMarkers]) -> PathBuf {
        let (view, root) = (&*self.search.view, self.wanted.root);
        let found = roots.iter().find_map(|group| group.find_root(view, self.folder, root));
        let fallback = if self.folder.starts_with(root) { root } else { self.folder };
        found.unwrap_or_else(|| fallback.to_owned())
    }

    /// The depth of the nearest project marker.
    fn depth(&self, roots: &[RootMarkers]) -> usize {
        let markers = roots.iter().flat_map(RootMarkers::markers);
        let folders = markers
            .filter_map(|marker| marker.nearest_folder(&*self.search.view, self.folder, self.wanted.root));
        folders.map(|folder| folder.components().count()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
