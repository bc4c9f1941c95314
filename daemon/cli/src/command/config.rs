//! `copydesk config`: the merged configuration, and where each value comes from.

use std::path::Path;

use copydesk_config::{
    self as config, ConfigEntry, ConfigLayer, ConfigOrigin, ConfigSource, LoadedConfig, LoadedConfigFile,
};
use copydesk_host::setup::UserSetup;
use serde::Serialize;

use crate::args::{ConfigArgs, ConfigCommand};
use crate::configuration;
use crate::terminal::{self, BOLD, DIM, print, styled};

pub(crate) fn run(setup: &UserSetup, options: &ConfigArgs) -> anyhow::Result<()> {
    match &options.action {
        Some(ConfigCommand::Schema) => schema(),
        None if options.json => show_json(&setup.load()?),
        None => show(setup, &configuration::load(setup)?),
    }
}

pub(crate) fn schema() -> anyhow::Result<()> {
    terminal::print_json(config::schema())
}

#[derive(Serialize)]
struct ConfigView<'a> {
    files: Vec<ConfigFileView>,
    values: Vec<ConfigEntry>,
    warnings: &'a [config::ConfigWarning],
}

#[derive(Serialize)]
struct ConfigFileView {
    path: String,
    layer: &'static str,
    trusted: bool,
}

fn show_json(loaded: &LoadedConfig) -> anyhow::Result<()> {
    let files = loaded.files.iter().map(|file| ConfigFileView {
        path: file.source.to_string(),
        layer: layer(&file.source),
        trusted: file.source.is_trusted,
    });
    terminal::print_json(&ConfigView {
        files: files.collect(),
        values: config::config_entries(&loaded.merged),
        warnings: &loaded.warnings,
    })
}

fn show(setup: &UserSetup, loaded: &LoadedConfig) -> anyhow::Result<()> {
    if loaded.files.is_empty() {
        let file = setup.paths.config_dir.join("copydesk.jsonc");
        print(format!(
            "There is no configuration yet, and none is needed. Yours would be {}",
            brief(setup, &file)
        ))?;
        return Ok(());
    }
    print(styled(BOLD, "Files, later ones win"))?;
    for LoadedConfigFile { source, .. } in &loaded.files {
        let note = if source.is_trusted { "" } else { "  not trusted: see `copydesk trust --help`" };
        print(format!("  {:8} {}{}", layer(source), brief(setup, &source.path), styled(DIM, note)))?;
    }
    let entries = config::config_entries(&loaded.merged);
    if entries.is_empty() {
        return Ok(());
    }
    print("")?;
    print(styled(BOLD, "Values"))?;
    let rows: Vec<_> =
        entries.iter().map(|entry| (format!("{} = {}", entry.path, entry.value), &entry.origin)).collect();
    let width =
        rows.iter().map(|(text, _)| text.chars().count()).filter(|width| *width <= 72).max().unwrap_or(0);
    for (text, origin) in rows {
        print(format!("  {text:width$}  {}", styled(DIM, place(setup, origin))))?;
    }
    Ok(())
}

fn place(setup: &UserSetup, origin: &ConfigOrigin) -> String {
    format!("{}:{}:{}", brief(setup, &origin.file.path), origin.line, origin.column)
}

fn layer(source: &ConfigSource) -> &'static str {
    match source.layer {
        ConfigLayer::User => "user",
        ConfigLayer::Named => "named",
        ConfigLayer::Project => "project",
        ConfigLayer::Inline => "inline",
    }
}

/// A path as the user would write it in the current folder.
fn brief(setup: &UserSetup, path: &Path) -> String {
    if let Ok(below) = path.strip_prefix(&setup.cwd) {
        return below.display().to_string();
    }
    match path.strip_prefix(&setup.paths.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}
