//! The command line. The doc comments are the texts of `--help`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use copydesk_permission::PermissionPreset;
use copydesk_protocol::permission::PermissionPresetInfo;

/// A coding agent that edits through your editor; you approve each change.
#[derive(Debug, Parser)]
#[command(name = "copydesk", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// Work as if started in this folder
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

/// The command line makes no sense. Any module may return this; the exit code is 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// See it work: repairs a small broken project, without a model or a key
    Tour(TourArgs),
    /// Run one prompt: copydesk run "fix the failing test"
    ///
    /// Copydesk asks before it runs a command or makes an edit. It asks about an edit hunk by hunk, with the
    /// keys of `git add -p`: y accepts the hunk, n rejects it, e edits it first, c rejects it with a comment, a
    /// and d accept or reject the rest of the file, A accepts all further edits, q stops the turn, ? lists the
    /// keys.
    Run(RunArgs),
    /// Undo the agent's file changes, and only those
    ///
    /// Your later changes stay. If you changed the same lines, the file is left as it is and reported. The exit
    /// code is 0 if everything was undone, and 1 if something was not or there was nothing to undo.
    Undo(UndoArgs),
    /// List, show, search, export, import and delete sessions
    Sessions(SessionsArgs),
    /// Show what requests used and cost, by day, model and project
    ///
    /// Subagents count. Requests of sessions that were deleted do not. Days are those of UTC.
    Usage(UsageArgs),
    /// List the models you can use, and what the others lack
    Models(ModelsArgs),
    /// Show the configuration and where each value comes from
    Config(ConfigArgs),
    /// Trust a folder, so that its programs may run and its configuration counts
    ///
    /// In a folder that you do not trust no language server, build script, checker or formatter runs, and its configuration only
    /// tightens. Trust counts for everything below the folder: you can trust the parent of many clones. It includes the
    /// configuration files as they are now; one that changes later is not trusted until you run this again.
    Trust(TrustArgs),
    /// List and take back what you always allow; show which rule decides about a call
    ///
    /// "Always" for a project counts in every session there, as long as you trust the project. Copydesk keeps it outside the repository.
    Permission(PermissionArgs),
    /// Store API keys of providers in a file that only you can read
    Auth(AuthArgs),
    /// Speak LSP with the editor that starts this; starts the daemon if needed
    Lsp(LspArgs),
    /// Run the daemon in the foreground
    Daemon(DaemonArgs),
    /// Show whether the daemon runs, and what it is doing
    ///
    /// The exit code is 0 if it runs and 1 if it does not.
    Status {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Restart a language server of the daemon
    ///
    /// `copydesk status` lists them. Helps if a server hangs, or if the daemon gave it up because it crashed
    /// too often.
    Restart {
        /// Its name, such as rust-analyzer
        name: String,
    },
    /// Stop the daemon when its turns are done
    ///
    /// An attached editor starts it again. If no daemon runs, that is no error.
    Stop {
        /// Stop at once: running turns are cancelled, completed parts are kept
        #[arg(long)]
        now: bool,
    },
    /// Show the end of the daemon's log, and follow it
    ///
    /// The log has sessions, turns, steps, calls, model requests and language servers, with their times. It never contains
    /// prompts, files, arguments or keys. This works without the daemon, too.
    Log(LogArgs),
    /// Find out why something does not work, and what to do
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Run a command of the sandbox that reaches listed hosts through a proxy
    #[command(hide = true)]
    SandboxBridge {
        /// The proxy's socket
        socket: PathBuf,
        /// The command
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<std::ffi::OsString>,
    },
    /// Print a completion script for your shell
    Completions {
        /// Save the output where the shell looks for it, for example: copydesk completions fish >
        /// ~/.config/fish/completions/copydesk.fish
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct TourArgs {
    /// Approve everything without asking
    #[arg(long)]
    pub(crate) yes: bool,
    /// Keep the project afterwards
    #[arg(long)]
    pub(crate) keep: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PresetArg {
    /// Everything that changes or runs something asks
    Careful,
    /// As `careful`, but commands that only read run unasked, and so do those in the sandbox that change no files by their own words
    Normal,
    /// Edits and commands inside the workspace run unasked
    Trusting,
}

#[derive(Debug, Args)]
pub(crate) struct PermissionArgs {
    #[command(subcommand)]
    pub(crate) action: PermissionCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PermissionCommand {
    /// List what you always allow in this project, and in its open sessions
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take back what you always allow: copydesk permission revoke 'git push *'
    ///
    /// It counts from the next call on, also in running sessions. The exit code is 1 if there was nothing to take back.
    Revoke {
        /// The pattern, as `list` shows it
        #[arg(required_unless_present = "all")]
        pattern: Option<String>,
        /// Everything in this project and its open sessions
        #[arg(long, conflicts_with = "pattern")]
        all: bool,
        /// Only of this key: bash, edit, webfetch, …
        #[arg(long, value_parser = NonEmptyStringValueParser::new())]
        key: Option<String>,
    },
    /// Explain a call without making it: copydesk permission explain 'git push'
    ///
    /// Shows how a command is read, what is decided about each part, and by which rule. What you always allow in this project
    /// counts; what you allowed for a session does not.
    Explain {
        /// The command; or a key of the rules (read, edit, webfetch, …) and the path or the address
        #[arg(required = true, value_name = "CALL")]
        words: Vec<String>,
        /// For this agent
        #[arg(long, value_parser = NonEmptyStringValueParser::new())]
        agent: Option<String>,
        /// Under this preset
        #[arg(long, value_name = "PRESET")]
        preset: Option<PresetArg>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

impl PresetArg {
    pub(crate) fn preset(self) -> PermissionPreset {
        match self {
            Self::Careful => PermissionPreset::Careful,
            Self::Normal => PermissionPreset::Normal,
            Self::Trusting => PermissionPreset::Trusting,
        }
    }

    pub(crate) fn info(self) -> PermissionPresetInfo {
        match self {
            Self::Careful => PermissionPresetInfo::Careful,
            Self::Normal => PermissionPresetInfo::Normal,
            Self::Trusting => PermissionPresetInfo::Trusting,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What to do; standard input is appended to it
    pub(crate) prompt: Vec<String>,
    /// The model, as PROVIDER/MODEL
    #[arg(long, value_name = "PROVIDER/MODEL", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) model: Option<String>,
    /// The agent: build, plan, or one of your own
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub(crate) agent: Option<String>,
    /// What runs without asking in this session, from now on
    #[arg(long, value_name = "PRESET")]
    pub(crate) preset: Option<PresetArg>,
    /// Continue this session
    #[arg(long, value_name = "ID", conflicts_with = "continue", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
    /// Continue the latest session of this folder
    #[arg(long)]
    pub(crate) r#continue: bool,
    /// A text, an image or a PDF to attach; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,
    /// Approve everything without asking
    #[arg(long)]
    pub(crate) auto: bool,
    /// Print one JSON event per line, and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Work in this process, even if the daemon runs
    #[arg(long)]
    pub(crate) no_daemon: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// The session: its id, or the start or end of it [default: the latest session of this folder]
    pub(crate) session: Option<String>,
    /// Undo one call: the id of its part
    #[arg(long, value_name = "PART", group = "what")]
    pub(crate) call: Option<String>,
    /// Undo one turn [default: the last one that changed files]
    #[arg(long, value_name = "NUMBER", group = "what")]
    pub(crate) turn: Option<u32>,
    /// Undo everything after a part
    #[arg(long, value_name = "PART", group = "what")]
    pub(crate) after: Option<String>,
    /// Redo the last undo
    #[arg(long, conflicts_with = "what")]
    pub(crate) redo: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Work in this process, even if the daemon runs
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
        /// Its id, or the start or end of it
        session: String,
        /// Print JSON, as `export` does
        #[arg(long)]
        json: bool,
    },
    /// Delete a session
    Delete { session: String },
    /// Print a whole session as JSON
    Export {
        session: String,
        /// Print Markdown, as `show` does; it cannot be imported
        #[arg(long)]
        markdown: bool,
    },
    /// Import an exported session
    Import {
        /// A file that `export` wrote; `-` is standard input
        file: PathBuf,
    },
    /// Search all sessions for words
    Search {
        #[arg(required = true)]
        words: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct UsageArgs {
    /// How many days, with today
    #[arg(long, value_name = "NUMBER", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) days: u32,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Only this provider, with every known model
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
}

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// The folder; by default the repository that you are in, else the current folder
    pub(crate) folder: Option<PathBuf>,
    /// Do not trust it, and do not ask about it again
    #[arg(long, conflicts_with = "list")]
    pub(crate) revoke: bool,
    /// List the folders that you were asked about
    #[arg(long, conflicts_with = "folder")]
    pub(crate) list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    /// Accepted because editors pass it; standard input and output are always used
    #[arg(long)]
    stdio: bool,
    /// Accepted because editors pass it; the end of standard input is enough
    #[arg(long = "clientProcessId", value_name = "PID", hide = true)]
    client_process: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DaemonArgs {
    /// End after this many seconds without a client and a turn [default: COPYDESK_IDLE_EXIT, or 600]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) idle_exit: Option<u64>,
    /// For `copydesk lsp`, which starts the daemon so: report the outcome on standard output
    #[arg(long, hide = true)]
    pub(crate) detached: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// Follow the log until you stop this command
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// How many lines of its end to show
    #[arg(long, short = 'n', value_name = "NUMBER", default_value_t = 50)]
    pub(crate) lines: usize,
    /// Only the lines of this session: its id, or the start or end of it
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) session: Option<String>,
    /// Set how much the daemon logs: off, error, warn, info, debug, trace; or CRATE=LEVEL, such as servers=debug
    ///
    /// Separate several with commas. With --follow the level holds until you stop this command, else until the daemon ends.
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
