//! `copydesk run`: runs one prompt, in a terminal or in a script (`run_prompt`).

mod activity;
mod attachments;
mod command_output;
mod context_lines;
mod diagnostics_view;
mod environment_mismatch;
mod external_editor;
mod hunk_dialog;
mod interrupts;
mod markdown;
mod permission_prompt;
mod places_view;
mod questions;
mod run_prompt;
mod tasks;
mod terminal_input;
mod text_view;
mod todo_view;
mod turn_follower;

use std::io::{self, IsTerminal as _, Read as _};
use std::process::ExitCode;

use anyhow::Context as _;
use copydesk_config::LoadedConfig;
use copydesk_model::offline;
use copydesk_session::{PromptDelivery, PromptRequest};

use crate::args::{PresetArg, RunArgs, UsageError};
use crate::session_client::SessionChoice;
use copydesk_host::setup::UserSetup;
pub(crate) use run_prompt::{RunTarget, run_prompt};
pub(crate) use turn_follower::RunOptions;

/// The cap on standard input.
const MAX_PROMPT_BYTES: u64 = 4 * 1024 * 1024;

pub(crate) fn run(setup: &UserSetup, options: &RunArgs) -> anyhow::Result<ExitCode> {
    let mut text = prompt(options)?;
    let files = attachments::read(&setup.cwd, &options.file, &mut text)?;
    // A named session may work in another folder.
    if !options.auto && !options.json && options.session.is_none() {
        super::trust::ask_if_new(setup)?;
    }
    let loaded = setup.load()?;
    check_model_name(setup, &loaded, options.model.as_deref())?;
    let choice = SessionChoice {
        session: options.session.clone(),
        latest: options.r#continue,
        model: options.model.clone(),
        agent: options.agent.clone(),
        preset: options.preset.map(PresetArg::info),
    };
    let run_options = RunOptions { auto: options.auto, json: options.json };
    let target = if options.no_daemon { RunTarget::InProcess } else { RunTarget::DaemonIfUp };
    let outcome = run_prompt(
        setup,
        &loaded,
        &choice,
        PromptRequest {
            text,
            context: Vec::new(),
            files,
            delivery: PromptDelivery::Queue,
            is_unattended: options.auto,
        },
        run_options,
        target,
    )?;
    Ok(outcome.code())
}

/// The prompt of the command line, followed by standard input.
fn prompt(options: &RunArgs) -> anyhow::Result<String> {
    let mut prompt = options.prompt.join(" ");
    if !io::stdin().is_terminal() {
        let mut piped = String::new();
        io::stdin()
            .lock()
            .take(MAX_PROMPT_BYTES + 1)
            .read_to_string(&mut piped)
            .context("standard input is not text")?;
        anyhow::ensure!(
            piped.len() as u64 <= MAX_PROMPT_BYTES,
            "standard input is longer than {MAX_PROMPT_BYTES} bytes"
        );
        if !piped.trim().is_empty() {
            prompt = if prompt.is_empty() { piped } else { format!("{prompt}\n\n{piped}") };
        }
    }
    if prompt.trim().is_empty() {
        return Err(UsageError("the prompt is empty: copydesk run \"what to do\"".to_owned()).into());
    }
    Ok(prompt)
}

/// Rejects a text that cannot name a model, before anything is started.
fn check_model_name(setup: &UserSetup, loaded: &LoadedConfig, name: Option<&str>) -> anyhow::Result<()> {
    let Some(name) = name else { return Ok(()) };
    let is_name = |(provider, model): (&str, &str)| !provider.is_empty() && !model.is_empty();
    if name == offline::ID || name.split_once('/').is_some_and(is_name) {
        return Ok(());
    }
    match setup.registry(loaded)?.model(name) {
        Ok(_) => Ok(()),
        Err(error) => Err(UsageError(error.to_string()).into()),
    }
}
