//! `copydesk permission`: which rule decides about a call, and where it stands.

use copydesk_host::permission_report::{ExplainedSandbox, NamedCall, PermissionReport, report_permission};
use copydesk_host::setup::UserSetup;
use copydesk_permission::PermissionAction;
use copydesk_tool::tools::CommandPlacement;
use serde::Serialize;

use crate::args::{PermissionArgs, PermissionCommand, PresetArg};
use crate::configuration;
use crate::terminal::{self, BOLD, DIM, one_line, print, styled};

pub(crate) fn run(setup: &UserSetup, options: &PermissionArgs) -> anyhow::Result<()> {
    let PermissionCommand::Explain { key, target, agent, preset, json } = &options.action;
    let call = NamedCall {
        key: key.clone(),
        target: target.join(" "),
        agent: agent.clone(),
        preset: preset.map(PresetArg::preset),
    };
    let loaded = if *json { setup.load()? } else { configuration::load(setup)? };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(report_permission(setup, &loaded, &call))?;
    if *json { show_json(&report) } else { show(&report) }
}

#[derive(Serialize)]
struct PermissionReportView {
    action: &'static str,
    agent: String,
    preset: &'static str,
    decisions: Vec<PermissionDecisionView>,
    always: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<SandboxView>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct SandboxView {
    sandboxed: bool,
    what: String,
}

#[derive(Serialize)]
struct PermissionDecisionView {
    key: String,
    pattern: String,
    action: &'static str,
    why: String,
}

fn show_json(report: &PermissionReport) -> anyhow::Result<()> {
    let PermissionReport { agent, preset, decisions, always, sandbox, notes } = report.clone();
    let decisions = decisions.into_iter().map(|(key, decision)| PermissionDecisionView {
        key,
        pattern: decision.pattern,
        action: decision.action.name(),
        why: decision.reason.to_string(),
    });
    terminal::print_json(&PermissionReportView {
        action: report.action().name(),
        agent,
        preset: preset.name(),
        decisions: decisions.collect(),
        always,
        sandbox: sandbox.map(|sandbox| SandboxView {
            sandboxed: sandbox.placement == CommandPlacement::Sandboxed,
            what: sandbox_sentence(&sandbox),
        }),
        notes,
    })
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
    for note in report.sandbox.iter().map(sandbox_sentence).chain(report.notes.iter().cloned()) {
        print(format!("  {}", one_line(&note)))?;
    }
    Ok(())
}

fn sandbox_sentence(sandbox: &ExplainedSandbox) -> String {
    let why = sandbox.placement.why_outside().unwrap_or_default();
    match sandbox.placement {
        CommandPlacement::Refused { .. } => {
            format!("`sandbox` is `require`, but it cannot run in the sandbox: {why}.")
        }
        CommandPlacement::Outside { .. } => format!("It runs outside of the sandbox: {why}."),
        CommandPlacement::Sandboxed | CommandPlacement::Unconfined => {
            format!("It runs in the sandbox ({}).", sandbox.rights)
        }
    }
}
