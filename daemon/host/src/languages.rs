//! Translates the configuration into settings for language servers, checkers and formatters.
//!
//! The daemon runs these programs, and their options may name more programs. So the daemon ignores the settings of an untrusted project,
//! and reports that. In a folder that the user does not trust none of them runs, not even one of the user's own: most load code of the
//! project (build scripts, macros, plugins, interpreters). In a trusted folder the daemon also runs programs that lie in the project, unless
//! the user forbids it.

mod editor_source;
mod language_services;
mod review_diagnostics;
mod server_formatter;
mod server_progress;
mod server_status;
mod session_texts;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use copydesk_config::{
    CheckerColumns, CheckerConfig, CheckerFormat, ConfigSecret, DiagnosticsConfig, FormatterConfig,
    LanguageServerConfig, LoadedConfig, SwitchConfig,
};
use copydesk_diagnostics::checker::{Checker, CheckerOutputFormat, CheckerSpec, ColumnUnit};
use copydesk_servers::DiskView;
use copydesk_servers::format::Formatter;
use copydesk_servers::known_servers::{ProjectMarker, RootMarkers};
use copydesk_servers::program_search::ProgramSearch;
use copydesk_servers::server_selection::{ServerOverride, ServerPreferences};
use serde_json::Value;

pub use language_services::LanguageServices;
pub use review_diagnostics::show_in_reviews;

#[derive(Debug, Clone)]
pub struct LanguageSettings {
    pub servers: ServerPreferences,
    /// Empty unless configured.
    pub checkers: Vec<Checker>,
    /// Empty unless configured.
    pub formatters: Vec<Formatter>,
    /// Language servers format files with these extensions; if the list is empty, all files without another formatter.
    pub server_formatter_extensions: Option<Vec<String>>,
    /// The daemon may run programs that lie in the project.
    pub allows_project_programs: bool,
    pub diagnostics: DiagnosticsConfig,
    /// Ignored settings with the reason, for the user.
    pub problems: Vec<String>,
    /// Folders inside the workspace that the user does not trust.
    pub refused: Vec<PathBuf>,
}

pub fn language_settings(loaded: &LoadedConfig) -> LanguageSettings {
    let mut problems = Vec::new();
    for key in ["lsp", "formatter", "checkers", "diagnostics"] {
        if let Some(origin) = loaded.merged.untrusted_origin(&[key]) {
            problems.push(format!(
                "{origin}: `{key}` is ignored: this project is not trusted. Review the file, then run `copydesk trust`."
            ));
        }
    }
    if !loaded.trust.trust.is_trusted() {
        return LanguageSettings {
            servers: ServerPreferences { is_enabled: false, ..ServerPreferences::default() },
            checkers: Vec::new(),
            formatters: Vec::new(),
            server_formatter_extensions: None,
            allows_project_programs: false,
            diagnostics: loaded.trusted_config.diagnostics.clone(),
            problems,
            refused: Vec::new(),
        };
    }
    let trusted = &loaded.trusted_config;
    let refused = loaded.trust.refused.clone();
    // A checker looks at the whole project.
    let may_check = refused.is_empty();
    if let (Some(folder), true) =
        (refused.first(), !trusted.checkers.is_empty() || trusted.formatter.is_some())
    {
        problems.push(format!(
            "checkers and formatters do not run, because you do not trust {}",
            folder.display()
        ));
    }
    let checkers = trusted.checkers.iter().filter(|(_, config)| config.disabled != Some(true));
    let checkers = checkers.filter_map(|(name, config)| {
        Checker::new(name, checker(config)).map_err(|problem| problems.push(problem)).ok()
    });
    let formatter = trusted.formatter.as_ref().filter(|_| may_check);
    LanguageSettings {
        servers: servers(trusted.lsp.as_ref()),
        checkers: checkers.filter(|_| may_check).collect(),
        formatters: formatters(formatter),
        server_formatter_extensions: server_formatter_extensions(formatter),
        allows_project_programs: trusted.diagnostics.project_programs != Some(false),
        diagnostics: trusted.diagnostics.clone(),
        problems,
        refused,
    }
}

impl LanguageSettings {
    /// Where to look for programs, by the daemon's environment.
    pub fn search(&self, home: PathBuf) -> ProgramSearch {
        ProgramSearch::new(
            Arc::new(DiskView),
            std::env::vars_os().collect(),
            home,
            self.allows_project_programs,
        )
    }
}

fn servers(switch: Option<&SwitchConfig<LanguageServerConfig>>) -> ServerPreferences {
    match switch {
        None => ServerPreferences::default(),
        Some(SwitchConfig::All(is_on)) => {
            ServerPreferences { is_enabled: *is_on, ..ServerPreferences::default() }
        }
        Some(SwitchConfig::Each(each)) => {
            let servers = each.iter().map(|(name, config)| (name.clone(), server(config)));
            ServerPreferences { is_enabled: true, servers: servers.collect() }
        }
    }
}

fn server(config: &LanguageServerConfig) -> ServerOverride {
    let object = |members: &serde_json::Map<String, Value>| match members.is_empty() {
        true => Value::Null,
        false => Value::Object(members.clone()),
    };
    ServerOverride {
        is_disabled: config.disabled == Some(true),
        command: config.command.clone(),
        extensions: config.extensions.clone(),
        environment: environment(&config.env),
        initialization: object(&config.initialization),
        settings: object(&config.settings),
        roots: roots(&config.roots),
        is_additional: config.beside == Some(true),
    }
}

fn environment(variables: &BTreeMap<String, ConfigSecret>) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect()
}

fn roots(files: &[String]) -> Vec<RootMarkers> {
    let markers: Vec<_> =
        files.iter().map(|file| ProjectMarker { file: file.clone(), contains: None, from: None }).collect();
    if markers.is_empty() { Vec::new() } else { vec![RootMarkers::Nearest(markers)] }
}

fn checker(config: &CheckerConfig) -> CheckerSpec {
    CheckerSpec {
        command: config.command.clone(),
        extensions: config.extensions.clone(),
        format: config.format.map(|format| match format {
            CheckerFormat::Cargo => CheckerOutputFormat::Cargo,
            CheckerFormat::Json => CheckerOutputFormat::Json,
            CheckerFormat::Sarif => CheckerOutputFormat::Sarif,
            CheckerFormat::Lines => CheckerOutputFormat::Lines,
        }),
        columns: config.columns.map(|columns| match columns {
            CheckerColumns::Characters => ColumnUnit::Characters,
            CheckerColumns::Bytes => ColumnUnit::Bytes,
            CheckerColumns::Utf16 => ColumnUnit::Utf16,
        }),
        roots: roots(&config.roots),
        environment: environment(&config.environment),
        timeout: config.timeout.map(std::num::NonZeroU64::get),
    }
}

/// The user's own formatters come before the known ones.
fn formatters(switch: Option<&SwitchConfig<FormatterConfig>>) -> Vec<Formatter> {
    let none = BTreeMap::new();
    let each = match switch {
        None | Some(SwitchConfig::All(false)) => return Vec::new(),
        Some(SwitchConfig::All(true)) => &none,
        Some(SwitchConfig::Each(each)) => each,
    };
    let known = |name: &str| Formatter::known().iter().find(|known| known.name == name);
    let own = each.iter().filter(|(name, config)| {
        config.disabled != Some(true) && (known(name).is_some() || !config.command.is_empty())
    });
    let own = own.map(|(name, config)| {
        let known = known(name).cloned().unwrap_or_default();
        let has_command = !config.command.is_empty();
        Formatter {
            name: name.clone(),
            command: if has_command { config.command.clone() } else { known.command },
            extensions: if config.extensions.is_empty() {
                known.extensions
            } else {
                config.extensions.clone()
            },
            // A user who names a program wants it, so nothing else is required.
            requires: if has_command { Vec::new() } else { known.requires },
            environment: environment(&config.environment),
        }
    });
    let others = Formatter::known().iter().filter(|known| !each.contains_key(&known.name)).cloned();
    own.chain(others).collect()
}

/// A formatter with this name and without a command stands for the language server.
const SERVER_FORMATTER: &str = "server";

fn server_formatter_extensions(switch: Option<&SwitchConfig<FormatterConfig>>) -> Option<Vec<String>> {
    let Some(SwitchConfig::Each(each)) = switch else { return None };
    let config = each
        .get(SERVER_FORMATTER)
        .filter(|config| config.command.is_empty() && config.disabled != Some(true))?;
    Some(config.extensions.clone())
}

#[cfg(test)]
mod tests;
