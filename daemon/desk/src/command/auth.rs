//! `copydesk auth`: keys in a file that only the user can read.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use anyhow::Context as _;
use copydesk_workspace::config::mask;
use copydesk_workspace::keys::Keys;
use serde::Serialize;

use crate::cli::{Auth, AuthAction};
use crate::setup::Setup;
use crate::terminal::{self, print};

/// No key is longer than this.
const LONGEST: u64 = 16 * 1024;

pub(crate) fn run(setup: &Setup, options: &Auth) -> anyhow::Result<()> {
    match &options.action {
        AuthAction::Add { provider } => add(setup, provider),
        AuthAction::List { json } => list(setup, *json),
        AuthAction::Remove { provider } => remove(setup, provider),
    }
}

fn add(setup: &Setup, provider: &str) -> anyhow::Result<()> {
    let registry = setup.registry(&setup.config()?)?;
    registry.exists(provider)?;
    let key = read_key(provider)?;
    let key = key.trim();
    anyhow::ensure!(!key.is_empty(), "no key was given; nothing was changed");
    let odd = |character: char| character.is_whitespace() || character.is_control();
    anyhow::ensure!(
        !key.contains(odd),
        "this is no key: it has spaces or control characters in it; nothing was changed"
    );
    let replaced = Keys::add(&setup.paths.data_dir, provider, key)?;
    let verb = if replaced { "Replaced" } else { "Added" };
    print(format!("{verb} the key for {provider}. `copydesk models {provider}` lists its models."))?;
    let overridden = registry.key_names(provider).into_iter().find(|name| std::env::var_os(name).is_some());
    if let Some(name) = overridden {
        terminal::warn(format_args!("${name} is set and wins over this key"));
    }
    Ok(())
}

/// From the terminal without showing it, else one line of standard input.
fn read_key(provider: &str) -> anyhow::Result<String> {
    if io::stdin().is_terminal() {
        return rpassword::prompt_password(format!("Key for {provider}: "))
            .context("the key could not be read");
    }
    let mut line = String::new();
    io::stdin()
        .lock()
        .take(LONGEST)
        .read_line(&mut line)
        .context("standard input could not be read as text")?;
    Ok(line)
}

#[derive(Serialize)]
struct Row {
    provider: String,
    key: String,
    origin: String,
}

fn list(setup: &Setup, json: bool) -> anyhow::Result<()> {
    let loaded = setup.config()?;
    let registry = setup.registry(&loaded)?;
    let in_use = registry.keys_in_use().into_iter();
    let rows: Vec<_> = in_use
        .map(|(provider, key)| Row {
            provider,
            key: mask(key.secret.expose()),
            origin: key.origin.to_string(),
        })
        .collect();
    if json {
        return terminal::print_json(&rows);
    }
    if rows.is_empty() {
        print("No keys. `copydesk auth add PROVIDER` adds one; `copydesk models` lists the providers.")?;
    }
    let width = rows.iter().map(|row| row.provider.chars().count()).max().unwrap_or(0);
    for row in rows {
        print(format!("{:width$}  {}  from {}", row.provider, row.key, row.origin))?;
    }
    Ok(())
}

fn remove(setup: &Setup, provider: &str) -> anyhow::Result<()> {
    let removed = Keys::remove(&setup.paths.data_dir, provider)?;
    anyhow::ensure!(removed, "there is no key for {provider} in {}", setup.keys()?.path().display());
    print(format!("Removed the key for {provider}."))?;
    Ok(())
}
