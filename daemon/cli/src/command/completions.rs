//! `copydesk completions SHELL`

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Cli;
use crate::terminal;

pub(crate) fn run(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "copydesk", &mut script);
    Ok(terminal::print(String::from_utf8(script)?.trim_end())?)
}
