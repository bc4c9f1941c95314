//! `copydesk run`: one prompt, in a terminal or in a script. What it does with it is `work`.

mod approve;
mod attach;
mod doing;
mod environment;
mod follow;
mod here;
mod hunks;
mod interrupts;
mod markdown;
mod own;
mod printed;
mod problems;
mod questions;
mod remote;
mod reviews;
mod tasks;
mod text;
mod todo;
mod typed;
mod waiting;
mod work;

use std::io::{self, IsTerminal as _, Read as _};
use std::process::ExitCode;

use anyhow::Context as _;
use copydesk_config::Loaded;
use copydesk_model::offline;
use copydesk_session::{Request, When};

use crate::cli::{Run, Usage};
use crate::configuration;
use copydesk_host::opening::Choice;
use copydesk_host::setup::Setup;
pub(crate) use follow::Manner;
pub(crate) use work::{Where, work};

/// No prompt is longer.
const LONGEST_PROMPT: u64 = 4 * 1024 * 1024;

pub(crate) fn run(setup: &Setup, options: &Run) -> anyhow::Result<ExitCode> {
    let mut text = prompt(options)?;
    let files = attach::read(&setup.cwd, &options.file, &mut text)?;
    let loaded = configuration::load(setup)?;
    name_of_model(setup, &loaded, options.model.as_deref())?;
    let choice = Choice {
        session: options.session.clone(),
        latest: options.r#continue,
        model: options.model.clone(),
        agent: options.agent.clone(),
    };
    let manner = Manner { auto: options.auto, json: options.json };
    let place = if options.no_daemon { Where::Here } else { Where::DaemonIfUp };
    let worked = work(setup, &loaded, &choice, Request { text, files, when: When::Queue }, manner, place)?;
    Ok(worked.code())
}

/// From the command line, with what standard input brings below it.
fn prompt(options: &Run) -> anyhow::Result<String> {
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
        return Err(Usage("the prompt is empty: copydesk run \"what to do\"".to_owned()).into());
    }
    Ok(prompt)
}

/// What cannot name any model is not asked for.
fn name_of_model(setup: &Setup, loaded: &Loaded, name: Option<&str>) -> anyhow::Result<()> {
    let Some(name) = name else { return Ok(()) };
    let is_name = |(provider, model): (&str, &str)| !provider.is_empty() && !model.is_empty();
    if name == offline::ID || name.split_once('/').is_some_and(is_name) {
        return Ok(());
    }
    match setup.registry(loaded)?.model(name) {
        Ok(_) => Ok(()),
        Err(error) => Err(Usage(error.to_string()).into()),
    }
}
