//! The command line. The comments are what `--help` shows.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
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
    pub(crate) command: CliCommand,
}

/// What was said on the command line means nothing, wherever it is said.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// See it work: a small broken project is made and repaired, without any model or key
    Tour(TourArgs),
    /// Do one thing: copydesk run "fix the failing test"
    ///
    /// Before a command or an edit it asks you. About an edit it asks hunk by hunk, with keys as in `git add -p`: y accepts
    /// the hunk, n rejects it, e edits it first, c rejects it and says why, a and d are for all that is left of the file, A
    /// is for all edits to come, q stops the turn; ? lists the keys.
    Run(RunArgs),
    /// Take back what the agent did to files, and only that
    ///
    /// What you changed since stays; where you changed the same lines, the file is left as it is and told. The exit code is
    /// 0 where everything was taken back and 1 where something was not, or there was nothing.
    Undo(UndoArgs),
    /// Look at, search, export and delete what was said and done
    Sessions(SessionsArgs),
    /// List the models that can be used now, and what is missing for the others
    Models(ModelsArgs),
    /// Show the configuration and where each value comes from
    Config(ConfigArgs),
    /// Keep keys for providers in a file that only you can read
    Auth(AuthArgs),
    /// What an editor starts: speaks LSP with it, and starts the daemon if need be
    Lsp(LspArgs),
    /// Run the daemon here, in the foreground
    Daemon(DaemonArgs),
    /// Tell whether the daemon runs, and what it has to do
    ///
    /// The exit code is 0 where it runs and 1 where it does not.
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// End a language server that the daemon runs, and start it anew
    ///
    /// `copydesk status` names them. For one that hangs, or that was given up because it broke too often.
    Restart {
        /// Its name, such as rust-analyzer
        name: String,
    },
    /// End the daemon when its turns are done
    ///
    /// An editor that is attached starts it again. No daemon is no failure.
    Stop {
        /// End it at once; running turns are cancelled, what is completed is kept
        #[arg(long)]
        now: bool,
    },
    /// Show the end of the daemon's log, and follow it
    ///
    /// The log says what happened when: sessions, turns, steps, calls, requests to models, language servers. It never holds
    /// prompts, files, arguments or keys. It works without the daemon, too.
    Log(LogArgs),
    /// Find out why something does not work, and what to do
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a script that completes this command line in your shell
    Completions {
        /// Put the output where the shell looks for it, for example: copydesk completions fish >
        /// ~/.config/fish/completions/copydesk.fish
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TourArgs {
    /// Approve everything that would be asked
    #[arg(long)]
    pub(crate) yes: bool,
    /// Leave the project where it is, to look at
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What to do; what comes through standard input is added below it
    pub(crate) prompt: Vec<String>,
    /// The model, as PROVIDER/MODEL
    #[arg(long, value_name = "PROVIDER/MODEL", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) model: Option<String>,
    /// The agent: build, plan, or one of your own
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) agent: Option<String>,
    /// Go on with this session
    #[arg(long, value_name = "ID", conflicts_with = "continue", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
    /// Go on with the latest session of this folder
    #[arg(long)]
    pub(crate) r#continue: bool,
    /// A text, an image or a PDF to send along; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,
    /// Approve everything that would be asked
    #[arg(long)]
    pub(crate) auto: bool,
    /// Print one event per line as JSON, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Work in this process, even if the daemon is up
    #[arg(long)]
    pub(crate) no_daemon: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// The session: its id, or the beginning or end of it [default: the latest one of this folder]
    pub(crate) session: Option<String>,
    /// Take back what one call did: the id of its part
    #[arg(long, value_name = "PART", group = "what")]
    pub(crate) call: Option<String>,
    /// Take back what one turn did [default: the last one that changed files]
    #[arg(long, value_name = "NUMBER", group = "what")]
    pub(crate) turn: Option<u32>,
    /// Take back everything that was done after a part
    #[arg(long, value_name = "PART", group = "what")]
    pub(crate) after: Option<String>,
    /// Take back the last undo
    #[arg(long, conflicts_with = "what")]
    pub(crate) redo: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Work in this process, even if the daemon is up
    #[arg(long)]
    pub(crate) no_daemon: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) action: SessionsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, the latest first
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// How many [default: 30, with --json all]
        #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
        most: Option<u32>,
    },
    /// Show a session as Markdown
    Show {
        /// Its id, or the beginning or end of it
        session: String,
        /// Print JSON, as `export` does
        #[arg(long)]
        json: bool,
    },
    /// Delete a session
    Delete { session: String },
    /// Print a session as JSON, whole
    Export {
        session: String,
        /// Print Markdown, as `show` does; it cannot be imported
        #[arg(long)]
        markdown: bool,
    },
    /// Read an exported session back
    Import {
        /// What `export` printed; `-` is standard input
        file: PathBuf,
    },
    /// Find words in all sessions
    Search {
        #[arg(required = true)]
        words: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Only this provider, with all that is known of its models
    pub(crate) provider: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) action: Option<ConfigCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
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
pub(crate) struct LspArgs {
    /// Accepted, because editors say it: standard input and output is all there is
    #[arg(long)]
    stdio: bool,
    /// Accepted, because editors say it: the end of standard input tells as well
    #[arg(long = "clientProcessId", value_name = "PID", hide = true)]
    client_process: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DaemonArgs {
    /// End after so many seconds without a client and without a turn [default: COPYDESK_IDLE_EXIT, or 600]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) idle_exit: Option<u64>,
    /// Started by `copydesk lsp`: tells it on standard output how it went
    #[arg(long, hide = true)]
    pub(crate) detached: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Go on with what is logged from now on, until you stop it
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// How many lines to begin with
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 50)]
    pub(crate) lines: usize,
    /// Only what belongs to this session: its id, or the beginning or end of it
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
    /// Set how much the daemon logs: off, error, warn, info, debug, trace; or CRATE=LEVEL, such as servers=debug
    ///
    /// Several are separated by commas. With --follow it holds until you stop this command, else until the daemon ends.
    #[arg(long, value_name = "LEVEL", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) level: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AuthArgs {
    #[command(subcommand)]
    pub(crate) action: AuthCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuthCommand {
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
