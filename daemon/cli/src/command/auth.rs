//! `copydesk auth`: keys in a file that only the user can read.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};
use std::process::ExitCode;

use anyhow::Context as _;
use copydesk_config::keys::KeyStore;
use copydesk_config::mask;
use copydesk_host::provider_setup::{MAX_KEY_BYTES, store_key};
use copydesk_host::setup::UserSetup;
use copydesk_model::provider::known_providers;
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};

use crate::args::{AuthArgs, AuthCommand};
use crate::configuration;
use crate::terminal::{self, print};

/// A shell's exit code for a program that Ctrl-C ended.
const CANCELLED: u8 = 130;

pub(crate) fn run(setup: &UserSetup, options: &AuthArgs) -> anyhow::Result<ExitCode> {
    match &options.action {
        AuthCommand::Add { provider } => return add(setup, provider),
        AuthCommand::List { json } => list(setup, *json)?,
        AuthCommand::Remove { provider } => remove(setup, provider)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn add(setup: &UserSetup, provider: &str) -> anyhow::Result<ExitCode> {
    let loaded = configuration::load(setup)?;
    let registry = setup.registry(&loaded)?;
    configuration::print_warnings(&loaded);
    registry.check_provider(provider)?;
    let provider = registry.canonical_id(provider);
    let Some(key) = read_key(provider)? else {
        terminal::remark("cancelled; nothing was changed");
        return Ok(ExitCode::from(CANCELLED));
    };
    let stored = store_key(setup, &loaded, provider, &key)?;
    let verb = if stored.has_replaced { "Replaced" } else { "Added" };
    print(format!("{verb} the key for {provider}. `copydesk models {provider}` lists its models."))?;
    if let Some(origin) = stored.overridden_by {
        terminal::warn(format_args!("the key from {origin} takes precedence over this one"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads from the terminal without echo, else one line of standard input. `None` after Ctrl-C.
fn read_key(provider: &str) -> anyhow::Result<Option<String>> {
    if io::stdin().is_terminal() {
        return type_key(provider).context("the key could not be read");
    }
    let mut line = String::new();
    io::stdin()
        .lock()
        .take(MAX_KEY_BYTES as u64 + 1)
        .read_line(&mut line)
        .context("standard input could not be read as text")?;
    Ok(Some(line))
}

fn type_key(provider: &str) -> io::Result<Option<String>> {
    // A handled signal does not end the program, which would leave the terminal without echo.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let _guard = runtime.enter();
    let _signal = signal(SignalKind::interrupt())?;
    match rpassword::prompt_password(format!("Key for {provider}: ")) {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
        typed => typed.map(Some),
    }
}

#[derive(Serialize)]
struct ProviderKeyView {
    provider: String,
    key: String,
    origin: String,
}

fn list(setup: &UserSetup, json: bool) -> anyhow::Result<()> {
    let loaded = configuration::load(setup)?;
    let registry = setup.registry(&loaded)?;
    configuration::print_warnings(&loaded);
    let in_use = registry.keys_in_use().into_iter();
    let rows: Vec<_> = in_use
        .map(|(provider, key)| ProviderKeyView {
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

fn remove(setup: &UserSetup, provider: &str) -> anyhow::Result<()> {
    // Works without the configuration, which may be broken: the provider's id is enough.
    let ids = [Some(provider), known_providers::canonical_id(provider).filter(|id| *id != provider)];
    let mut removed = false;
    for id in ids.into_iter().flatten() {
        removed = removed || KeyStore::remove(&setup.paths.data_dir, id)?;
    }
    anyhow::ensure!(removed, "there is no key for {provider} in {}", setup.keys()?.path().display());
    print(format!("Removed the key for {provider}."))?;
    Ok(())
}
