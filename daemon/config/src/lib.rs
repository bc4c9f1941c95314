//! The configuration: `copydesk.jsonc` of the user and of the project, merged.
//!
//! Each file is processed alone, so that every message names its own file, line and column: `parse` →
//! `normalise` (older spellings) → `unknown_keys` → `substitute` (`{env:…}`, `{file:…}`) → `decode` (types).
//! Only then is it merged over the earlier files. `discover` finds the files and their order; `merge` defines
//! merging; `keys_without_effect` lists the keys that no code reads.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use self::{
    entries::{ConfigEntry, config_entries},
    error::{ConfigError, ConfigMessage, ConfigWarning},
    mask::mask,
    merged_config::MergedConfig,
    schema::schema,
    source::{ConfigLayer, ConfigOrigin, ConfigSource},
    types::{
        AgentConfig, AgentMode, AllowPrivateConfig, AttachmentConfig, CheckerColumns, CheckerConfig,
        CheckerFormat, CommandConfig, CompactionConfig, Config, ConfigSecret, CostLimitsConfig,
        DiagnosticsConfig, DiagnosticsSourceConfig, EditFormatConfig, FormatterConfig, ImageAttachmentConfig,
        LanguageServerConfig, McpServerConfig, McpServerKind, ModalitiesConfig, ModelConfig, ModelCostConfig,
        ModelLimitConfig, OAuthConfig, PermissionActionConfig, PermissionConfig, PermissionPresetConfig,
        PermissionRuleConfig, ProviderConfig, ProviderOptionsConfig, ReasoningConfig, RetryConfig,
        SandboxConfig, SandboxModeConfig, SandboxSettingsConfig, SaveMode, SearchEngineConfig,
        SearchEngineKind, SkillsConfig, SwitchConfig, TimeoutConfig, ToolOutputConfig, WebfetchConfig,
        WireConfig,
    },
};
use self::{
    error::FileWarnings,
    merge::{MergePosition, merge},
    substitute::{MAX_SUBSTITUTED_BYTES, Substitution},
    tree::{ConfigNode, ConfigNodeKind},
};
use crate::{
    paths::{EnvLookup, UserPaths, workspace_root},
    trust::{TrustStamp, TrustStore},
    warnings::WarningCollector,
};

mod decode;
mod discover;
mod entries;
mod error;
pub mod kept_replies;
pub mod keys;
mod keys_without_effect;
mod mask;
mod merge;
mod merged_config;
mod normalise;
mod parse;
pub mod paths;
pub mod private_file;
mod read;
mod schema;
mod source;
pub mod state_file;
mod substitute;
#[cfg(test)]
mod tests;
mod tree;
pub mod trust;
mod types;
mod unknown_keys;
mod warnings;

const CONTENT: &str = "COPYDESK_CONFIG_CONTENT";

/// Whose configuration to load, and for which folder.
#[derive(Clone, Copy)]
pub struct ConfigSearch<'a> {
    pub paths: &'a UserPaths,
    pub cwd: &'a Path,
    pub env: &'a EnvLookup<'a>,
}

impl std::fmt::Debug for ConfigSearch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConfigSearch")
            .field("paths", self.paths)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone)]
pub struct LoadedConfig {
    pub config: Config,
    /// `config` without the untrusted files: the user's own settings, whatever a repository sets.
    pub trusted_config: Config,
    /// The variables that trusted files bring into providers and search engines by `{env:…}`.
    pub variables_sent: BTreeSet<String>,
    pub merged: MergedConfig,
    pub warnings: Vec<ConfigWarning>,
    /// Collects the warnings of all readers of the configuration, `warnings` included.
    collector: WarningCollector,
    /// In merge order.
    pub files: Vec<LoadedConfigFile>,
    /// The root of the workspace, whose trust `trust` is.
    pub root: PathBuf,
    pub trust: TrustStamp,
}

/// One configuration text.
#[derive(Clone, PartialEq, Eq)]
pub struct LoadedConfigFile {
    pub source: Arc<ConfigSource>,
    /// The exact content; trust applies to it.
    pub text: String,
}

impl std::fmt::Debug for LoadedConfigFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoadedConfigFile").field("source", &self.source).finish_non_exhaustive()
    }
}

/// Loads the configuration.
pub fn load(search: &ConfigSearch<'_>) -> Result<LoadedConfig, ConfigError> {
    let no_folder = |error: io::Error| ConfigError::NoFolder { path: search.cwd.into(), error };
    let cwd = std::path::absolute(search.cwd).map_err(no_folder)?;
    let root = workspace_root(&cwd).map_err(no_folder)?;
    let mut warnings = Vec::new();
    let trust = load_trust(search, &mut warnings);
    let files = read_all(search, &trust, &root, &cwd, &mut warnings)?;

    let (mut nodes, mut variables_sent) = (Vec::new(), BTreeSet::new());
    for file in &files {
        let (node, variables) = ConfigReader { search, root: &root, cwd: &cwd }.file(file, &mut warnings)?;
        nodes.push(node);
        variables_sent.extend(variables);
    }
    let trusted: Vec<_> = nodes.iter().filter(|node| node.origin.is_trusted()).cloned().collect();
    let all_trusted = trusted.len() == nodes.len();
    let merged = merge_all(nodes);
    let config: Config = decode::decode(&merged)?;
    let own = if all_trusted { config.clone() } else { decode::decode(&merge_all(trusted))? };
    warnings.extend(unknown_keys::find_incomplete(&config, &merged));
    let collector = WarningCollector::default();
    warnings.iter().for_each(|warning| collector.add(warning));
    Ok(LoadedConfig {
        config,
        trusted_config: own,
        variables_sent,
        merged: MergedConfig { root: merged },
        warnings,
        collector,
        files,
        trust: trust.stamp(&root),
        root,
    })
}

impl LoadedConfig {
    /// Adds a warning for the user. The next view that can show warnings takes it.
    pub fn warn(&self, warning: impl std::fmt::Display) {
        self.collector.add(warning);
    }

    /// Every warning that no view has taken yet; those about files come first.
    pub fn take_warnings(&self) -> Vec<String> {
        self.collector.take()
    }
}

fn merge_all(nodes: Vec<ConfigNode>) -> ConfigNode {
    nodes
        .into_iter()
        .reduce(|earlier, later| merge(earlier, later, MergePosition::Root))
        .unwrap_or_else(empty_object)
}

/// A list of trusted folders that cannot be read trusts none.
fn load_trust(search: &ConfigSearch<'_>, warnings: &mut Vec<ConfigWarning>) -> TrustStore {
    TrustStore::load(&search.paths.state_dir).unwrap_or_else(|error| {
        let message = format!("{}; no folder is trusted", error.reason());
        warnings.push(ConfigWarning::about_file(error.path(), message));
        TrustStore::empty(&search.paths.state_dir)
    })
}

fn read_all(
    search: &ConfigSearch<'_>,
    trust: &TrustStore,
    root: &Path,
    cwd: &Path,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<Vec<LoadedConfigFile>, ConfigError> {
    let is_root_trusted = trust.trust_of(root).is_trusted();
    let mut files = Vec::new();
    for found in discover::discover(search.paths, search.env, root, cwd, warnings)? {
        let text = read::read_text(&found.path)?;
        let trusted = found.layer != ConfigLayer::Project
            || (is_root_trusted && trust.is_file_trusted(&found.path, text.as_bytes()));
        let source = ConfigSource {
            layer: found.layer,
            path: found.path,
            is_opencode: found.is_opencode,
            is_trusted: trusted,
        };
        files.push(LoadedConfigFile { source: Arc::new(source), text });
    }
    if let Some(text) = (search.env)(CONTENT).filter(|text| !text.is_empty()) {
        let text = text.into_string().map_err(|_| ConfigError::VariableNotText(CONTENT))?;
        if text.len() as u64 > read::MAX_FILE_BYTES {
            return Err(ConfigError::TooLarge { path: CONTENT.into(), limit: read::MAX_FILE_BYTES });
        }
        let source = ConfigSource {
            layer: ConfigLayer::Inline,
            path: CONTENT.into(),
            is_opencode: false,
            is_trusted: true,
        };
        files.push(LoadedConfigFile { source: Arc::new(source), text });
    }
    Ok(files)
}

/// Turns one text into a checked tree.
struct ConfigReader<'a> {
    search: &'a ConfigSearch<'a>,
    root: &'a Path,
    cwd: &'a Path,
}

impl ConfigReader<'_> {
    fn file(
        &self,
        file: &LoadedConfigFile,
        warnings: &mut Vec<ConfigWarning>,
    ) -> Result<(ConfigNode, BTreeSet<String>), ConfigError> {
        let mut own = FileWarnings::default();
        let result = self.tree(file, &mut own);
        warnings.extend(own.finish(&file.source, &file.text));
        result.map_err(|error| error.with_text(&file.text))
    }

    /// Also returns the variables that trusted text sends to providers and search engines.
    fn tree(
        &self,
        file: &LoadedConfigFile,
        warnings: &mut FileWarnings,
    ) -> Result<(ConfigNode, BTreeSet<String>), ConfigError> {
        let mut node = parse::parse(&file.text, &file.source, warnings)?;
        normalise::normalise(&mut node);
        unknown_keys::prune_unknown_keys(&mut node, warnings);
        keys_without_effect::warn_keys_without_effect(&node, warnings);
        let sent = if file.source.is_trusted { substitute::variables_sent(&node) } else { BTreeSet::new() };
        let real_root = self.root.canonicalize().unwrap_or_else(|_| self.root.into());
        let mut substitution = Substitution {
            env: self.search.env,
            home: &self.search.paths.home,
            cwd: self.cwd,
            root: &real_root,
            file: &file.source,
            warnings,
            budget: MAX_SUBSTITUTED_BYTES,
        };
        substitution.apply(&mut node)?;
        decode::decode::<Config>(&node)?;
        Ok((node, sent))
    }
}

fn empty_object() -> ConfigNode {
    let source =
        ConfigSource { layer: ConfigLayer::User, path: "".into(), is_opencode: false, is_trusted: true };
    ConfigNode::new(
        ConfigOrigin { file: Arc::new(source), line: 0, column: 0 },
        ConfigNodeKind::Object(Vec::new()),
    )
}
