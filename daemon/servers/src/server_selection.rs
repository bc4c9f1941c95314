//! Which language servers serve a file: one that knows its language, and the linters that the project is set up for.
//!
//! Among several that know the language the one whose project begins nearest serves (so that a Deno project inside a Node one, or
//! the other way round, has its own); of those the one that a person configured, then those that are installed, then the one that
//! the project's files speak for, then one that is installed in the project, then the first in `known_servers.json`.
//!
//! In the initialization options and settings of known servers stand for themselves, as a whole text: `${python}` the interpreter
//! of the project's environment, `${tsdk}` its TypeScript library, `${rootUri}` and `${rootName}` the project's root,
//! `${inProject}` whether programs of the project may be run. A member whose text stands for nothing is left out.

mod placeholders;
mod preferences;

use std::cmp::Reverse;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::known_servers::{
    KnownServer, ProjectMarker, RootMarkers, ServerRole, known_server, known_servers, language_of,
};
use crate::program_search::{ProgramLookup, ProgramOrigin, ProgramSearch};
use crate::quirks::Quirks;

pub use preferences::{ServerOverride, ServerPreferences};

/// A server that is to serve a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedServer {
    /// As reports name it.
    pub name: String,
    /// As it is told of the file: a language id.
    pub language: String,
    pub role: ServerRole,
    /// Where the project begins.
    pub root: PathBuf,
    pub program: ProgramLookup,
    /// Changes to its environment.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// `initializationOptions`.
    pub initialization: Value,
    /// What `workspace/configuration` is answered from, by section.
    pub settings: Value,
    pub quirks: Quirks,
}

/// The file that is to be served.
#[derive(Debug, Clone, Copy)]
pub struct ServedFile<'a> {
    /// Absolute, by its real path.
    pub path: &'a Path,
    pub first_line: &'a str,
    /// The workspace that it belongs to. Nothing above it is looked at.
    pub root: &'a Path,
}

/// The one that knows the language comes first. Those that are missing are among them, with how to get them, unless another one
/// takes the place.
pub fn servers_for(
    search: &ProgramSearch,
    settings: &ServerPreferences,
    wanted: ServedFile<'_>,
) -> Vec<SelectedServer> {
    let Some(folder) = wanted.path.parent().filter(|_| settings.is_enabled) else { return Vec::new() };
    let at = SelectionContext { search, settings, wanted, folder };
    let (mut experts, mut linters): (Vec<_>, Vec<_>) =
        at.candidates().into_iter().partition(|candidate| candidate.chosen.role == ServerRole::Language);
    experts.sort_by_key(|candidate| Reverse(candidate.rank));
    experts.truncate(1);
    experts.append(&mut linters);
    experts.into_iter().map(|candidate| candidate.chosen).collect()
}

struct SelectionContext<'a> {
    search: &'a ProgramSearch,
    settings: &'a ServerPreferences,
    wanted: ServedFile<'a>,
    folder: &'a Path,
}

/// The best is the greatest: a person's own, how deep its project begins, whether it is configured, installed, spoken for,
/// installed in the project, and how early it stands in the list.
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
            let is_on = own.is_none_or(|own| !own.is_disabled);
            let is_on = is_on && (self.search.allows_project_programs || !known.runs_project);
            (serves && is_on && self.is_meant(known, own)).then(|| self.known(index, known, own, language))
        });
        let own = self.settings.servers.iter().filter(|(name, own)| {
            known_server(name).is_none() && !own.is_disabled && own.matches_path(self.wanted.path)
        });
        known.chain(own.map(|(name, own)| self.own(name, own, language))).collect()
    }

    fn is_there(&self, signs: &[ProjectMarker]) -> bool {
        let nearest =
            |sign: &ProjectMarker| sign.nearest_folder(&*self.search.view, self.folder, self.wanted.root);
        signs.iter().any(|sign| nearest(sign).is_some())
    }

    /// Whoever configured a program wants it, whatever the project looks like.
    fn is_meant(&self, known: &KnownServer, own: Option<&ServerOverride>) -> bool {
        let is_wanted = own.is_some_and(|own| !own.command.is_empty());
        (is_wanted || known.requires.is_empty() || self.is_there(&known.requires))
            && !self.is_there(&known.unless)
    }

    fn known(
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
            self.is_there(&known.prefer),
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
            initialization,
            settings,
            quirks,
        };
        ServerCandidate { chosen, rank }
    }

    fn own(&self, name: &str, own: &ServerOverride, language: Option<&str>) -> ServerCandidate {
        let program = self.search.find_configured(&own.command, self.folder, self.wanted.root);
        let rank = (true, 0, true, program.origin().is_some(), false, false, Reverse(0));
        let chosen = SelectedServer {
            name: name.to_owned(),
            language: self.language(language),
            role: if own.is_additional { ServerRole::Linter } else { ServerRole::Language },
            root: self.root(&own.roots),
            program,
            environment: own.environment(),
            initialization: own.initialization.clone(),
            settings: own.settings.clone(),
            quirks: Quirks::default(),
        };
        ServerCandidate { chosen, rank }
    }

    fn find(&self, known: &KnownServer) -> ProgramLookup {
        let (folder, root) = (self.folder, self.wanted.root);
        let found = if known.in_project {
            known.commands.iter().find_map(|command| self.search.find_in_project(command, folder, root))
        } else {
            self.search.find_program(&known.commands, folder, root)
        };
        match found {
            Some((command, place)) => ProgramLookup::Found { command, place },
            None => ProgramLookup::Missing { hint: known.install.clone() },
        }
    }

    /// What a server that knows no such language makes of it is its own affair.
    fn language(&self, language: Option<&str>) -> String {
        language.unwrap_or("plaintext").to_owned()
    }

    fn root(&self, roots: &[RootMarkers]) -> PathBuf {
        let (view, root) = (&*self.search.view, self.wanted.root);
        let found = roots.iter().find_map(|group| group.find_root(view, self.folder, root));
        let usual = if self.folder.starts_with(root) { root } else { self.folder };
        found.unwrap_or_else(|| usual.to_owned())
    }

    /// How deep the nearest file lies that speaks of such a project.
    fn depth(&self, roots: &[RootMarkers]) -> usize {
        let signs = roots.iter().flat_map(RootMarkers::markers);
        let folders =
            signs.filter_map(|sign| sign.nearest_folder(&*self.search.view, self.folder, self.wanted.root));
        folders.map(|folder| folder.components().count()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
