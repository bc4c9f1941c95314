//! `copydesk permission`: what the user always allows, and which rule decides about a call.

mod kept;

use std::process::ExitCode;

use copydesk_host::permission_report::{ExplainedSandbox, NamedCall, PermissionReport, report_permission};
use copydesk_host::setup::UserSetup;
use copydesk_permission::PermissionAction;

use crate::args::{PermissionArgs, PermissionCommand, PresetArg};
use crate::configuration;
use crate::terminal::{self, BOLD, DIM, one_line, print, styled};

pub(crate) fn run(setup: &UserSetup, options: &PermissionArgs) -> anyhow::Result<ExitCode> {
    let done = |()| ExitCode::SUCCESS;
    match &options.action {
        PermissionCommand::List { json } => kept::list(setup, *json).map(done),
        PermissionCommand::Revoke { pattern, all: _, key } => {
            kept::revoke(setup, pattern.clone(), key.clone())
        }
        PermissionCommand::Explain { words, agent, preset, json } => {
            let call = NamedCall {
                agent: agent.clone(),
                preset: preset.map(PresetArg::preset),
                ..NamedCall::from_words(words)
            };
            let loaded = if *json { setup.load()? } else { configuration::load(setup)? };
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let report = runtime.block_on(report_permission(setup, &loaded, &call))?;
            if *json { terminal::print_json(&report.into_info()) } else { show(&report) }.map(done)
        }
    }
}

fn show(report: &PermissionReport) -> anyhow::Result<()> {
    let verdict = match report.action() {
        PermissionAction::Allow => "It runs without asking",
        PermissionAction::Ask => "It asks",
        PermissionAction::Deny => "It is denied",
    };
    let who = format!("agent {}, preset {}", report.agent, report.preset);
    print(format!("{} {}", styled(BOLD, verdict), styled(DIM, format!("({who})"))))?;
    for (key, decision) in &report.decisions {
        let pattern = one_line(&decision.pattern);
        print(format!("  {:5} {key} {pattern}", decision.action.name()))?;
        print(format!("        {}", styled(DIM, one_line(&decision.reason.to_string()))))?;
    }
    if report.action() == PermissionAction::Ask && !report.always.is_empty() {
        print(format!("  \"always\" would allow: {}", one_line(&report.always.join(", "))))?;
    }
    for note in report.sandbox.iter().map(ExplainedSandbox::sentence).chain(report.notes.iter().cloned()) {
        print(format!("  {}", one_line(&note)))?;
    }
    Ok(())
}
