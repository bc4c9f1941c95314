//! From the words of the configuration to what the language room is given: servers, checkers, formatters.
//!
//! All of these are programs that are run, with options that may name more programs: what a project says of them that is not trusted
//! is left out, and told. Programs that lie in the project are used all the same, unless the person says otherwise: they began a
//! session there, and their editor would use them too.

mod editor_source;
mod language_services;
mod review_diagnostics;
mod server_formatter;
mod server_progress;
mod server_status;
mod session_texts;
mod unsaved;

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
    /// None unless they are configured.
    pub checkers: Vec<Checker>,
    /// None unless they are configured.
    pub formatters: Vec<Formatter>,
    /// Language servers give texts their form: of files that end so, or if none are named, of those without another formatter.
    pub server_formatter_extensions: Option<Vec<String>>,
    /// Programs that lie in the project may be run.
    pub allows_project_programs: bool,
    pub diagnostics: DiagnosticsConfig,
    /// What is left out, and why; for whoever wrote it.
    pub problems: Vec<String>,
}

pub fn language_settings(loaded: &LoadedConfig) -> LanguageSettings {
    let mut problems = Vec::new();
    for key in ["lsp", "formatter", "checkers", "diagnostics"] {
        if let Some(origin) = loaded.merged.untrusted_origin(&[key]) {
            problems.push(format!(
                "{origin}: `{key}` is ignored: this project is not trusted. Review the file, then run `copydesk config trust`."
            ));
        }
    }
    let own = &loaded.trusted_config;
    let checkers = own.checkers.iter().filter(|(_, said)| said.disabled != Some(true));
    let checkers = checkers.filter_map(|(name, said)| {
        Checker::new(name, checker(said)).map_err(|problem| problems.push(problem)).ok()
    });
    LanguageSettings {
        servers: servers(own.lsp.as_ref()),
        checkers: checkers.collect(),
        formatters: formatters(own.formatter.as_ref()),
        server_formatter_extensions: server_formatter_extensions(own.formatter.as_ref()),
        allows_project_programs: own.diagnostics.project_programs != Some(false),
        diagnostics: own.diagnostics.clone(),
        problems,
    }
}

impl LanguageSettings {
    /// Where their programs are looked for, by the environment that commands are given.
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
            let servers = each.iter().map(|(name, said)| (name.clone(), server(said)));
            ServerPreferences { is_enabled: true, servers: servers.collect() }
        }
    }
}

fn server(said: &LanguageServerConfig) -> ServerOverride {
    let object = |members: &serde_json::Map<String, Value>| match members.is_empty() {
        true => Value::Null,
        false => Value::Object(members.clone()),
    };
    ServerOverride {
        is_disabled: said.disabled == Some(true),
        command: said.command.clone(),
        extensions: said.extensions.clone(),
        environment: environment(&said.env),
        initialization: object(&said.initialization),
        settings: object(&said.settings),
        roots: roots(&said.roots),
        is_additional: said.beside == Some(true),
    }
}

fn environment(variables: &BTreeMap<String, ConfigSecret>) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect()
}

fn roots(files: &[String]) -> Vec<RootMarkers> {
    let signs: Vec<_> =
        files.iter().map(|file| ProjectMarker { file: file.clone(), contains: None, from: None }).collect();
    if signs.is_empty() { Vec::new() } else { vec![RootMarkers::Nearest(signs)] }
}

fn checker(said: &CheckerConfig) -> CheckerSpec {
    CheckerSpec {
        command: said.command.clone(),
        extensions: said.extensions.clone(),
        format: said.format.map(|format| match format {
            CheckerFormat::Cargo => CheckerOutputFormat::Cargo,
            CheckerFormat::Json => CheckerOutputFormat::Json,
            CheckerFormat::Sarif => CheckerOutputFormat::Sarif,
            CheckerFormat::Lines => CheckerOutputFormat::Lines,
        }),
        columns: said.columns.map(|columns| match columns {
            CheckerColumns::Characters => ColumnUnit::Characters,
            CheckerColumns::Bytes => ColumnUnit::Bytes,
            CheckerColumns::Utf16 => ColumnUnit::Utf16,
        }),
        roots: roots(&said.roots),
        environment: environment(&said.environment),
        timeout: said.timeout.map(std::num::NonZeroU64::get),
    }
}

/// Those of the person's own go before those that are known.
fn formatters(switch: Option<&SwitchConfig<FormatterConfig>>) -> Vec<Formatter> {
    let none = BTreeMap::new();
    let each = match switch {
        None | Some(SwitchConfig::All(false)) => return Vec::new(),
        Some(SwitchConfig::All(true)) => &none,
        Some(SwitchConfig::Each(each)) => each,
    };
    let known = |name: &str| Formatter::known().iter().find(|known| known.name == name);
    let own = each.iter().filter(|(name, said)| {
        said.disabled != Some(true) && (known(name).is_some() || !said.command.is_empty())
    });
    let own = own.map(|(name, said)| {
        let known = known(name).cloned().unwrap_or_default();
        let is_own = !said.command.is_empty();
        Formatter {
            name: name.clone(),
            command: if is_own { said.command.clone() } else { known.command },
            extensions: if said.extensions.is_empty() { known.extensions } else { said.extensions.clone() },
            // Whoever names a program wants it.
            requires: if is_own { Vec::new() } else { known.requires },
            environment: environment(&said.environment),
        }
    });
    let others = Formatter::known().iter().filter(|known| !each.contains_key(&known.name)).cloned();
    own.chain(others).collect()
}

/// A formatter of this name without a command is the language server.
const SERVER: &str = "server";

fn server_formatter_extensions(switch: Option<&SwitchConfig<FormatterConfig>>) -> Option<Vec<String>> {
    let Some(SwitchConfig::Each(each)) = switch else { return None };
    let said = each.get(SERVER).filter(|said| said.command.is_empty() && said.disabled != Some(true))?;
    Some(said.extensions.clone())
}

#[cfg(test)]
mod tests;
