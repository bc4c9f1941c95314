//! Whether commands and the programs of a project can run in the sandbox here, tried for real.

use copydesk_config::LoadedConfig;
use copydesk_host::setup::UserSetup;
use copydesk_host::{environment, sandbox};
use copydesk_workspace::process::sandbox::SandboxMode;

use super::DoctorFinding;

pub(super) fn examine(setup: &UserSetup, loaded: &LoadedConfig) -> anyhow::Result<DoctorFinding> {
    let about = "sandbox";
    let sandbox = sandbox::command_sandbox(loaded, &setup.paths, None);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let processes = environment::processes(loaded);
    let checked = runtime.block_on(sandbox.check(&setup.cwd, &processes));
    let (all, none) = match sandbox.is_for_commands_only() {
        true => ("commands", "command"),
        false => (
            "commands, language servers, checkers and formatters",
            "command, language server, checker or formatter",
        ),
    };
    let rights = sandbox.describe();
    Ok(match (sandbox.mode(), checked) {
        (SandboxMode::Off, Ok(_)) => {
            DoctorFinding::ok(about, "off; it would work here: `\"sandbox\": \"auto\"` switches it on")
        }
        (SandboxMode::Off, Err(error)) => {
            DoctorFinding::ok(about, format!("off; it would not work here: {error}; {}", error.advice()))
        }
        (SandboxMode::Auto, Ok(program)) => {
            DoctorFinding::ok(about, format!("auto, for {all}, by {}; {rights}", program.display()))
        }
        (SandboxMode::Require, Ok(program)) => {
            DoctorFinding::ok(about, format!("require, for {all}, by {}; {rights}", program.display()))
        }
        (SandboxMode::Auto, Err(error)) => {
            let what = match error.is_about_machine() {
                true => format!("auto, but {all} run outside: {error}"),
                // Programs do not ask.
                false if sandbox.is_for_commands_only() => format!("auto, but commands run outside: {error}"),
                false => format!(
                    "auto, but commands run outside, and no language server, checker or formatter runs: {error}"
                ),
            };
            DoctorFinding::warning(about, what, error.advice())
        }
        (SandboxMode::Require, Err(error)) => {
            let what = format!("require, so no {none} runs: {error}");
            DoctorFinding::error(about, what, error.advice())
        }
    })
}
