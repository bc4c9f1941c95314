//! `copydesk config`: the merged configuration, where each value comes from, and trust in a project's files.

use std::path::Path;

use copydesk_config::trust::Trust;
use copydesk_config::{self as config, Entry, Layer, Loaded, LoadedFile, Origin, Source};
use serde::Serialize;

use crate::cli::{Config, ConfigAction};
use crate::configuration;
use crate::terminal::{self, BOLD, DIM, print, styled};
use copydesk_host::setup::Setup;

pub(crate) fn run(setup: &Setup, options: &Config) -> anyhow::Result<()> {
    match &options.action {
        Some(ConfigAction::Schema) => schema(),
        Some(ConfigAction::Trust { remove }) => trust(setup, *remove),
        None if options.json => show_json(&setup.load()?),
        None => show(setup, &configuration::load(setup)?),
    }
}

pub(crate) fn schema() -> anyhow::Result<()> {
    terminal::print_json(config::schema())
}

#[derive(Serialize)]
struct Report<'a> {
    files: Vec<File>,
    values: Vec<Entry>,
    warnings: &'a [config::Warning],
}

#[derive(Serialize)]
struct File {
    path: String,
    layer: &'static str,
    trusted: bool,
}

fn show_json(loaded: &Loaded) -> anyhow::Result<()> {
    let files = loaded.files.iter().map(|file| File {
        path: file.source.to_string(),
        layer: layer(&file.source),
        trusted: file.source.trusted,
    });
    terminal::print_json(&Report {
        files: files.collect(),
        values: config::entries(&loaded.merged),
        warnings: &loaded.warnings,
    })
}

fn show(setup: &Setup, loaded: &Loaded) -> anyhow::Result<()> {
    if loaded.files.is_empty() {
        let file = setup.paths.config_dir.join("copydesk.jsonc");
        print(format!(
            "There is no configuration yet, and none is needed. Yours would be {}",
            brief(setup, &file)
        ))?;
        return Ok(());
    }
    print(styled(BOLD, "Files, later ones win"))?;
    for LoadedFile { source, .. } in &loaded.files {
        let note = if source.trusted { "" } else { "  not trusted: see `copydesk config trust --help`" };
        print(format!("  {:8} {}{}", layer(source), brief(setup, &source.path), styled(DIM, note)))?;
    }
    let entries = config::entries(&loaded.merged);
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

fn place(setup: &Setup, origin: &Origin) -> String {
    format!("{}:{}:{}", brief(setup, &origin.file.path), origin.line, origin.column)
}

fn layer(source: &Source) -> &'static str {
    match source.layer {
        Layer::User => "user",
        Layer::Named => "named",
        Layer::Project => "project",
        Layer::Inline => "inline",
    }
}

/// A path as a person would write it from where they are.
fn brief(setup: &Setup, path: &Path) -> String {
    if let Ok(below) = path.strip_prefix(&setup.cwd) {
        return below.display().to_string();
    }
    match path.strip_prefix(&setup.paths.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}

fn trust(setup: &Setup, remove: bool) -> anyhow::Result<()> {
    let loaded = setup.load()?;
    let files: Vec<_> = loaded.files.iter().filter(|file| file.source.layer == Layer::Project).collect();
    anyhow::ensure!(
        !files.is_empty(),
        "no configuration file of a project was found from {} up",
        setup.cwd.display()
    );
    Trust::change(&setup.paths.state_dir, |trust| {
        for file in &files {
            if remove {
                trust.remove(&file.source.path)?;
            } else {
                trust.add(&file.source.path, file.text.as_bytes())?;
            }
        }
        Ok(())
    })?;
    let verb = if remove { "No longer trusted" } else { "Trusted as it is now" };
    for file in files {
        print(format!("{verb}: {}", brief(setup, &file.source.path)))?;
    }
    Ok(())
}
