//! From the words of the configuration to what the language room is given: servers, checkers, formatters.
//!
//! All of these are programs that are run, with options that may name more programs: what a project says of them that is not trusted
//! is left out, and told. Programs that lie in the project are used all the same, unless the person says otherwise: they began a
//! session there, and their editor would use them too.

mod editor;
mod former;
mod progress;
mod servers;
mod shown;
mod status;
mod texts;
mod unsaved;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use copydesk_config::{
    Checker as CheckerConfig, CheckerColumns, CheckerFormat, Diagnostics, Formatter as FormatterConfig,
    LanguageServer, Loaded, Secret, Switch,
};
use copydesk_diagnostics::checker::{Checker, Columns, Format, Said};
use copydesk_servers::Disk;
use copydesk_servers::choose::{OwnServer, Settings};
use copydesk_servers::find::Search;
use copydesk_servers::format::Formatter;
use copydesk_servers::known::{Root, Sign};
use serde_json::Value;

pub use servers::Servers;
pub use shown::show;

#[derive(Debug, Clone)]
pub struct Languages {
    pub servers: Settings,
    /// None unless they are configured.
    pub checkers: Vec<Checker>,
    /// None unless they are configured.
    pub formatters: Vec<Formatter>,
    /// Language servers give texts their form: of files that end so, or if none are named, of those without another formatter.
    pub formed_by_server: Option<Vec<String>>,
    /// Programs that lie in the project may be run.
    pub in_project: bool,
    pub diagnostics: Diagnostics,
    /// What is left out, and why; for whoever wrote it.
    pub problems: Vec<String>,
}

pub fn configured(loaded: &Loaded) -> Languages {
    let mut problems = Vec::new();
    for key in ["lsp", "formatter", "checkers", "diagnostics"] {
        if let Some(origin) = loaded.merged.untrusted(&[key]) {
            problems.push(format!(
                "{origin}: `{key}` is left out: this project is not trusted. Look at the file, then run `copydesk config trust`."
            ));
        }
    }
    let own = &loaded.own;
    let checkers = own.checkers.iter().filter(|(_, said)| said.disabled != Some(true));
    let checkers = checkers.filter_map(|(name, said)| {
        Checker::new(name, checker(said)).map_err(|problem| problems.push(problem)).ok()
    });
    Languages {
        servers: servers(own.lsp.as_ref()),
        checkers: checkers.collect(),
        formatters: formatters(own.formatter.as_ref()),
        formed_by_server: formed_by_server(own.formatter.as_ref()),
        in_project: own.diagnostics.project_programs != Some(false),
        diagnostics: own.diagnostics.clone(),
        problems,
    }
}

impl Languages {
    /// Where their programs are looked for, by the environment that commands are given.
    pub fn search(&self, home: PathBuf) -> Search {
        Search::new(Arc::new(Disk), std::env::vars_os().collect(), home, self.in_project)
    }
}

fn servers(switch: Option<&Switch<LanguageServer>>) -> Settings {
    match switch {
        None => Settings::default(),
        Some(Switch::All(is_on)) => Settings { is_on: *is_on, ..Settings::default() },
        Some(Switch::Each(each)) => {
            let servers = each.iter().map(|(name, said)| (name.clone(), server(said)));
            Settings { is_on: true, servers: servers.collect() }
        }
    }
}

fn server(said: &LanguageServer) -> OwnServer {
    let object = |members: &serde_json::Map<String, Value>| match members.is_empty() {
        true => Value::Null,
        false => Value::Object(members.clone()),
    };
    OwnServer {
        is_disabled: said.disabled == Some(true),
        command: said.command.clone(),
        extensions: said.extensions.clone(),
        environment: environment(&said.env),
        initialization: object(&said.initialization),
        settings: object(&said.settings),
        roots: roots(&said.roots),
        is_beside: said.beside == Some(true),
    }
}

fn environment(variables: &BTreeMap<String, Secret>) -> Vec<(String, String)> {
    variables.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())).collect()
}

fn roots(files: &[String]) -> Vec<Root> {
    let signs: Vec<_> =
        files.iter().map(|file| Sign { file: file.clone(), contains: None, from: None }).collect();
    if signs.is_empty() { Vec::new() } else { vec![Root::Nearest(signs)] }
}

fn checker(said: &CheckerConfig) -> Said {
    Said {
        command: said.command.clone(),
        extensions: said.extensions.clone(),
        format: said.format.map(|format| match format {
            CheckerFormat::Cargo => Format::Cargo,
            CheckerFormat::Json => Format::Json,
            CheckerFormat::Sarif => Format::Sarif,
            CheckerFormat::Lines => Format::Lines,
        }),
        columns: said.columns.map(|columns| match columns {
            CheckerColumns::Characters => Columns::Characters,
            CheckerColumns::Bytes => Columns::Bytes,
            CheckerColumns::Utf16 => Columns::Utf16,
        }),
        roots: roots(&said.roots),
        environment: environment(&said.environment),
        timeout: said.timeout.map(std::num::NonZeroU64::get),
    }
}

/// Those of the person's own go before those that are known.
fn formatters(switch: Option<&Switch<FormatterConfig>>) -> Vec<Formatter> {
    let none = BTreeMap::new();
    let each = match switch {
        None | Some(Switch::All(false)) => return Vec::new(),
        Some(Switch::All(true)) => &none,
        Some(Switch::Each(each)) => each,
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

fn formed_by_server(switch: Option<&Switch<FormatterConfig>>) -> Option<Vec<String>> {
    let Some(Switch::Each(each)) = switch else { return None };
    let said = each.get(SERVER).filter(|said| said.command.is_empty() && said.disabled != Some(true))?;
    Some(said.extensions.clone())
}

#[cfg(test)]
mod tests;
