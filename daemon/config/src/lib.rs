//! The configuration: `copydesk.jsonc` of the user and of the project, merged.
//!
//! Each text goes the same way, alone, so that whatever is wrong with it is told with its own file, line and
//! column: `parse` → `normalise` (older spellings) → `check` (unknown keys) → `substitute` (`{env:…}`,
//! `{file:…}`) → `decode` (types). Only then is it merged over the ones before it. `discover` says which
//! texts there are and in which order, `merge` what merging means.

use std::{collections::BTreeSet, io, path::Path, sync::Arc};

use self::{
    error::Warnings,
    merge::{Place, merge},
    substitute::{BUDGET, Substitution},
    tree::{Kind, Node},
};
pub use self::{
    error::{Error, Remark, Warning},
    mask::mask,
    merged::Merged,
    schema::schema,
    show::{Entry, entries},
    source::{Layer, Origin, Source},
    types::{
        Action, Agent, AgentMode, AllowPrivate, Attachment, Checker, CheckerColumns, CheckerFormat, Command,
        Compaction, Config, Cost, DiagnosticSource, Diagnostics, Edits, Formatter, ImageAttachment,
        LanguageServer, Limit, Mcp, McpKind, Modalities, Model, OAuth, Permission, Provider, ProviderOptions,
        Reasoning, Retry, Rule, Save, SearchEngine, SearchKind, Secret, Skills, Switch, Timeout, ToolOutput,
        Webfetch, Wire,
    },
};
use crate::{
    paths::{Env, Paths, workspace_root},
    trust::Trust,
    warnings::WarningCollector,
};

mod check;
mod decode;
mod discover;
mod error;
pub mod keys;
mod mask;
mod merge;
mod merged;
mod normalise;
mod parse;
pub mod paths;
mod private_file;
mod read;
mod schema;
mod show;
mod source;
mod substitute;
#[cfg(test)]
mod tests;
mod tree;
pub mod trust;
mod types;
mod warnings;

const CONTENT: &str = "COPYDESK_CONFIG_CONTENT";

/// For whom, and from where, the configuration is read.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    pub paths: &'a Paths,
    pub cwd: &'a Path,
    pub env: &'a Env<'a>,
}

impl std::fmt::Debug for Search<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Search").field("paths", self.paths).field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

/// The configuration, and how it came to be.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub config: Config,
    /// The same without the files that are not trusted: what the person says, whatever a repository says about it.
    pub own: Config,
    /// The variables that the person's own texts bring into what they say of providers and search engines, by `{env:…}`.
    pub variables_sent: BTreeSet<String>,
    pub merged: Merged,
    pub warnings: Vec<Warning>,
    /// What those who read the configuration find odd about it, `warnings` included.
    collector: WarningCollector,
    /// In the order of merging.
    pub files: Vec<LoadedFile>,
}

/// One text that was read.
#[derive(Clone, PartialEq, Eq)]
pub struct LoadedFile {
    pub source: Arc<Source>,
    /// Exactly what was read, which is what trust is given to.
    pub text: String,
}

impl std::fmt::Debug for LoadedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedFile").field("source", &self.source).finish_non_exhaustive()
    }
}

/// Reads the configuration.
pub fn load(search: &Search<'_>) -> Result<Loaded, Error> {
    let no_folder = |error: io::Error| Error::NoFolder { path: search.cwd.into(), error };
    let cwd = std::path::absolute(search.cwd).map_err(no_folder)?;
    let root = workspace_root(&cwd).map_err(no_folder)?;
    let mut warnings = Vec::new();
    let files = read_all(search, &root, &cwd, &mut warnings)?;

    let (mut nodes, mut variables_sent) = (Vec::new(), BTreeSet::new());
    for file in &files {
        let (node, variables) = Reading { search, root: &root, cwd: &cwd }.file(file, &mut warnings)?;
        nodes.push(node);
        variables_sent.extend(variables);
    }
    let trusted: Vec<_> = nodes.iter().filter(|node| node.origin.trusted()).cloned().collect();
    let all_trusted = trusted.len() == nodes.len();
    let root = merge_all(nodes);
    let config: Config = decode::decode(&root)?;
    let own = if all_trusted { config.clone() } else { decode::decode(&merge_all(trusted))? };
    warnings.extend(check::incomplete(&config, &root));
    let collector = WarningCollector::default();
    warnings.iter().for_each(|warning| collector.add(warning));
    Ok(Loaded { config, own, variables_sent, merged: Merged { root }, warnings, collector, files })
}

impl Loaded {
    /// Notes something that the user should know about this configuration. Whoever can show it takes it.
    pub fn warn(&self, warning: impl std::fmt::Display) {
        self.collector.add(warning);
    }

    /// Every warning that nobody has taken yet, those of the files first.
    pub fn take_warnings(&self) -> Vec<String> {
        self.collector.take()
    }
}

fn merge_all(nodes: Vec<Node>) -> Node {
    nodes.into_iter().reduce(|earlier, later| merge(earlier, later, Place::Root)).unwrap_or_else(nothing)
}

fn read_all(
    search: &Search<'_>,
    root: &Path,
    cwd: &Path,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<LoadedFile>, Error> {
    let trust = Trust::load(&search.paths.state_dir).unwrap_or_else(|error| {
        warnings
            .push(Warning::about(error.path(), format!("{}; no project file is trusted", error.reason())));
        Trust::empty(&search.paths.state_dir)
    });
    let mut files = Vec::new();
    for found in discover::discover(search.paths, search.env, root, cwd, warnings)? {
        let text = read::read_text(&found.path)?;
        let trusted = found.layer != Layer::Project || trust.covers(&found.path, text.as_bytes());
        let source = Source { layer: found.layer, path: found.path, opencode: found.opencode, trusted };
        files.push(LoadedFile { source: Arc::new(source), text });
    }
    if let Some(text) = (search.env)(CONTENT).filter(|text| !text.is_empty()) {
        let text = text.into_string().map_err(|_| Error::VariableNotText(CONTENT))?;
        if text.len() as u64 > read::LIMIT {
            return Err(Error::TooLarge { path: CONTENT.into(), limit: read::LIMIT });
        }
        let source = Source { layer: Layer::Inline, path: CONTENT.into(), opencode: false, trusted: true };
        files.push(LoadedFile { source: Arc::new(source), text });
    }
    Ok(files)
}

/// The way of one text from characters to a tree that is known to be right.
struct Reading<'a> {
    search: &'a Search<'a>,
    root: &'a Path,
    cwd: &'a Path,
}

impl Reading<'_> {
    fn file(
        &self,
        file: &LoadedFile,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Node, BTreeSet<String>), Error> {
        let mut own = Warnings::default();
        let result = self.tree(file, &mut own);
        warnings.extend(own.finish(&file.source, &file.text));
        result.map_err(|error| error.with_text(&file.text))
    }

    /// With the variables that count as sent.
    fn tree(&self, file: &LoadedFile, warnings: &mut Warnings) -> Result<(Node, BTreeSet<String>), Error> {
        let mut node = parse::parse(&file.text, &file.source, warnings)?;
        normalise::normalise(&mut node);
        check::prune(&mut node, warnings);
        let sent = if file.source.trusted { substitute::variables_sent(&node) } else { BTreeSet::new() };
        let real_root = self.root.canonicalize().unwrap_or_else(|_| self.root.into());
        let mut substitution = Substitution {
            env: self.search.env,
            home: &self.search.paths.home,
            cwd: self.cwd,
            root: &real_root,
            file: &file.source,
            warnings,
            budget: BUDGET,
        };
        substitution.apply(&mut node)?;
        decode::decode::<Config>(&node)?;
        Ok((node, sent))
    }
}

fn nothing() -> Node {
    let source = Source { layer: Layer::User, path: "".into(), opencode: false, trusted: true };
    Node::new(Origin { file: Arc::new(source), line: 0, column: 0 }, Kind::Object(Vec::new()))
}
