//! `copydesk`: the desk's one binary. Reads the command line, runs one command, tells by its exit code how it went:
//! 0 done, 1 failed, 2 wrong usage, 130 cancelled.

mod cli;
mod client;
mod command;
mod configuration;
mod log;
mod on_path;
mod shim;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use cli::{Cli, Command, Config, ConfigAction, Usage};
use copydesk_host::setup::Setup;

/// As when the command line cannot be read.
const WRONG_USAGE: u8 = 2;

fn main() -> ExitCode {
    // An editor waits for this one, and all that is read of the command line is its name.
    let result =
        if command::lsp::is_all_that_is_said(std::env::args_os()) { command::lsp::run() } else { other() };
    match result {
        Ok(code) => code,
        Err(error) if error.downcast_ref().is_some_and(terminal::is_unread) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error);
            if error.is::<Usage>() { ExitCode::from(WRONG_USAGE) } else { ExitCode::FAILURE }
        }
    }
}

fn other() -> anyhow::Result<ExitCode> {
    let Cli { cwd, command } = Cli::parse();
    let setup = || Setup::new(cwd);
    let done = |()| ExitCode::SUCCESS;
    match command {
        Command::Completions { shell } => command::completions::run(shell).map(done),
        // The same for everybody: no home is needed.
        Command::Config(Config { action: Some(ConfigAction::Schema), .. }) => {
            command::config::schema().map(done)
        }
        Command::Tour(options) => setup().and_then(|setup| command::tour::run(&setup, &options)),
        Command::Run(options) => setup().and_then(|setup| command::run::run(&setup, &options)),
        Command::Undo(options) => setup().and_then(|setup| command::undo::run(&setup, &options)),
        Command::Sessions(options) => {
            setup().and_then(|setup| command::sessions::run(&setup, &options)).map(done)
        }
        Command::Models(options) => {
            setup().and_then(|setup| command::models::run(&setup, &options)).map(done)
        }
        Command::Config(options) => {
            setup().and_then(|setup| command::config::run(&setup, &options)).map(done)
        }
        Command::Doctor { json } => setup().and_then(|setup| command::doctor::run(&setup, json)),
        Command::Daemon(options) => {
            setup().and_then(|setup| command::daemon::run(&setup, &options)).map(done)
        }
        Command::Lsp(_) => command::lsp::run(),
        Command::Status { json } => command::status::run(json),
        Command::Restart { name } => command::restart::run(name),
        Command::Stop { now } => command::stop::run(now).map(done),
        Command::Auth(options) => setup().and_then(|setup| command::auth::run(&setup, &options)),
    }
}
