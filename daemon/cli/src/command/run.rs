//! `copydesk run`: one prompt, in a terminal or in a script. What it does with it is `run_prompt`.

mod activity;
mod attachments;
mod command_output;
mod diagnostics_view;
mod environment_mismatch;
mod hunk_dialog;
mod in_process;
mod interrupts;
mod markdown;
mod own_turn;
mod permission_prompt;
mod questions;
mod remote_session;
mod review_backend;
mod run_prompt;
mod tasks;
mod terminal_input;
mod text_view;
mod todo_view;
mod turn_follower;
mod user_request;

use std::io::{self, IsTerminal as _, Read as _};
use std::process::ExitCode;

use anyhow::Context as _;
use copydesk_config::LoadedConfig;
use copydesk_model::offline;
use copydesk_session::{PromptDelivery, PromptRequest};

use crate::args::{RunArgs, UsageError};
use copydesk_host::session_builder::SessionChoice;
use copydesk_host::setup::UserSetup;
pub(crate) use run_prompt::{RunTarget, run_prompt};
pub(crate) use turn_follower::RunOptions;

/// No prompt is longer.
const LONGEST_PROMPT: u64 = 4 * 1024 * 1024;

pub(crate) fn run(setup: &UserSetup, options: &RunArgs) -> anyhow::Result<ExitCode> {
    let mut text = prompt(options)?;
    let files = attachments::read(&setup.cwd, &options.file, &mut text)?;
    let loaded = setup.load()?;
    check_model_name(setup, &loaded, options.model.as_deref())?;
    let choice = SessionChoice {
        session: options.session.clone(),
        latest: options.r#continue,
        model: options.model.clone(),
        agent: options.agent.clone(),
    };
    let manner = RunOptions { auto: options.auto, json: options.json };
    let place = if options.no_daemon { RunTarget::InProcess } else { RunTarget::DaemonIfUp };
    let worked = run_prompt(
        setup,
        &loaded,
        &choice,
        PromptRequest { text, files, delivery: PromptDelivery::Queue },
        manner,
        place,
    )?;
    Ok(worked.code())
}

/// From the command line, with what standard input brings below it.
fn prompt(options: &RunArgs) -> anyhow::Result<String> {
    let mut prompt = options.prompt.join(" ");
    if !io::stdin().is_terminal() {
        let mut piped = String::new();
        io::stdin()
            .lock()
            .take(LONGEST_PROMPT + 1)
            .read_to_string(&mut piped)
            .context("standard input is no text")?;
        anyhow::ensure!(
            piped.len() as u64 <= LONGEST_PROMPT,
            "standard input is longer than {LONGEST_PROMPT} bytes"
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

/// What cannot name any model is not asked for.
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
