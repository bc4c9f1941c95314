//! `copydesk tour`: the built-in offline model repairs a small broken project while the user watches.
//!
//! Session, tools, rules and asks are those of `copydesk run`. The project is temporary: it is deleted unless
//! the user keeps it or something goes wrong. Its session is stored inside it, so the user's own sessions stay
//! untouched.

mod next_steps;
mod project;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use copydesk_host::setup::UserSetup;
use copydesk_host::trust::set_trust;
use copydesk_model::offline;
use copydesk_protocol::event::TurnEndInfo;
use copydesk_session::{PromptDelivery, PromptRequest};

use super::run::{RunOptions, RunTarget, run_prompt};
use crate::args::{TourArgs, UsageError};
use crate::session_client::SessionChoice;
use crate::terminal::{BAD, BOLD, DIM, GOOD, print, styled};
use next_steps::CurrentProgram;
use project::{TourProject, toolchain};

const PROMPT: &str = "Fix the errors";

pub(crate) fn run(setup: &UserSetup, options: &TourArgs) -> anyhow::Result<ExitCode> {
    if !options.yes && !io::stdin().is_terminal() {
        let message = "the tour asks before it changes anything, and nobody is there to answer: run `copydesk tour --yes`";
        return Err(UsageError(message.to_owned()).into());
    }
    let toolchain = toolchain()?;
    let project = TourProject::make()?;
    introduce(&project, &toolchain, options)?;
    let started_in = setup.cwd.clone();
    let setup = UserSetup { cwd: project.path.clone(), paths: project.paths(&setup.paths) };
    // The project is ours.
    set_trust(&setup, &project.path.canonicalize()?, true)?;
    let loaded = setup.load()?;
    let choice = SessionChoice {
        model: Some(offline::MODEL_NAME.to_owned()),
        agent: Some("build".to_owned()),
        ..SessionChoice::default()
    };
    let request = PromptRequest {
        text: PROMPT.to_owned(),
        context: Vec::new(),
        files: Vec::new(),
        delivery: PromptDelivery::Queue,
        is_unattended: options.yes,
    };
    let run_options = RunOptions { auto: options.yes, json: false };
    let outcome = run_prompt(&setup, &loaded, &choice, request, run_options, RunTarget::InProcess)?;
    print("")?;
    if outcome.end != Some(TurnEndInfo::Done) {
        print("The tour ended early. Run `copydesk tour` to start again.")?;
        return finish(project, options.keep, &outcome.session.id, outcome.code());
    }
    let repaired = match project.run()? {
        Ok(printed) => {
            print(format!("{} The project compiles. It prints:", styled(GOOD, "✓")))?;
            print(printed.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"))?;
            true
        }
        Err(errors) => {
            print(format!("{} The project does not compile:\n{errors}", styled(BAD, "✗")))?;
            false
        }
    };
    print(format!("\n{}", styled(BOLD, "What next")))?;
    let search = std::env::var_os("PATH");
    let (remark, commands) = next_steps::next(&CurrentProgram {
        search: search.as_deref(),
        binary: std::env::current_exe().ok(),
        package: std::env::var_os("CARGO_MANIFEST_DIR").map(Into::into),
        cwd: &started_in,
    });
    let width = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or_default();
    for (command, what) in commands {
        print(format!("  {command:width$}  {}", styled(DIM, what)))?;
    }
    if let Some(remark) = remark {
        print(remark)?;
    }
    let code = if repaired { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    finish(project, options.keep || !repaired, &outcome.session.id, code)
}

fn introduce(project: &TourProject, toolchain: &str, options: &TourArgs) -> anyhow::Result<()> {
    print(styled(BOLD, "A tour of Copydesk"))?;
    print(format!(
        "A small Rust project that does not compile is in {}.\n\
         The offline model will repair it: it asks the compiler what is wrong, reads the file, and edits it.\n\
         It is a small built-in program: nothing leaves this machine. ({toolchain})",
        project.path.display()
    ))?;
    print(if options.yes {
        "With --yes everything is approved without asking."
    } else {
        "It asks before each command and each change: y and Enter is yes, and the question lists the other keys."
    })?;
    print(format!("\n{} {PROMPT}", styled(BOLD, ">")))?;
    Ok(())
}

fn finish(project: TourProject, keep: bool, session: &str, code: ExitCode) -> anyhow::Result<ExitCode> {
    if keep {
        let data = next_steps::shell(&project.data());
        let kept = project.keep();
        print(styled(DIM, format!("The project is kept in {}. Its session:", kept.display())))?;
        print(styled(DIM, format!("  XDG_DATA_HOME={data} copydesk sessions show {session}")))?;
    }
    Ok(code)
}
