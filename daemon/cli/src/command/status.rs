//! `copydesk status`: whether the daemon runs, and what it is doing. The exit code is 1 if none runs.

mod servers;

use std::process::ExitCode;

use copydesk_protocol::daemon::{Empty, MatchTierCount, StatusResult};
use copydesk_protocol::table::Status;
use serde_json::json;

use super::connect_daemon::{connect_any_version, with_timeout};
use crate::daemon_client::ClientKind;
use crate::terminal::{self, print};

pub(crate) fn run(json: bool) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(async {
        let Some((client, _)) = connect_any_version(ClientKind::Copydesk).await? else { return Ok(None) };
        let status = with_timeout(client.request::<Status>(&Empty {})).await?;
        anyhow::Ok(Some(status))
    })?;
    match (&status, json) {
        (None, true) => terminal::print_json(&json!({ "running": false }))?,
        (None, false) => {
            print(
                "The daemon is not running. An editor starts it when needed; `copydesk daemon` starts it by hand.",
            )?;
        }
        (Some(status), true) => {
            let mut report = json!({ "running": true });
            if let (Some(report), Ok(serde_json::Value::Object(status))) =
                (report.as_object_mut(), serde_json::to_value(status))
            {
                report.extend(status);
            }
            terminal::print_json(&report)?;
        }
        (Some(status), false) => print(described(status))?,
    }
    Ok(if status.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn described(status: &StatusResult) -> String {
    let StatusResult { version, pid, clients, sessions, documents, tiers, servers: running, missing, .. } =
        status;
    let turns = sessions.iter().filter(|session| session.running).count();
    // This command is a client too.
    let clients = clients.saturating_sub(1);
    format!(
        "The daemon is running: version {version}, process {pid}.\n\
         Attached: {clients}. Open documents: {documents}. Sessions: {}, with a turn: {turns}.{}{}",
        sessions.len(),
        matched(tiers),
        servers::described(running, missing)
    )
}

/// `Edits located since its start: exact 12, indentation 3.`
fn matched(tiers: &[MatchTierCount]) -> String {
    let tier = |counted: &MatchTierCount| format!("{} {}", terminal::one_line(&counted.tier), counted.count);
    match tiers {
        [] => String::new(),
        _ => {
            let tiers = tiers.iter().map(tier).collect::<Vec<_>>().join(", ");
            format!("\nEdits located since its start: {tiers}.")
        }
    }
}
