//! `copydesk tour`: a small broken project, repaired before the person's eyes by the model that is built in.
//!
//! The same session, tools, rules and asks as in `copydesk run`; only the project is ours, and it is gone afterwards unless
//! it is to be kept or something went wrong. What is said and done is kept inside the project's folder too: the person's own
//! sessions are left alone, however the tour ends.

mod next_steps;
mod project;

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use copydesk_model::offline;
use copydesk_protocol::event::TurnEndInfo;
use copydesk_session::{PromptDelivery, PromptRequest};

use super::run::{RunOptions, RunTarget, run_prompt};
use crate::args::{TourArgs, UsageError};
use crate::terminal::{BAD, BOLD, DIM, GOOD, print, styled};
use copydesk_host::session_builder::SessionChoice;
use copydesk_host::setup::UserSetup;
use next_steps::CurrentProgram;
use project::{TourProject, toolchain};

const PROMPT: &str = "Fix the errors";

pub(crate) fn run(setup: &UserSetup, options: &TourArgs) -> anyhow::Result<ExitCode> {
    if !options.yes && !io::stdin().is_terminal() {
        let why = "the tour asks before it changes anything, and nobody is there to answer: run `copydesk tour --yes`";
        return Err(UsageError(why.to_owned()).into());
    }
    let toolchain = toolchain()?;
    let project = TourProject::make()?;
    introduce(&project, &toolchain, options)?;
    let started_in = setup.cwd.clone();
    let setup = UserSetup { cwd: project.path.clone(), paths: project.paths(&setup.paths) };
    let loaded = setup.load()?;
    let choice = SessionChoice {
        model: Some(offline::MODEL_NAME.to_owned()),
        agent: Some("build".to_owned()),
        ..SessionChoice::default()
    };
    let request =
        PromptRequest { text: PROMPT.to_owned(), files: Vec::new(), delivery: PromptDelivery::Queue };
    let manner = RunOptions { auto: options.yes, json: false };
    let worked = run_prompt(&setup, &loaded, &choice, request, manner, RunTarget::InProcess)?;
    print("")?;
    if worked.end != Some(TurnEndInfo::Done) {
        print("The tour was ended early. `copydesk tour` begins again.")?;
        return finish(project, options.keep, &worked.session.id, worked.code());
    }
    let repaired = match project.run()? {
        Ok(printed) => {
            print(format!("{} The project compiles. It prints:", styled(GOOD, "✓")))?;
            print(printed.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"))?;
            true
        }
        Err(said) => {
            print(format!("{} The project does not compile:\n{said}", styled(BAD, "✗")))?;
            false
        }
    };
    print(format!("\n{}", styled(BOLD, "What next")))?;
    let search = std::env::var_os("PATH");
    let (said, ways) = next_steps::next(&CurrentProgram {
        search: search.as_deref(),
        binary: std::env::current_exe().ok(),
        package: std::env::var_os("CARGO_MANIFEST_DIR").map(Into::into),
        cwd: &started_in,
    });
    let width = ways.iter().map(|(command, _)| command.chars().count()).max().unwrap_or_default();
    for (command, what) in ways {
        print(format!("  {command:width$}  {}", styled(DIM, what)))?;
    }
    if let Some(said) = said {
        print(said)?;
    }
    let code = if repaired { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    finish(project, options.keep || !repaired, &worked.session.id, code)
}

fn introduce(project: &TourProject, toolchain: &str, options: &TourArgs) -> anyhow::Result<()> {
    print(styled(BOLD, "A tour of Copydesk"))?;
    print(format!(
        "A small Rust project that does not compile is in {}.\n\
         The offline model will repair it: it asks the compiler what is wrong, reads the file, and edits it.\n\
         It is a small program that is built in: nothing leaves this machine. ({toolchain})",
        project.path.display()
    ))?;
    print(if options.yes {
        "You said --yes: everything that it would ask is approved."
    } else {
        "Before each command and each change it asks you: y is yes, and the question says what the other keys do."
    })?;
    print(format!("\n{} {PROMPT}", styled(BOLD, ">")))?;
    Ok(())
}

fn finish(project: TourProject, keep: bool, session: &str, code: ExitCode) -> anyhow::Result<ExitCode> {
    if keep {
        let data = next_steps::shell(&project.data());
        let kept = project.keep();
        print(styled(DIM, format!("The project is kept in {}. What was said and done:", kept.display())))?;
        print(styled(DIM, format!("  XDG_DATA_HOME={data} copydesk sessions show {session}")))?;
    }
    Ok(code)
}
