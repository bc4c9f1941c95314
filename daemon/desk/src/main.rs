//! `copydesk`: the desk's one binary. Reads the command line, runs one command, tells by its exit code how it went:
//! 0 done, 1 failed, 2 wrong usage.

mod cli;
mod command;
mod providers;
mod setup;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use cli::{Cli, Command, Config, ConfigAction};
use setup::Setup;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Completions { shell } => command::completions::run(shell),
        // The same for everybody: no home is needed.
        Command::Config(Config { action: Some(ConfigAction::Schema), .. }) => command::config::schema(),
        Command::Models(options) => {
            Setup::new(cli.cwd).and_then(|setup| command::models::run(&setup, &options))
        }
        Command::Config(options) => {
            Setup::new(cli.cwd).and_then(|setup| command::config::run(&setup, &options))
        }
        Command::Auth(options) => Setup::new(cli.cwd).and_then(|setup| command::auth::run(&setup, &options)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if terminal::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::complain(&error);
            ExitCode::FAILURE
        }
    }
}
