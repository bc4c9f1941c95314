//! The command line. The comments are what `--help` shows.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// A desk for coding agents: edits go through your editor, and you approve them.
#[derive(Debug, Parser)]
#[command(name = "copydesk", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Work as if started in this folder
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the models that can be used now, and what is missing for the others
    Models(Models),
    /// Show the configuration and where each value comes from
    Config(Config),
    /// Keep keys for providers in a file that only you can read
    Auth(Auth),
    /// Print a script that completes this command line in your shell
    Completions {
        /// Put the output where the shell looks for it, for example: copydesk completions fish >
        /// ~/.config/fish/completions/copydesk.fish
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Models {
    /// Only this provider, with all that is known of its models
    pub(crate) provider: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Config {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) action: Option<ConfigAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Print the JSON Schema of copydesk.jsonc
    Schema,
    /// Trust this project's configuration files as they are now
    ///
    /// Without it they cannot read your environment variables or files outside the project, nor send anything to
    /// addresses of their choice. A file that changes is no longer trusted.
    Trust {
        /// Trust them no longer
        #[arg(long)]
        remove: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Auth {
    #[command(subcommand)]
    pub(crate) action: AuthAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuthAction {
    /// Add or replace the key of a provider; asks for it, or reads it from standard input
    Add { provider: String },
    /// List the providers with a key, and where the key is
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove the key of a provider
    Remove { provider: String },
}
