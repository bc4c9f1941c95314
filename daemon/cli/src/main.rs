//! `copydesk`, the binary: parses the command line, runs one command, and returns its exit code: 0 success, 1
//! failure, 2 wrong usage, 130 cancelled.

mod args;
mod command;
mod configuration;
mod daemon_client;
mod find_program;
mod log;
mod open_host;
mod session_client;
mod shim;
mod terminal;
mod time_limits;

use std::process::ExitCode;

use clap::Parser as _;
use copydesk_host::setup::UserSetup;

use args::{Cli, CliCommand, ConfigArgs, ConfigCommand, UsageError};

/// A daemon that once held a large document shall not keep its memory for the rest of the day.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The same code as clap's.
const WRONG_USAGE: u8 = 2;

/// The process holds keys. Other programs of the user, such as a build script in a repository, must not read its memory or its environment.
fn forbid_reading_this_process() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
    {
        terminal::print_error(&anyhow::anyhow!("other programs may read the memory of this one: {error}"));
    }
}

fn main() -> ExitCode {
    forbid_reading_this_process();
    // An editor waits for this command, so skip parsing if it has no arguments of interest.
    let result = if command::lsp::is_bare_lsp_command(std::env::args_os()) {
        command::lsp::run()
    } else {
        run_command()
    };
    match result {
        Ok(code) => code,
        Err(error) if error.downcast_ref().is_some_and(terminal::is_stdout_closed) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::print_error(&error);
            if error.is::<UsageError>() { ExitCode::from(WRONG_USAGE) } else { ExitCode::FAILURE }
        }
    }
}

fn run_command() -> anyhow::Result<ExitCode> {
    let Cli { cwd, command } = Cli::parse();
    let setup = || UserSetup::new(cwd);
    let done = |()| ExitCode::SUCCESS;
    match command {
        CliCommand::Completions { shell } => command::completions::run(shell).map(done),
        CliCommand::SandboxBridge { socket, command } => command::sandbox_bridge::run(socket, &command),
        // Needs no home folder.
        CliCommand::Config(ConfigArgs { action: Some(ConfigCommand::Schema), .. }) => {
            command::config::schema().map(done)
        }
        CliCommand::Tour(options) => setup().and_then(|setup| command::tour::run(&setup, &options)),
        CliCommand::Run(options) => setup().and_then(|setup| command::run::run(&setup, &options)),
        CliCommand::Undo(options) => setup().and_then(|setup| command::undo::run(&setup, &options)),
        CliCommand::Sessions(options) => {
            setup().and_then(|setup| command::sessions::run(&setup, &options)).map(done)
        }
        CliCommand::Usage(options) => {
            setup().and_then(|setup| command::usage::run(&setup, &options)).map(done)
        }
        CliCommand::Models(options) => {
            setup().and_then(|setup| command::models::run(&setup, &options)).map(done)
        }
        CliCommand::Trust(options) => {
            setup().and_then(|setup| command::trust::run(&setup, &options)).map(done)
        }
        CliCommand::Config(options) => {
            setup().and_then(|setup| command::config::run(&setup, &options)).map(done)
        }
        CliCommand::Permission(options) => {
            setup().and_then(|setup| command::permission::run(&setup, &options))
        }
        CliCommand::Doctor { json } => setup().and_then(|setup| command::doctor::run(&setup, json)),
        CliCommand::Daemon(options) => {
            setup().and_then(|setup| command::daemon::run(&setup, &options)).map(done)
        }
        CliCommand::Log(options) => setup().and_then(|setup| command::log::run(&setup, &options)).map(done),
        CliCommand::Lsp(_) => command::lsp::run(),
        CliCommand::Status { json } => command::status::run(json),
        CliCommand::Restart { name } => command::restart::run(name),
        CliCommand::Stop { now } => command::stop::run(now).map(done),
        CliCommand::Auth(options) => setup().and_then(|setup| command::auth::run(&setup, &options)),
    }
}
